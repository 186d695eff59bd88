// The native inputs: a slider over exact stops with a number box beside it, selects and radio groups.
// Nothing is computed from a position: it is an index into the stops that the page was given. What a number box holds
// stays exact; a value between two stops only puts the thumb at the nearer one.

import {isValue, readValue} from './values.js';

function nearest(stops, value) {
  let best = stops.includes(value) ? stops.indexOf(value) : 0;
  stops.forEach((stop, position) => {
    if (Math.abs(stop - value) < Math.abs(stops[best] - value)) best = position;
  });
  return best;
}

function numberControl(element, input, report) {
  const slider = element.querySelector('[data-slider]');
  const box = element.querySelector('[data-number]');
  const atSlider = (settled) => {
    const value = input.stops[slider.valueAsNumber];
    show(value);
    report(input.name, value, settled);
  };
  const atBox = () => report(input.name, readValue(input, box.value), true);
  slider?.addEventListener('input', () => atSlider(false));
  slider?.addEventListener('change', () => atSlider(true));
  box?.addEventListener('change', atBox);

  // A number that is not understood leaves the thumb where the last good value put it.
  function show(value) {
    if (box && box.value !== String(value)) box.value = String(value);
    if (!slider || !isValue(input, value)) return;
    slider.value = String(nearest(input.stops, value));
    slider.setAttribute('aria-valuetext', input.unit ? `${value} ${input.unit}` : String(value));
  }

  function describe(words) {
    if (slider && words) slider.setAttribute('aria-valuetext', words);
  }

  function touched() {
    if (slider && slider.value !== slider.defaultValue) return input.stops[slider.valueAsNumber];
    if (box && box.value !== box.defaultValue) return readValue(input, box.value);
    return undefined;
  }
  return {show, describe, touched, fields: [slider, box].filter(Boolean)};
}

function choiceControl(element, input, report) {
  const select = element.querySelector('select[data-choice]');
  const radios = [...element.querySelectorAll('input[type="radio"][data-choice]')];
  const other = document.createElement('p');
  other.className = 'other';
  const at = (field) => report(input.name, readValue(input, field.value), true);
  for (const field of select ? [select] : radios) field.addEventListener('change', () => at(field));

  // An address may hold a value that the model takes but the page does not offer: then no option is marked as chosen.
  function show(value) {
    const text = String(value);
    if (select && select.value !== text) select.value = text;
    for (const radio of radios) radio.checked = radio.value === text;
    const offered = select ? select.selectedIndex >= 0 : radios.some((radio) => radio.checked);
    if (offered) {
      other.remove();
    } else {
      other.textContent = `Set to ${text}`;
      element.append(other);
    }
  }

  function touched() {
    const chosen = select?.selectedOptions[0];
    if (chosen && !chosen.defaultSelected) return readValue(input, chosen.value);
    const radio = radios.find(({checked, defaultChecked}) => checked && !defaultChecked);
    return radio && readValue(input, radio.value);
  }
  return {show, touched, fields: select ? [select] : radios};
}

function textControl(element, input, report) {
  const box = element.querySelector('[data-text]');
  box?.addEventListener('change', () => report(input.name, box.value.trim(), true));
  return {
    show(value) {
      if (box && box.value !== value) box.value = value;
    },
    touched: () => (box && box.value !== box.defaultValue ? box.value.trim() : undefined),
    fields: [box].filter(Boolean),
  };
}

const CONTROLS = {number: numberControl, choice: choiceControl, text: textControl};

function errorDisplay(element, fields) {
  const place = element.querySelector('[data-error-for]');
  return (message) => {
    if (place && place.textContent !== message) place.textContent = message;
    for (const field of fields) {
      if (message) field.setAttribute('aria-invalid', 'true');
      else field.removeAttribute('aria-invalid');
    }
  };
}

export function createControls(root, spec, report, signal) {
  const controls = new Map();
  for (const input of spec.inputs) {
    const element = root.querySelector(`[data-input="${input.name}"]`);
    if (!element) continue;
    const control = CONTROLS[input.kind](element, input, report);
    control.showError = errorDisplay(element, control.fields);
    controls.set(input.name, control);
  }
  const form = root.querySelector('[data-inputs]');
  form?.addEventListener('submit', (event) => event.preventDefault(), {signal});

  return {
    // What the reader had already set before this script ran.
    touched() {
      const values = [...controls].map(([name, control]) => [name, control.touched()]);
      return Object.fromEntries(values.filter(([, value]) => value !== undefined));
    },
    show(inputs) {
      for (const [name, control] of controls) control.show(inputs[name]);
    },
    // In words and with its unit, as the model says it, where what is set is what the model's state is of.
    describe(inputs, state) {
      for (const [name, control] of controls) {
        if (inputs[name] === state.inputs[name]) control.describe?.(state.texts[`input.${name}`]);
      }
    },
    showErrors(errors) {
      for (const [name, control] of controls) control.showError(errors[name] ?? '');
    },
  };
}
