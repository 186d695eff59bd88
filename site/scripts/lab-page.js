// Starts a lab's page on the site: the figure first, then Python in a worker, so that starting does not delay the figure.

import {embedFigure} from './figure.js';
import {mount, readSpec} from './main.js';
import {preparePage} from './page.js';
import {createStatus} from './status.js';
import {workerLink} from './workerlink.js';

const PAINT_MS = 1000;

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

async function start() {
  const status = createStatus(document);
  reportErrors(status.pageError);
  const spec = readSpec(document);
  const source = workerLink(new URL(spec.assets.worker, document.baseURI).href);
  const theme = preparePage(() => lab.forget());
  const lab = mount(document, source, {
    spec,
    status,
    theme,
    obtainView: (holder) => embedFigure(spec.figure, holder),
    onPage: true,
  });
  Object.defineProperty(window, 'ridgepoint', {value: Object.freeze(lab.facts)});
  await lab.figure.draw();
  await painted();
  source.start();
}

start();
