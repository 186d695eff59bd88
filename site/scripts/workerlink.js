// A source of states: Python in a worker. Every way in which it can fail to start ends in a message.

const STALLED_MS = 60_000;

// `name` is the lab's slug: an address would not do, since a cached script answers with the address it was first kept under.
export function workerLink(address, name) {
  let worker = null;
  let listener = () => {};
  let stalled = 0;

  function fail(text) {
    clearTimeout(stalled);
    listener({type: 'error', text});
  }

  function expectSign() {
    clearTimeout(stalled);
    stalled = setTimeout(() => listener({type: 'stalled'}), STALLED_MS);
  }

  function received({data}) {
    if (data.type === 'progress') expectSign();
    else clearTimeout(stalled);
    listener(data);
  }

  function start() {
    if (window.origin === 'null') {
      fail('A frame that is closed off may not run Python: the page around it must grant it allow-same-origin.');
      return;
    }
    expectSign();
    try {
      worker = new Worker(address, {name});
    } catch (error) {
      fail(`The model could not start: this page may not run a worker here (${error.message}).`);
      return;
    }
    worker.onmessage = received;
    worker.onmessageerror = () => fail('The model sent something that this browser cannot read.');
    worker.onerror = (event) => {
      event.preventDefault();
      fail(`The model could not start: ${event.message ?? 'a part of it could not be loaded'}.`);
    };
  }

  function stop() {
    clearTimeout(stalled);
    worker?.terminate();
    worker = null;
  }

  return {
    start,
    stop,
    restart() {
      stop();
      start();
    },
    send: (message) => worker.postMessage(message),
    listen(callback) {
      listener = callback;
    },
  };
}
