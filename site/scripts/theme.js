// System, light or dark: the reader's choice stands as data-theme on one element, and is kept.

import {keep, recall} from './store.js';

const CHOICES = ['system', 'light', 'dark'];

export function createTheme(root, holder, signal) {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const listeners = [];
  const current = () => holder.dataset.theme ?? 'system';

  function show() {
    const words = current().replace(/^./, (letter) => letter.toUpperCase());
    for (const label of root.querySelectorAll('[data-theme-label]')) label.textContent = words;
    listeners.forEach((listener) => listener());
  }

  function set(choice) {
    if (choice === 'light' || choice === 'dark') holder.dataset.theme = choice;
    else delete holder.dataset.theme;
    show();
  }

  system.addEventListener('change', show, {signal});
  // A page that stands in a frame may have been given one already.
  set(holder.dataset.theme ?? recall('theme'));
  return {
    next() {
      const choice = CHOICES[(CHOICES.indexOf(current()) + 1) % CHOICES.length];
      keep('theme', choice);
      set(choice);
    },
    reset: () => set('system'),
    // Paper is light, whatever the screen is; what was chosen comes back afterwards.
    forPaper() {
      const before = current();
      set('light');
      return () => set(before);
    },
    onChange: (listener) => listeners.push(listener),
  };
}
