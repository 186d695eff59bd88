// On paper everything is open: the calculation, the table, the further predictions.

export function openForPrint(root, signal) {
  let opened = [];
  window.addEventListener('beforeprint', () => {
    opened = [...root.querySelectorAll('details:not([open])')];
    for (const details of opened) details.open = true;
  }, {signal});
  window.addEventListener('afterprint', () => {
    for (const details of opened) details.open = false;
  }, {signal});
}
