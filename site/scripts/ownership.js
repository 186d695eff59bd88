// Who answers the page. The formulas in JavaScript do from the first moment and own every number, word and curve. Python,
// once it runs and the reader pauses, works out the last settings again; where the two differ it takes over.

import {disagreements} from './agreement.js';

const REST_MS = 400;
const REMEMBERED = 5;

// `own` and `python` are sources of states; `reading` makes the page's own state for a setting.
export function createOwnership(own, python, reading, {onPython, onChecked, onTakeover, onNeeded}) {
  let owner = own;
  let listener = () => {};
  let running = false;
  let wanted = false;
  let checking = null;
  let pause = 0;
  let rev = 0;
  let agreed = 0;
  const unchecked = new Map();
  // What only Python can answer, whoever owns the page.
  const questions = new Map();

  const describe = ({kind, name, own: mine, other}) => `${kind} ${name} (${mine} here, ${other} in Python)`;

  function remember({inputs, pinned}) {
    const setting = {inputs: reading.settle(inputs, reading.defaults).inputs, pinned};
    const key = JSON.stringify(setting);
    unchecked.delete(key);
    unchecked.set(key, setting);
    if (unchecked.size > REMEMBERED) unchecked.delete(unchecked.keys().next().value);
  }

  // Newest first: what is on the page matters most.
  function checkNext() {
    if (owner !== own || !running || checking || unchecked.size === 0) return;
    const [key, setting] = [...unchecked].at(-1);
    unchecked.delete(key);
    checking = {rev: ++rev, ...setting};
    python.send({type: 'verify', ...checking});
  }

  function checkInAPause() {
    clearTimeout(pause);
    pause = setTimeout(checkNext, REST_MS);
  }

  function verified({state, data}) {
    const {inputs, pinned} = checking;
    checking = null;
    const mine = {...reading.build(inputs, pinned), data: reading.sources(inputs, pinned)};
    const found = disagreements(mine, {...state, data}, reading.lab.bounds);
    if (found.length > 0) {
      takeOver(found);
      return;
    }
    agreed += 1;
    onChecked(agreed);
    checkNext();
  }

  function takeOver(found) {
    console.error('Python and the page differ', found);
    owner = python;
    listener({type: 'ready', version: reading.lab.version});
    onTakeover(`${found.length === 1 ? 'One thing differs' : `${found.length} things differ`}, the first: ${describe(found[0])}.`);
  }

  function ready({slug, version}) {
    if (slug !== reading.lab.slug || version !== reading.lab.version) {
      onPython('failed', 'The Python that arrived belongs to another lab or version; reload the page to have it check.');
      return;
    }
    running = true;
    onPython('running');
    for (const {message} of questions.values()) python.send(message);
    checkNext();
  }

  // What was being checked is checked by the next Python, should the reader want one.
  function lost(text) {
    if (checking) remember(checking);
    checking = null;
    running = false;
    wanted = false;
    for (const {reject} of questions.values()) reject(new Error('Python could not start, so this part does not follow.'));
    questions.clear();
    onPython('failed', text);
  }

  function answered(message) {
    const question = questions.get(message.rev);
    questions.delete(message.rev);
    if (message.type === 'error') question.reject(new Error(message.text));
    else question.resolve(message);
  }

  function fromPython(message) {
    if (questions.has(message.rev)) answered(message);
    else if (owner === python) listener(message);
    else if (message.type === 'ready') ready(message);
    else if (message.type === 'verified') verified(message);
    else if (message.type === 'error') lost(message.text);
    else if (message.type === 'stalled') lost('It has not started after a minute.');
    else if (message.type === 'progress') onPython('starting');
  }

  // What the page shows before anything is set.
  remember({inputs: reading.defaults, pinned: null});
  own.listen((message) => owner === own && listener(message));
  python.listen(fromPython);

  return {
    start: own.start,
    // Once, and once more whenever it failed.
    startPython() {
      if (wanted) return;
      wanted = true;
      python.restart();
    },
    // Asks what only Python can answer, and starts it for that.
    askPython(message) {
      const asked = {...message, rev: `python-${++rev}`};
      const reply = new Promise((resolve, reject) => questions.set(asked.rev, {message: asked, resolve, reject}));
      if (running) python.send(asked);
      else onNeeded();
      return reply;
    },
    restart: () => owner.restart(),
    stop() {
      clearTimeout(pause);
      python.stop();
    },
    send(message) {
      if (message.type === 'set') remember(message);
      owner.send(message);
      checkInAPause();
    },
    listen(callback) {
      listener = callback;
    },
    get facts() {
      return {owner: owner === own ? 'javascript' : 'python', running, agreed, unchecked: unchecked.size};
    },
  };
}
