// How the model is doing, in words: starting, nothing (it runs), or what failed and what still works.
// An error of the page itself stands beside that and stays.

const STARTING = 'The model is starting; what you set now is kept.';
const BEHIND = ' Until then the numbers are those of the default setting.';
const STALLED = 'The model has not started after a minute.';
const STILL = ' This page can be read all the same; its numbers do not follow the inputs now. ';

export function createStatus(root) {
  const place = root.querySelector('[data-status]');
  let retry = () => {};
  let kind = 'starting';
  let model = [];
  let broken = [];
  let standing = [];

  function write(next, ...parts) {
    kind = next;
    model = parts;
    if (!place) return;
    place.dataset.state = kind;
    place.replaceChildren(...model, ...broken);
  }

  function retryButton() {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Try again';
    button.addEventListener('click', () => {
      write('starting', STARTING);
      retry();
    });
    return button;
  }

  // Python explains itself at length; its last line says what happened.
  const failed = (text) => write('failed', text.trim().split('\n').at(-1), STILL, retryButton());
  return {
    onRetry(callback) {
      retry = callback;
    },
    // The reader has set something that the numbers do not show yet.
    behind() {
      if (kind === 'starting') write('starting', STARTING, BEHIND);
    },
    ready: () => write('ready', ...standing),
    // Said beside a page that runs by itself: of the numbers shown now, or of all that follow until another note.
    note(text, stays) {
      standing = stays ? [text] : [];
      write('ready', text);
    },
    failed,
    stalled: () => failed(STALLED),
    pageError(text) {
      broken = [` Something on this page went wrong: ${text}`];
      write(kind, ...model);
    },
  };
}
