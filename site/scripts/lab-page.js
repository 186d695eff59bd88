// Starts a lab's page on the site. Where the lab came as JavaScript, the page answers by itself from the first moment, and
// Python checks it when it may; else Python answers, started after the figure is drawn so that it does not delay it.

import {onActions} from './actions.js';
import {tellerFor} from './embedded.js';
import {embedFigure} from './figure.js';
import {mount, readSpec} from './main.js';
import {keepForOffline} from './offline.js';
import {createOwnership} from './ownership.js';
import {preparePage} from './page.js';
import {mayStartUnasked, startMode, startPython} from './pythonstart.js';
import {createReading} from './reading.js';
import {readingLink} from './readinglink.js';
import {createStatus} from './status.js';
import {workerLink} from './workerlink.js';

const PAINT_MS = 1000;
const CHECKING = 'Python is starting, to check these numbers.';
const CHECKED = 'Python has checked these numbers.';
const UNCHECKED = 'Python could not start, so nothing checks these numbers here; the page goes on by itself. ';
const TAKEOVER = 'Python and this page\'s own arithmetic do not agree, and Python answers now. Please report it. ';

// After the next paint; a page in the background paints nothing and goes on all the same.
const painted = () => new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(resolve));
  setTimeout(resolve, PAINT_MS);
});

// Observers of sizes report an unfinished round as an error of the window; it means nothing to a reader.
const isNoise = (text) => text.startsWith('ResizeObserver loop');

function reportErrors(report) {
  window.addEventListener('error', ({message}) => message && !isNoise(message) && report(message));
  window.addEventListener('unhandledrejection', ({reason}) => report(reason?.message ?? String(reason)));
}

// BokehJS loads beside this script, so that the page need not wait for it.
function bokehLoaded() {
  const script = document.querySelector('script[data-bokeh]');
  if (window.Bokeh || !script) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const failed = () => reject(new Error('BokehJS could not be loaded'));
    script.addEventListener('load', resolve);
    script.addEventListener('error', failed);
    // It may have failed before anybody listened; when the page has loaded, it is there or never will be.
    window.addEventListener('load', () => window.Bokeh || failed());
    if (document.readyState === 'complete') failed();
  });
}

async function obtainView(spec, holder) {
  await bokehLoaded();
  return embedFigure(spec.figure, holder);
}

function ownedSource(python, spec, status, {onTakeover, onNeeded}) {
  const reading = createReading(globalThis.ridgepointLab);
  return createOwnership(readingLink(reading), python, reading, {
    onPython(kind, text) {
      if (kind === 'starting') status.note(CHECKING, true);
      if (kind === 'failed') status.note(UNCHECKED + text.trim().split('\n').at(-1), true);
    },
    onChecked() {
      status.note(CHECKED, false);
      keepForOffline(spec.assets.python.map((name) => new URL(name, document.baseURI).href));
    },
    onTakeover(text) {
      onTakeover();
      status.note(TAKEOVER + text, true);
    },
    onNeeded,
  });
}

async function start() {
  const status = createStatus(document);
  reportErrors(status.pageError);
  const spec = readSpec(document);
  const python = workerLink(new URL(spec.assets.worker, document.baseURI).href, spec.slug);
  const owns = globalThis.ridgepointLab?.slug === spec.slug;
  let needPython = () => {};
  const hooks = {onTakeover: () => lab.ask(), onNeeded: () => needPython()};
  const source = owns ? ownedSource(python, spec, status, hooks) : python;
  const theme = preparePage(() => lab.forget());
  const lab = mount(document, source, {
    spec,
    status,
    theme,
    obtainView: (holder) => obtainView(spec, holder),
    onPage: true,
    teller: tellerFor(spec),
  });
  Object.defineProperty(window, 'ridgepoint', {value: Object.freeze(lab.facts)});
  if (owns) {
    source.start();
    const asked = new URLSearchParams(location.search).get('python') ?? document.documentElement.dataset.python;
    needPython = startPython(startMode(asked), source.startPython);
    onActions(document, {'check-python': needPython}, new AbortController().signal);
  }
  await lab.figure.draw();
  await painted();
  if (!owns) source.start();
  // A simulator is at hand sooner when nobody has to ask for it first.
  else if (document.querySelector('[data-panel]') && mayStartUnasked()) needPython();
  keepForOffline();
}

start();
