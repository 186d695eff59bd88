// What a reader takes away, as engine/labs/export.py writes it: the calculation as text and Markdown, the data as CSV.

import {plain} from './format.js';
import {fill} from './fill.js';

export function createExports(reading) {
  const {lab} = reading;

  // The sections that this plan fills, with its formulas.
  const usedIn = (plan) => lab.sections
    .map(([title, ids]) => [title, ids.filter((id) => plan.formulas.includes(id))])
    .filter(([, ids]) => ids.length > 0);

  function partsOf(inputs) {
    const {plan, values, words} = reading.calculate(inputs);
    return {
      settings: lab.inputs.map((entry) => `${entry.label} ${reading.showInput(entry, inputs[entry.name])}`).join('; '),
      warned: lab.warnings.filter((w) => reading.stands(w, values)).map((w) => fill(w.template, words)),
      limits: plan.limits.map((limit) => {
        const state = reading.limitState(limit, values);
        return state === 'not checked' ? limit.text : `${limit.text} (here: ${state})`;
      }),
      sections: usedIn(plan).map(([title, ids]) => [title, ids.map((id) => {
        const {gives, line, numbers} = lab.formulas[id];
        const {symbol} = lab.quantities[gives];
        return [symbol, line, fill(numbers, (name) => reading.show(name, values[name])), reading.show(gives, values[gives])];
      })]),
    };
  }

  function text(inputs) {
    const {settings, warned, limits, sections} = partsOf(inputs);
    const indented = (lines) => lines.map((line) => `  ${line}`);
    return [
      lab.title, settings, '',
      ...sections.flatMap(([title, steps]) => [title, ...indented(steps.map((cells) => cells.join(' = '))), '']),
      ...(warned.length ? ['Warnings', ...indented(warned), ''] : []),
      'Limits', ...indented(limits), '', `Ridgepoint ${lab.version}`, reading.command(inputs), '',
    ].join('\n');
  }

  function markdown(inputs) {
    const {settings, warned, limits, sections} = partsOf(inputs);
    const row = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
    const list = (lines) => lines.map((line) => `- ${line}`);
    return [
      `## ${lab.title}`, '', settings, '',
      ...sections.flatMap(([title, steps]) => [
        `### ${title}`, '', '| | formula | with numbers | result |', '|---|---|---|---|', ...steps.map(row), '',
      ]),
      ...(warned.length ? ['### Warnings', '', ...list(warned), ''] : []),
      '### Limits', '', ...list(limits), '', `Ridgepoint ${lab.version}: \`${reading.command(inputs)}\``, '',
    ].join('\n');
  }

  function csv(inputs) {
    const {input, grid, columns} = lab.curve;
    const names = [input, ...columns];
    const places = [...new Set([...grid, inputs[input]])].sort((a, b) => a - b);
    const plan = reading.planFor(inputs);
    const given = reading.givenFor(inputs);
    const rows = places.map((place) => {
      const values = plan.point({...given, [input]: place});
      return names.map((name) => (typeof values[name] === 'number' ? plain(values[name]) : String(values[name]))).join(',');
    });
    const heads = names.map((name) => `${name} [${lab.quantities[name].unit}]`).join(',');
    return [`# ${lab.title}; Ridgepoint ${lab.version}`, `# ${reading.command(inputs)}`, heads, ...rows, ''].join('\n');
  }

  return {text, markdown, csv};
}
