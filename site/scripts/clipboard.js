// Puts a text on the clipboard; where the browser refuses (frames, plain http), shows it selected to be copied by hand.

function copyByCommand(text) {
  const box = document.createElement('textarea');
  box.value = text;
  box.style.position = 'fixed';
  box.style.opacity = '0';
  document.body.append(box);
  const focused = document.activeElement;
  box.select();
  const copied = document.execCommand('copy');
  box.remove();
  focused?.focus();
  return copied;
}

function showToCopy(text) {
  const dialog = document.createElement('dialog');
  const words = document.createElement('p');
  words.textContent = 'This browser does not let the page copy. The text is selected: copy it with the keyboard.';
  const box = document.createElement('textarea');
  box.readOnly = true;
  box.rows = 12;
  box.cols = 60;
  box.value = text;
  box.setAttribute('aria-label', 'Text to copy');
  const close = document.createElement('button');
  close.textContent = 'Close';
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => dialog.remove());
  dialog.append(words, box, close);
  document.body.append(dialog);
  dialog.showModal();
  box.select();
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    if (copyByCommand(text)) return true;
    showToCopy(text);
    return false;
  }
}
