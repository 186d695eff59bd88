// The simulator's part of a page: Python works it out from the inputs; what the reader does to it is added to a text
// input, so that undo, the address and the command line hold it.

const WAITING_FOR_PYTHON = 'Python is starting; what you did is kept.';
const REST_BEFORE_ASKING_MS = 120;

// `ask` sends a question to Python and answers with its reply; `act` sets an input.
export function createPanel(root, {ask, inputs, act, showErrors, signal}) {
  const place = root.querySelector('[data-panel]');
  const status = root.querySelector('[data-panel-status]');
  let shown = '';
  let asked = 0;
  let pause = 0;
  if (!place) return {follow() {}};

  // The reader's place is kept: what was acted on is there again, or else the panel itself.
  function replace(html) {
    const focus = place.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    place.innerHTML = html;
    if (focus === null) return;
    const again = focus && place.querySelector(`[data-key="${CSS.escape(focus)}"]`);
    (again || place.querySelector('[data-act]'))?.focus();
  }

  async function follow() {
    const wanted = JSON.stringify(inputs());
    if (wanted === shown) return;
    shown = wanted;
    const mine = ++asked;
    status.textContent = WAITING_FOR_PYTHON;
    try {
      const {html, errors} = await ask({type: 'panel', inputs: JSON.parse(wanted)});
      if (mine !== asked) return;
      status.textContent = '';
      showErrors(errors);
      replace(html);
    } catch (error) {
      if (mine === asked) status.textContent = error.message.trim().split('\n').at(-1);
    }
  }

  place.addEventListener('click', (event) => {
    const target = event.target.closest('[data-act]');
    if (!target) return;
    const name = target.closest('[data-acts-on]').dataset.actsOn;
    const before = inputs()[name];
    act(name, target.dataset.act === 'reset' ? '' : [before, target.dataset.act].filter(Boolean).join(','));
  }, {signal});

  shown = JSON.stringify(inputs());
  return {
    // Once the reader pauses: a drag passes over many settings.
    follow() {
      clearTimeout(pause);
      pause = setTimeout(follow, REST_BEFORE_ASKING_MS);
    },
  };
}
