// The JavaScript reading of a lab: the state that engine/labs/state.py builds, from the same formulas and sentences,
// which the build wrote out as `ridgepointLab`. No formula, no limit and no sentence is written here.

import {fill} from './fill.js';
import {NBSP, TIMES, difference, digits, display, plain} from './format.js';

const CLOSE = 1.04;
const NONE = 'none';
const EVERY_THOUSAND = /^[+-]?\d{1,3}(,\d{3})+(\.\d*)?$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

class InputError extends Error {
  constructor(name, text) {
    super(text);
    this.input = name;
  }
}

// A number as people type it: digits, a point, an exponent, commas between thousands; else null.
function numberOf(raw) {
  if (typeof raw === 'number') return raw;
  let typed = String(raw).trim().replaceAll('\u2212', '-');
  if (EVERY_THOUSAND.test(typed)) typed = typed.replaceAll(',', '');
  return NUMBER.test(typed) ? Number(typed) : null;
}

function refuse(entry, raw) {
  const allowed = `Allowed: ${entry.allowed}. ${entry.hint}`;
  throw new InputError(entry.name, `${entry.name}: “${raw}” is not allowed. ${allowed}`);
}

function parseInput(entry, raw) {
  // What is written in a language of its own only Python can read.
  if (entry.kind === 'text') return String(raw).trim();
  if (typeof entry.none === 'number' && String(raw).trim().toLowerCase() === NONE) return NONE;
  const value = numberOf(raw);
  if (entry.kind === 'choice') {
    const found = entry.options.find(([option]) => option === raw || option === String(raw).trim() || option === value);
    return found ? found[0] : refuse(entry, raw);
  }
  const fits = value !== null && Number.isFinite(value) && value >= entry.lower && value <= entry.upper;
  if (!fits || (entry.lowerOpen && value === entry.lower) || (entry.integer && value % 1 !== 0)) refuse(entry, raw);
  return value;
}

function showInput(entry, value) {
  if (entry.kind === 'choice') return entry.options.find(([option]) => option === value)[1];
  if (entry.kind === 'text') return value || NONE;
  if (value === NONE) return NONE;
  const unit = entry.words[value === 1 ? 0 : 1] || entry.unit;
  return unit ? `${digits(value, 'count')}${NBSP}${unit}` : digits(value, 'count');
}

function lookUp(table, inputs) {
  // Of a number a table tells only whether it is none or set.
  const part = (value, kind) => (kind === 'number' && value !== NONE ? 'set' : value);
  const key = table.inputs.map((name, i) => part(inputs[name], table.kinds?.[i])).join('|');
  const refused = table.refused?.[key];
  if (refused) throw new InputError(refused.name, refused.text);
  return table.entries[key];
}

// How many times the larger is the smaller: the distance on a log scale.
const factorOf = (a, b) => (a > 0 && b > 0 ? Math.max(a / b, b / a) : Infinity);

