// A lab in the frame of somebody's page tells that page its height, its states and the predictions made in it.
// The messages, with their fields, are described in site/pages/for-teachers.md; a change of their meaning changes PROTOCOL.

import {fitIntoFrame} from './framelook.js';

const PROTOCOL = 1;
const TELL_AFTER_MS = 500;

function post(type, fields) {
  // The frame cannot know whose page it stands in. It tells what its reader does there, and nothing else about the reader.
  window.parent.postMessage({ridgepoint: PROTOCOL, type, ...fields}, '*');
}

// The body is as tall as its content, however tall the frame is: no answer to this message can change the next one.
function tellHeight() {
  let told = 0;
  const tell = () => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (height > 0 && height !== told) post('height', {height});
    told = height;
  };
  new ResizeObserver(tell).observe(document.body);
  // An observer sleeps while the frame is out of sight, which is when its height should be known.
  tell();
}

// The page around gives the frame the height it asks for; it says so, and only it is believed.
function hideScrollBar({source, data}) {
  if (source !== window.parent || data?.ridgepoint !== PROTOCOL || data.type !== 'followed') return;
  document.documentElement.dataset.followed = '';
}

function createTeller(spec) {
  const about = {lab: spec.slug, version: spec.version};
  const outputs = [...document.querySelectorAll('.outputs [data-output]')].map(({dataset}) => dataset.output);
  let isReady = false;
  let rest = 0;
  let told = '';

  window.addEventListener('message', hideScrollBar);
  tellHeight();
  return {
    ready() {
      if (!isReady) post('ready', about);
      isReady = true;
    },
    // Told once the reader pauses.
    state({inputs, values}) {
      clearTimeout(rest);
      rest = setTimeout(() => {
        const found = Object.fromEntries(outputs.map((name) => [name, values[name] ?? null]));
        const fields = {...about, inputs, outputs: found};
        if (JSON.stringify(fields) === told) return;
        told = JSON.stringify(fields);
        post('state', fields);
      }, TELL_AFTER_MS);
    },
    prediction({id, answer, inputs, prompt, texts}) {
      post('prediction', {
        ...about,
        id,
        prompt,
        answer,
        shown: texts.yours,
        right: texts.answer,
        verdict: texts.verdict,
        mistake: texts.mistake,
        inputs,
      });
    },
  };
}

// The teller of a mounted lab (see main.js), or undefined on a page that stands for itself.
export function tellerFor(spec) {
  if (!('embed' in document.documentElement.dataset)) return undefined;
  fitIntoFrame(document);
  return window.parent === window ? undefined : createTeller(spec);
}
