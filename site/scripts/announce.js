// Tells a screen reader what changed, once the changes pause: a drag must not become a flood of sentences.

const CALM_MS = 700;

export function createAnnouncer(root) {
  const live = root.querySelector('[data-live]');
  let timer = 0;
  return (text) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (live && live.textContent !== text) live.textContent = text;
    }, CALM_MS);
  };
}