export function createReading(lab) {
  const inputOf = (name) => lab.inputs.find((entry) => entry.name === name);
  const unitOf = (name) => lab.quantities[name].unit;
  const show = (name, value) => display(value, unitOf(name), lab.scales);
  const defaults = Object.fromEntries(lab.inputs.map((entry) => [entry.name, entry.default]));
  const planFor = (inputs) => lab.plans[lookUp(lab.chosen, inputs).plan];

  function givenFor(inputs) {
    const given = {};
    for (const table of lab.tables) Object.assign(given, lookUp(table, inputs));
    for (const {kind, name, gives, factor, none} of lab.inputs) {
      if (kind === 'number') given[gives] = inputs[name] === NONE ? none : inputs[name] * factor;
    }
    // Worked out by a formula instead of set.
    for (const name of lookUp(lab.chosen, inputs).worked) delete given[name];
    for (const {input, holds, allowed} of lab.rules) if (!holds(inputs)) refuseBy(input, allowed, inputs);
    return given;
  }

  // What a rule between inputs does not allow, with the others in words.
  function refuseBy(name, allowed, inputs) {
    const entry = inputOf(name);
    refuse({...entry, allowed: fill(allowed, (other) => showInput(inputOf(other), inputs[other]))}, inputs[name]);
  }

  // Every input as asked for, or as in `fallback` where that cannot be, with a message for each such name.
  function settle(raw, fallback) {
    const inputs = {...fallback};
    const errors = {};
    const attempt = (action, mend) => {
      try {
        action();
        return true;
      } catch (error) {
        if (!(error instanceof InputError)) throw error;
        errors[error.input] = error.message;
        mend(error.input);
        return false;
      }
    };
    for (const [name, asked] of Object.entries(raw)) {
      const entry = inputOf(name);
      if (entry) attempt(() => { inputs[name] = parseInput(entry, asked); }, () => {});
    }
    const check = () => attempt(() => givenFor(inputs), (name) => { inputs[name] = defaults[name]; });
    for (let tries = lab.inputs.length; tries > 0 && !check(); tries -= 1);
    return {inputs, errors};
  }

  // Words for templates: inputs by name where they are choices, all else quantities.
  function wordsFor(inputs, values) {
    return (name) => {
      const entry = inputOf(name);
      return entry?.kind === 'choice' ? showInput(entry, inputs[name]) : show(name, values[name]);
    };
  }

  function sideOf({sides}, values) {
    return sides.map(({word, operands, labels}) => {
      const found = operands.map((operand) => operand(values));
      const best = word === 'larger' ? Math.max(...found) : Math.min(...found);
      const taken = labels[found.indexOf(best)];
      const equal = found.filter((value) => value === best).length > 1;
      return equal ? `Both sides are equal; ${taken} is taken.` : `The ${word} side is ${taken}.`;
    }).join(' ');
  }

  function limitState({inputs, holds}, values) {
    if (!holds || inputs.some((name) => !(name in values))) return 'not checked';
    return holds(values) ? 'inside' : 'outside';
  }

  const stands = ({when}, values) => !when || when(values);

  function calculate(inputs) {
    const plan = planFor(inputs);
    const values = plan.point(givenFor(inputs));
    return {plan, values, words: wordsFor(inputs, values)};
  }

  function scenesOf(prediction, inputs) {
    const values = {};
    const words = {};
    for (const [name, {fixed, changes, factors}] of Object.entries(prediction.scenes)) {
      const start = fixed ? defaults : inputs;
      const setting = {...start};
      for (const [key, to] of Object.entries(changes)) setting[key] = typeof to === 'function' ? to(start) : to;
      const given = givenFor(setting);
      for (const [key, factor] of Object.entries(factors)) given[key] *= factor;
      const found = planFor(setting).point(given);
      values[name] = found;
      words[name] = wordsFor(setting, found);
    }
    const first = Object.values(words)[0];
    const say = (name) => {
      const dot = name.lastIndexOf('.');
      return dot < 0 ? first(name) : words[name.slice(0, dot)](name.slice(dot + 1));
    };
    return {values, say};
  }

  const shownAnswer = (prediction, answer) => (prediction.kind === 'numeric'
    ? show(prediction.gives, answer)
    : prediction.options.find(([option]) => option === answer)[1]);

  function ask(prediction, inputs, texts, flags) {
    const slot = `predict.${prediction.id}`;
    const put = (prompt, answer, step) => Object.assign(texts, {
      [`${slot}.prompt`]: prompt, [`${slot}.answer`]: answer, [`${slot}.step`]: step,
    });
    try {
      const {values, say} = scenesOf(prediction, inputs);
      flags[slot] = true;
      put(fill(prediction.prompt, say), shownAnswer(prediction, prediction.answer(values)), fill(prediction.decided, say));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      flags[slot] = false;
      put(`This cannot be asked with these inputs. ${error.message}`, '', '');
    }
  }

  function compare(inputs, values, pinned, texts) {
    const {values: other} = calculate(pinned);
    for (const name of lab.targets) {
      texts[`pin.${name}`] = show(name, other[name]);
      texts[`diff.${name}`] = difference(other[name], values[name], unitOf(name), lab.scales);
    }
    const changed = lab.inputs.filter(({name}) => pinned[name] !== inputs[name]);
    const lines = changed.map((e) => `${e.label}: ${showInput(e, pinned[e.name])} → ${showInput(e, inputs[e.name])}`);
    texts['pin.inputs'] = lines.join('; ') || 'A and B have the same inputs.';
  }

  function command(inputs) {
    const words = Object.entries(inputs).map(([name, value]) => `${name}=${typeof value === 'number' ? plain(value) : value}`);
    return ['python -m engine lab', lab.slug, ...words].join(' ');
  }

  const summaryOf = (values, words) => lab.summary.filter((part) => stands(part, values))
    .map((part) => fill(part.template, words)).join(' ');

  function tableOf(inputs, texts) {
    const plan = planFor(inputs);
    const given = givenFor(inputs);
    lab.curve.rows.forEach((place, row) => {
      const values = plan.point({...given, [lab.curve.input]: place});
      [lab.curve.input, ...lab.curve.columns].forEach((name, column) => {
        texts[`table.${row}.${column}`] = show(name, values[name]);
      });
    });
  }

  // Infinity has a name, since JSON has none for it.
  const plainOf = (value) => (value === Infinity ? 'inf' : value);
  const written = (values) => Object.fromEntries([
    ...Object.entries(values).map(([name, value]) => [name, plainOf(value)]),
    ...Object.entries(lab.names).map(([name, shown]) => [shown, plainOf(values[name])]),
  ]);

  // Every quantity in base units.
  const valuesOf = (inputs) => written(calculate(inputs).values);

  // The state for parsed inputs: the same keys and the same words as engine/labs/state.py.
  function build(inputs, pinned) {
    const {plan, values, words} = calculate(inputs);
    const texts = {};
    const flags = {};
    for (const [name, value] of Object.entries(values)) texts[`q.${name}`] = show(name, value);
    for (const [name, shown] of Object.entries(lab.names)) texts[`q.${shown}`] = texts[`q.${name}`];
    for (const entry of lab.inputs) texts[`input.${entry.name}`] = showInput(entry, inputs[entry.name]);
    for (const [id, formula] of Object.entries(lab.formulas)) {
      flags[`step.${id}`] = plan.formulas.includes(id);
      if (flags[`step.${id}`]) texts[`side.${formula.gives}`] = sideOf(formula, values);
    }
    lab.sections.forEach(([, ids], place) => {
      flags[`section.${place}`] = ids.some((id) => plan.formulas.includes(id));
    });
    for (const limit of plan.limits) texts[`limit.${limit.id}`] = limitState(limit, values);
    texts.summary = summaryOf(values, words);
    texts.command = command(inputs);
    for (const warning of lab.warnings) {
      flags[`warn.${warning.id}`] = Boolean(stands(warning, values));
      texts[`warn.${warning.id}`] = fill(warning.template, words);
    }
    for (const fact of lab.facts) {
      for (const [part, word] of Object.entries(lookUp(fact, inputs))) {
        texts[part === 'text' ? `fact.${fact.id}` : `fact.${fact.id}.${part}`] = word;
      }
    }
    tableOf(inputs, texts);
    for (const prediction of lab.predictions) ask(prediction, inputs, texts, flags);
    flags.pinned = Boolean(pinned);
    if (pinned) compare(inputs, values, pinned, texts);
    return {inputs: {...inputs}, values: written(values), texts, flags};
  }

  function columnsOf({over, columns, axis: name, grid: own}, inputs, pinned) {
    const setting = over.startsWith('pinned') ? pinned : inputs;
    const {rows, bandOf} = lab.curve;
    const grid = own ?? lab.curve.grid;
    if (!setting) return Object.fromEntries(Object.keys(columns).map((key) => [key, new Float64Array(0)]));
    const plan = planFor(setting);
    const given = givenFor(setting);
    const now = given[name];
    const ranges = {grid, rows, start: grid.slice(0, 1), end: grid.slice(-1), 'to now': [0, now]};
    const axis = ranges[over.replace('pinned ', '')] ?? [now];
    const found = new Map();
    return Object.fromEntries(Object.entries(columns).map(([key, [quantity, factor, band]]) => {
      if (!found.has(band)) found.set(band, plan.curves[name]({...given, [bandOf]: given[bandOf] * band}, axis));
      return [key, found.get(band)[quantity].map((value) => value / factor)];
    }));
  }

  // The figure's data: a Float64Array for each column of each series.
  const sources = (inputs, pinned) => Object.fromEntries(
    lab.curve.series.map((series) => [series.name, columnsOf(series, inputs, pinned)]),
  );

  function parseAnswer(prediction, raw) {
    if (prediction.kind === 'numeric') {
      const value = numberOf(raw);
      if (value !== null && value > 0 && Number.isFinite(value)) return value;
      throw new InputError(
        'prediction',
        `prediction: “${raw}” is not allowed. Allowed: a number above 0. Type your best guess, or skip.`,
      );
    }
    if (prediction.options.some(([option]) => option === raw)) return raw;
    const labels = prediction.options.map(([, label]) => label).join(', ');
    throw new InputError('prediction', `prediction: “${raw}” is not allowed. Allowed: ${labels}. Choose one, or skip.`);
  }

  function verdictOn(prediction, given, {values, say}) {
    const right = prediction.answer(values);
    const said = {
      yours: shownAnswer(prediction, given), answer: shownAnswer(prediction, right), step: fill(prediction.decided, say),
    };
    const named = (mistake) => (mistake ? fill(mistake.text, say) : '');
    if (prediction.kind !== 'numeric') {
      const verdict = given === right ? 'Right: so says the model.' : 'The model says otherwise.';
      return {verdict, mistake: named(prediction.mistakes.find((m) => m.option === given && given !== right)), ...said};
    }
    const ratio = factorOf(given, right);
    const near = prediction.mistakes.filter((m) => m.answer)
      .map((mistake) => ({mistake, distance: factorOf(given, mistake.answer(values))}))
      .filter(({distance}) => ratio > CLOSE && distance <= CLOSE)
      .sort((a, b) => a.distance - b.distance);
    const shown = digits(ratio, ratio < 100 ? '3g' : '0f');
    const side = given > right ? 'above' : 'below';
    const verdict = ratio <= 1.005 ? 'On the spot.' : `Within ${shown}${TIMES}: ${side} the model's answer.`;
    return {verdict, mistake: named(near[0]?.mistake), ...said};
  }

  // The verdict on an answer, and where a numeric answer stands in the figure; or what is wrong with it.
  function judge(id, raw, inputs) {
    const prediction = lab.predictions.find((entry) => entry.id === id);
    try {
      const given = parseAnswer(prediction, raw);
      const scenes = scenesOf(prediction, inputs);
      const last = Object.keys(prediction.scenes).at(-1);
      const place = prediction.kind === 'numeric'
        ? {[lab.curve.input]: scenes.values[last][lab.curve.input], [prediction.gives]: given}
        : {};
      return {texts: verdictOn(prediction, given, scenes), place};
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      return {texts: {error: error.message}, place: {}};
    }
  }

  return {
    lab, settle, build, sources, judge, valuesOf, calculate, limitState, stands, showInput, show, command, defaults, planFor,
    givenFor,
  };
}
