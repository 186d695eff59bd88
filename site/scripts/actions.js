// One click listener for every `data-action` button under a root.

export function onActions(root, handlers, signal) {
  const clicked = (event) => {
    const button = event.target.closest('[data-action]');
    const handler = button && handlers[button.dataset.action];
    if (handler) handler(button);
  };
  root.addEventListener('click', clicked, {signal});
}

// Switches buttons on and off. One that is switched off while it has the focus would drop it: another takes it over.
export function setAvailable(root, available) {
  const buttons = Object.keys(available).map((action) => root.querySelector(`[data-action="${action}"]`)).filter(Boolean);
  const focused = buttons.find((button) => button.getRootNode().activeElement === button);
  for (const button of buttons) button.disabled = !available[button.dataset.action];
  if (focused?.disabled) buttons.find((button) => !button.disabled)?.focus();
}
