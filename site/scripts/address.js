// The page's state in its address: every input by name, and the engine's version.
// A drag rewrites one entry of the browser's history; the next gesture adds one. Writes are spaced out because browsers
// refuse more than a few a second.

import {readValue} from './values.js';

const SPACING_MS = 300;
// What else than inputs an address may set, and to what.
const SETTINGS = {python: ['eager', 'idle', 'demand'], theme: ['light', 'dark']};

export function readAddress(spec, search) {
  const query = new URLSearchParams(search);
  const inputs = {};
  const notices = [];
  for (const input of spec.inputs) {
    const texts = query.getAll(input.name);
    if (texts.length > 0) inputs[input.name] = readValue(input, texts[0]);
    if (texts.length > 1) notices.push(`The address gives ${input.name} more than once; ${texts[0]} is used.`);
  }
  for (const [name, words] of Object.entries(SETTINGS)) {
    const word = query.get(name);
    if (word !== null && !words.includes(word)) {
      notices.push(`The address has ${name}=“${word}”, which is not one of: ${words.join(', ')}; it is left out.`);
    }
  }
  const known = new Set(['v', 'embed', ...Object.keys(SETTINGS), ...spec.inputs.map(({name}) => name)]);
  for (const name of new Set(query.keys())) {
    if (!known.has(name)) notices.push(`The address has “${name}”, which is not an input of this lab; it is left out.`);
  }
  const version = query.get('v');
  if (version !== null && version !== spec.version) {
    notices.push(`This address was made with version ${version} of the engine; this page has ${spec.version}. ` +
      'Numbers may differ from those that were shared.');
  }
  return {inputs, notices, embedded: query.has('embed')};
}

export function addressOf(spec, inputs, embedded) {
  const query = new URLSearchParams();
  for (const {name} of spec.inputs) query.set(name, String(inputs[name]));
  query.set('v', spec.version);
  if (embedded) query.set('embed', '1');
  const here = new URL(location.href);
  here.search = query;
  here.hash = '';
  return here.href;
}

export function createAddress(spec, onReturn, signal) {
  const {embedded} = readAddress(spec, location.search);
  // In a frame, entries of our own would stand between the reader and the course page's back button.
  const mayPush = window.top === window;
  let lastGesture = 0;
  let waiting = null;
  let timer = 0;

  function flush() {
    clearTimeout(timer);
    timer = 0;
    if (waiting) enter('replaceState', waiting);
    waiting = null;
  }

  function enter(method, address) {
    try {
      history[method](null, '', address);
    } catch {
      // The browser refuses too many entries, or any in a sandboxed frame; the link buttons do not depend on it.
    }
  }

  window.addEventListener('popstate', () => {
    clearTimeout(timer);
    timer = 0;
    waiting = null;
    lastGesture = 0;
    onReturn(readAddress(spec, location.search));
  }, {signal});
  window.addEventListener('pagehide', flush, {signal});

  return function write(inputs, gesture) {
    const address = addressOf(spec, inputs, embedded);
    if (mayPush && gesture !== lastGesture) {
      flush();
      enter('pushState', address);
    } else {
      waiting = address;
      timer ||= setTimeout(flush, SPACING_MS);
    }
    lastGesture = gesture;
  };
}
