// When Python starts on a page that is alive without it: at once ("eager"), after the reader's first action when the
// browser is idle ("idle"), or only when something needs it ("demand").

const MODES = ['eager', 'idle', 'demand'];
const LONGEST_WAIT_MS = 5000;

// A frame belongs to somebody else's page, which may hold many; a page of our own may spend more.
export function startMode(asked) {
  if (MODES.includes(asked)) return asked;
  return window.top === window ? 'idle' : 'demand';
}

// The reader, or the reader's contract, asked for few bytes.
function mustSave() {
  const {saveData, type, effectiveType = ''} = navigator.connection ?? {};
  return Boolean(saveData) || type === 'cellular' || effectiveType.endsWith('2g');
}

// Whether a page may fetch Python before the reader has done anything.
export const mayStartUnasked = () => window.top === window && !mustSave();

function whenIdle(action) {
  if (window.requestIdleCallback) requestIdleCallback(action, {timeout: LONGEST_WAIT_MS});
  else setTimeout(action, 500);
}

// `start` may be called more than once and must not mind; the result starts Python on demand.
export function startPython(mode, start) {
  const actions = ['pointerdown', 'keydown', 'input'];
  const listening = new AbortController();

  function begin() {
    listening.abort();
    start();
  }

  if (mode === 'eager') begin();
  if (mode === 'idle' && !mustSave()) {
    for (const action of actions) {
      document.addEventListener(action, () => whenIdle(begin), {once: true, signal: listening.signal, capture: true});
    }
  }
  return begin;
}
