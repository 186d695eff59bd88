// A source of states: the lab's formulas as JavaScript, which answers at once.

import {createExports} from './exports.js';

export function readingLink(reading) {
  const exported = createExports(reading);
  let listener = () => {};
  let inputs = reading.defaults;

  const answers = {
    set({rev, inputs: asked, pinned, fallback}) {
      const {inputs: settled, errors} = reading.settle(asked, fallback === 'default' ? reading.defaults : inputs);
      inputs = settled;
      const held = pinned && reading.settle(pinned, reading.defaults).inputs;
      const state = {...reading.build(inputs, held), errors};
      return {type: 'state', rev, state, data: reading.sources(inputs, held)};
    },
    judge: ({rev, id, answer, inputs: at}) => ({type: 'judged', rev, id, ...reading.judge(id, answer, at)}),
    export: ({rev, what}) => ({type: 'exported', rev, what, text: exported[what](inputs)}),
  };
  const start = () => listener({type: 'ready', version: reading.lab.version});
  return {
    start,
    restart: start,
    stop() {},
    send: (message) => listener(answers[message.type](message)),
    listen(callback) {
      listener = callback;
    },
  };
}
