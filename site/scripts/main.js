// Mounts one lab: controls and address make wishes, a source answers with states, states fill the page.

import {onActions, setAvailable} from './actions.js';
import {addressOf, createAddress, readAddress} from './address.js';
import {createAnnouncer} from './announce.js';
import {createControls} from './controls.js';
import {followUse} from './docking.js';
import {createFigure} from './figure.js';
import {createGestures} from './gestures.js';
import {createNotices} from './notices.js';
import {createPanel} from './panel-view.js';
import {createPredictions} from './predictions.js';
import {createPresets} from './presets.js';
import {openForPrint} from './printing.js';
import {createSlots} from './slots.js';
import {createTakeaway} from './takeaway.js';
import {createUndo} from './undo.js';
import {isValue} from './values.js';
import {createWishes} from './wishes.js';

export function readSpec(root) {
  const element = root.querySelector('#lab-spec');
  return element && JSON.parse(element.textContent);
}

const NOBODY = {ready() {}, state() {}, prediction() {}};

// `onPage`: the lab owns the address of the page. `obtainView(holder)` makes or finds the figure's Bokeh view. `teller`
// passes on to somebody else that the lab is ready, each state, and each prediction that the reader makes.
export function mount(root, source, {spec, status, theme, obtainView, onPage, teller = NOBODY}) {
  const leaving = new AbortController();
  const {signal} = leaving;
  const first = spec.state.inputs;
  let inputs = {...first};
  let pinned = null;
  let lastGesture = 0;
  let state = spec.state;
  // The values that the shown state refused, by input: they stay in their boxes for the reader to mend.
  let refused = {};
  // What was wrong in the address: the value in use is already a good one, the words stay until the input is set anew.
  let addressErrors = {};

  const announce = createAnnouncer(root);
  const notify = createNotices(root);
  const fill = createSlots(root);
  const gestureOf = createGestures();
  const undo = createUndo(first);
  const figure = createFigure(root.querySelector('[data-figure]'), obtainView, theme, spec.state);
  const controls = createControls(root, spec, (name, value, settled) => change({[name]: value}, name, settled), signal);
  const showPresets = createPresets(root, spec, (values) => change(values, null, true), signal);
  const writeAddress = onPage ? createAddress(spec, returned, signal) : () => {};
  const wishes = createWishes(source, {
    onReady: ready,
    onState: arrived,
    onFailure: status.failed,
    onStalled: status.stalled,
    onPending: showPending,
  });
  status.onRetry(wishes.restart);
  const takeaway = createTakeaway(root, spec, {
    exported: async (what) => (await wishes.ask({type: 'export', what})).text,
    figure,
    currentInputs: goodInputs,
  });
  const predictions = createPredictions(root, spec, {
    judge,
    currentInputs: goodInputs,
    refill: () => fill(state),
    announce,
    onMade: teller.prediction,
    signal,
  });

  function isRefused(name) {
    return name in refused && refused[name] === inputs[name];
  }

  const panel = createPanel(root, {
    ask: source.askPython ?? wishes.ask,
    inputs: goodInputs,
    act: (name, value) => change({[name]: value}, null, true),
    showErrors: (errors) => controls.showErrors({...addressErrors, ...errors}),
    signal,
  });

  // The inputs as set, with the last good value where what was set is known not to be one.
  function goodInputs() {
    const good = {...inputs};
    for (const input of spec.inputs) {
      const {name, kind} = input;
      const notANumber = kind === 'number' && !isValue(input, inputs[name]);
      if (notANumber || isRefused(name)) good[name] = state.inputs[name];
    }
    return good;
  }

  async function judge(id, answer, at) {
    const reply = await wishes.ask({type: 'judge', id, answer, inputs: at});
    if (reply.place) figure.predict(reply.place);
    // Python puts its mark on the figure with the next state; and the question may have been about earlier inputs.
    else wish('last');
    return reply;
  }

  function wish(fallback) {
    wishes.want(inputs, pinned, fallback);
  }

  function showInputs() {
    controls.show(inputs);
    controls.describe(inputs, state);
    const standing = Object.entries(state.errors).filter(([name]) => isRefused(name));
    controls.showErrors({...addressErrors, ...Object.fromEntries(standing)});
    showPresets(inputs);
    setAvailable(root, {undo: undo.canUndo, redo: undo.canRedo});
    const address = onPage ? addressOf(spec, goodInputs(), false) : '';
    for (const place of root.querySelectorAll('[data-address]')) {
      if (place.localName === 'a') place.href = address;
      else place.textContent = address;
    }
  }

  function change(values, name, settled) {
    const next = {...inputs, ...values};
    const gesture = gestureOf(name, settled);
    // The end of a drag, or Enter on an unchanged box: nothing to undo, and no new entry in the history.
    if (Object.keys(next).every((key) => next[key] === inputs[key])) {
      showInputs();
      return;
    }
    undo.record(next, gesture);
    move(next, gesture);
  }

  function move(next, gesture) {
    for (const name of Object.keys(next)) if (next[name] !== inputs[name]) delete addressErrors[name];
    inputs = next;
    lastGesture = gesture;
    writeAddress(goodInputs(), gesture);
    wish('last');
    showInputs();
  }

  function returned({inputs: given, notices}) {
    notify(notices);
    addressErrors = {};
    inputs = {...first, ...given};
    undo.record(inputs, gestureOf(null, true));
    wish('default');
    showInputs();
  }

  function ready({root_id: rootId, version}) {
    const other = (rootId !== undefined && rootId !== spec.figure.root_id) || (version ?? spec.version) !== spec.version;
    if (other) {
      status.failed('The model that arrived belongs to another version of this page; reload the page.');
    } else {
      status.ready();
      teller.ready();
    }
    return !other;
  }

  function arrived({state: next, data, patch, buffers}, {asked, fallback, isNewest}) {
    if (next.texts.summary !== state.texts.summary) announce(next.texts.summary);
    state = next;
    refused = Object.fromEntries(Object.keys(state.errors).map((name) => [name, asked[name]]));
    status.ready();
    figure.apply(patch, buffers);
    figure.show(data, state);
    fill(state);
    predictions.follow();
    if (isNewest) {
      if (fallback === 'default') {
        addressErrors = state.errors;
        inputs = {...inputs, ...state.inputs};
      } else if (Object.keys(refused).length > 0) {
        // A link must not hold what was refused.
        writeAddress(goodInputs(), lastGesture);
      }
      showInputs();
      panel.follow();
      teller.state(state);
    }
  }

  function showPending(pending) {
    root.querySelector('[data-results]')?.toggleAttribute('data-behind', pending);
    if (pending) status.behind();
  }

  onActions(root, {
    ...takeaway,
    undo: () => move(undo.undo(), gestureOf(null, true)),
    redo: () => move(undo.redo(), gestureOf(null, true)),
    reset: () => change(first, null, true),
    pin() {
      pinned = goodInputs();
      wish('last');
    },
    unpin() {
      pinned = null;
      wish('last');
      root.querySelector('[data-action="pin"]')?.focus();
    },
    'skip-prediction': predictions.skip,
    'predict-again': predictions.again,
  }, signal);
  followUse(root, signal);
  openForPrint(root, theme, signal);

  const early = controls.touched();
  if (onPage) {
    const {inputs: given, notices} = readAddress(spec, location.search);
    notify(notices);
    inputs = {...inputs, ...given};
    if (Object.keys(given).length > 0) wish('default');
  }
  if (Object.keys(early).length > 0) change(early, null, true);
  showInputs();

  return {
    figure,
    forget: () => predictions.forget(),
    // Somebody else answers from now on: ask for what is on the page.
    ask: () => wish('last'),
    leave() {
      leaving.abort();
      source.stop();
    },
    facts: {
      get source() {
        return source.facts ?? {owner: 'python'};
      },
      get ready() {
        return wishes.ready;
      },
      get pending() {
        return wishes.pending;
      },
      get rev() {
        return wishes.rev;
      },
      get state() {
        return state;
      },
      get drawn() {
        return figure.drawn;
      },
    },
  };
}
