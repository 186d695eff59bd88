// Writes a state's texts, raw values and flags into the page. The elements are looked up once; only what differs from
// what stands there is written, so that a slider move costs little and a screen reader's place is not lost.

function index(root, attribute, keyOf = (name) => name) {
  const found = [];
  for (const element of root.querySelectorAll(`[${attribute}]`)) {
    found.push([keyOf(element.getAttribute(attribute)), element, element.closest('[data-prediction]')]);
  }
  return found;
}

function setAttribute(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

export function createSlots(root) {
  const quantity = (name) => `q.${name}`;
  const words = [
    ...index(root, 'data-slot'),
    ...index(root, 'data-output', quantity),
    ...index(root, 'data-quantity', quantity),
  ];
  const raw = index(root, 'data-output');
  const flagged = index(root, 'data-flag');
  const states = index(root, 'data-state-of');

  return function fill({texts, values, flags}) {
    for (const [key, element, prediction] of words) {
      // A judged prediction keeps the words it was judged by, whatever the inputs are now.
      if (prediction?.dataset.state === 'judged') continue;
      const text = texts[key];
      if (text !== undefined && element.textContent !== text) element.textContent = text;
    }
    for (const [name, element] of raw) {
      if (values[name] !== undefined) setAttribute(element, 'data-value', String(values[name]));
    }
    for (const [key, element] of flagged) {
      const hidden = !flags[key];
      if (element.hidden !== hidden) element.hidden = hidden;
    }
    for (const [key, element] of states) {
      if (texts[key] !== undefined) setAttribute(element, 'data-state', texts[key]);
    }
  };
}
