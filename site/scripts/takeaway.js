// What a reader takes along: copies, downloads, link, embed code, print. Texts and tables come from the model's export,
// so that there is one text and not a second one made here.

import {addressOf} from './address.js';
import {copy} from './clipboard.js';

const NOTICE_MS = 4000;

// In a frame that is closed off the browser may drop a download or a print without a word.
const isClosedOff = () => window.origin === 'null';
const saved = (what, name) => (isClosedOff()
  ? `If ${name} was not saved: the page around this frame must grant it allow-downloads.`
  : `Saved ${what} as ${name}.`);

function download(blob, name) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), NOTICE_MS);
}

function frameCode(address, title) {
  const frame = document.createElement('iframe');
  frame.src = address;
  frame.title = title;
  frame.allow = 'clipboard-write';
  frame.width = '100%';
  frame.height = '900';
  frame.loading = 'lazy';
  return frame.outerHTML;
}

// Two lines for a page: the script, and the place of the lab. Where scripts are off the place holds a link.
function scriptCode(spec, inputs, title) {
  const script = document.createElement('script');
  script.src = new URL(spec.assets.embed, document.baseURI).href;
  script.setAttribute('async', '');
  const place = document.createElement('div');
  place.dataset.lab = spec.slug;
  for (const {name} of spec.inputs) place.setAttribute(`data-${name.replaceAll('_', '-')}`, inputs[name]);
  place.dataset.v = spec.version;
  const link = document.createElement('a');
  link.href = addressOf(spec, inputs, false);
  link.textContent = title;
  place.append(link);
  return `${script.outerHTML}\n${place.outerHTML}`;
}

export function createTakeaway(root, spec, {exported, figure, currentInputs}) {
  const place = root.querySelector('[data-notice]');
  let timer = 0;

  function say(text) {
    if (!place) return;
    place.textContent = text;
    clearTimeout(timer);
    timer = setTimeout(() => {
      place.textContent = '';
    }, NOTICE_MS);
  }

  // Each action ends in a word about what happened.
  const told = (action) => async () => {
    try {
      say(await action());
    } catch (error) {
      say(`That did not work: ${error.message}.`);
    }
  };
  const copied = async (text, what) => (await copy(text) ? `Copied ${what}.` : '');
  const picture = (kind) => told(async () => {
    download(await figure.picture(kind), `${spec.slug}.${kind}`);
    return saved('the figure', `${spec.slug}.${kind}`);
  });
  const text = (what, words) => told(async () => copied(await exported(what), words));

  return {
    'copy-text': text('text', 'the calculation'),
    'copy-markdown': text('markdown', 'the calculation as Markdown'),
    'copy-link': told(() => copied(addressOf(spec, currentInputs(), false), 'the link')),
    'copy-embed': told(() => copied(frameCode(addressOf(spec, currentInputs(), true), document.title), 'the embed code')),
    'copy-embed-script': told(() => copied(scriptCode(spec, currentInputs(), document.title), 'the embed code')),
    png: picture('png'),
    svg: picture('svg'),
    csv: told(async () => {
      const table = await exported('csv');
      download(new Blob([table], {type: 'text/csv'}), `${spec.slug}.csv`);
      return saved('the data', `${spec.slug}.csv`);
    }),
    print() {
      window.print();
      if (isClosedOff()) say('If nothing was printed: the page around this frame must grant it allow-modals.');
    },
  };
}
