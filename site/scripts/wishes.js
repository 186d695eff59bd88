// What the page wants from the model, in order. One `set` is under way at a time and only the newest wish waits behind
// it; wishes made before the model runs are kept. Questions (judge, export) are asked once the newest wish is answered.
// A source of states is any {start, restart, send, listen} with the same messages; it may answer at once.

const PATIENCE_MS = 30_000;

export function createWishes(source, {onReady, onState, onFailure, onStalled, onPending}) {
  let ready = false;
  let lastRev = 0;
  let shownRev = 0;
  let newest = null;
  let underway = null;
  let patience = 0;
  const questions = new Map();

  const isPending = () => newest !== null || underway !== null;

  function pump() {
    if (ready && !underway && newest) {
      underway = newest;
      newest = null;
      patience = setTimeout(() => onFailure('The model has not answered for half a minute.'), PATIENCE_MS);
      source.send({type: 'set', ...underway});
    } else if (ready && !underway) {
      for (const question of questions.values()) {
        if (question.sent) continue;
        question.sent = true;
        source.send(question.message);
      }
    }
  }

  function settle() {
    clearTimeout(patience);
    underway = null;
  }

  const handlers = {
    ready(message) {
      ready = onReady(message);
      pump();
    },
    state(message) {
      if (message.rev !== underway?.rev) return;
      const {inputs, fallback} = underway;
      settle();
      shownRev = message.rev;
      onState(message, {asked: inputs, fallback, isNewest: newest === null});
      onPending(isPending());
      pump();
    },
    error({rev, text}) {
      const question = questions.get(rev);
      questions.delete(rev);
      if (question) {
        question.reject(new Error(text));
      } else {
        if (rev === undefined) ready = false;
        if (rev === underway?.rev) settle();
        onFailure(text);
        onPending(isPending());
        pump();
      }
    },
    stalled: onStalled,
    judged: answer,
    exported: answer,
    panelled: answer,
  };

  function answer(message) {
    questions.get(message.rev)?.resolve(message);
    questions.delete(message.rev);
  }

  source.listen((message) => handlers[message.type]?.(message));

  return {
    // What the address asked for and has not been answered yet keeps falling back on the defaults.
    want(inputs, pinned, fallback) {
      newest = {rev: ++lastRev, inputs: {...inputs}, pinned, fallback: newest?.fallback === 'default' ? 'default' : fallback};
      onPending(true);
      pump();
    },
    ask(message) {
      const rev = ++lastRev;
      return new Promise((resolve, reject) => {
        questions.set(rev, {message: {...message, rev}, resolve, reject, sent: false});
        pump();
      });
    },
    // After a failure: what was under way is wished again, unless something newer is.
    restart() {
      ready = false;
      newest ??= underway;
      settle();
      for (const question of questions.values()) question.sent = false;
      source.restart();
    },
    get ready() {
      return ready;
    },
    get rev() {
      return shownRev;
    },
    get pending() {
      return isPending();
    },
  };
}
