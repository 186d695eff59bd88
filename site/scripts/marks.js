// What a figure shows of a state, by the names and tags that labs/_figures/base.py gives its models; the same rules as there.

import {fill} from './fill.js';

const UNSENT = {sync: false};

export function createMarks(root) {
  const models = [...root.references()];
  const sources = new Map(models.filter((m) => m.type === 'ColumnDataSource').map((m) => [m.name, m]));
  const tagged = models.flatMap((model) => (model.tags ?? []).map(String).filter((tag) => tag.includes(':')).map((tag) => {
    const colon = tag.indexOf(':');
    return {model, key: tag.slice(0, colon), argument: tag.slice(colon + 1)};
  }));
  const withKey = (key) => tagged.filter((entry) => entry.key === key);

  return {
    show(data, {values, texts}) {
      for (const [name, columns] of Object.entries(data ?? {})) sources.get(name)?.setv({data: columns}, UNSENT);
      for (const {model, argument} of withKey('at')) {
        model.setv({[model.type === 'Span' ? 'location' : 'x']: values[argument]}, UNSENT);
      }
      for (const {model, argument} of withKey('says')) {
        model.setv({text: fill(argument, (name) => texts[`q.${name}`])}, UNSENT);
      }
    },
    // What the reader said, by quantity.
    predict(place) {
      const source = sources.get('prediction');
      const names = Object.keys(source?.data ?? {});
      const complete = names.every((name) => name in place);
      source?.setv({data: Object.fromEntries(names.map((name) => [name, complete ? [place[name]] : []]))}, UNSENT);
      for (const {model, argument} of withKey('guess')) {
        model.setv({location: place[argument] ?? null, visible: argument in place}, UNSENT);
      }
    },
  };
}
