// On paper everything is open (the calculation, the table, the further predictions) and light, the figure too.

export function openForPrint(root, theme, signal) {
  let opened = [];
  let restoreTheme = () => {};
  window.addEventListener('beforeprint', () => {
    opened = [...root.querySelectorAll('details:not([open])')];
    for (const details of opened) details.open = true;
    restoreTheme = theme.forPaper();
  }, {signal});
  window.addEventListener('afterprint', () => {
    for (const details of opened) details.open = false;
    restoreTheme();
  }, {signal});
}
