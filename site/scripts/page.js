// What every page of the site has: the theme button, and the button that forgets what is kept in this browser.

import {onActions} from './actions.js';
import {forgetEverything} from './store.js';
import {createTheme} from './theme.js';

export function preparePage(forgetMore) {
  const {signal} = new AbortController();
  const theme = createTheme(document, document.documentElement, signal);
  onActions(document, {
    theme: theme.next,
    async forget(button) {
      await forgetEverything();
      theme.reset();
      forgetMore();
      button.textContent = 'Forgotten';
    },
  }, signal);
  return theme;
}
