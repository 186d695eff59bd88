// Named settings: a preset changes the inputs it names, and shows as pressed while they all stand.

export function createPresets(root, spec, apply, signal) {
  const presets = new Map(spec.presets.map((preset) => [preset.id, preset.inputs]));
  const buttons = [...root.querySelectorAll('[data-preset]')];
  for (const button of buttons) {
    button.addEventListener('click', () => apply(presets.get(button.dataset.preset)), {signal});
  }
  return function show(inputs) {
    for (const button of buttons) {
      const stands = Object.entries(presets.get(button.dataset.preset)).every(([name, value]) => inputs[name] === value);
      button.setAttribute('aria-pressed', String(stands));
    }
  };
}
