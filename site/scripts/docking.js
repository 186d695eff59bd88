// Marks the control used last: on a phone that one stays in view beside the numbers.

export function followUse(root, signal) {
  const used = (event) => {
    const control = event.target.closest?.('.control');
    if (!control || 'current' in control.dataset) return;
    for (const other of root.querySelectorAll('.control[data-current]')) delete other.dataset.current;
    control.dataset.current = '';
  };
  for (const type of ['pointerdown', 'focusin', 'input']) root.addEventListener(type, used, {signal});
}
