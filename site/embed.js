// Labs in other people's pages: <script src="…/embed.js" async></script> once, and <div data-lab="batch-step"
// data-batch="32"></div> wherever a lab should stand. Documented at for-teachers/ on the site.
// The build puts LABS before this text (by name: title, question, and the size of its picture where the lab is there) and a function
// around it, so that nothing of it gets into the page's own names.
/* global LABS */

const PROTOCOL = 1;
const EVENTS = ['ready', 'state', 'prediction'];
const OPTIONS = ['data-lab', 'data-load', 'data-python', 'data-sandbox', 'data-theme'];
// Until the frame has told its own height, and where it cannot.
const HEIGHT = 900;
const HIGHEST = 30_000;
const NEAR = '500px 0px';
const SITE = new URL('./', document.currentScript.src);

const STYLES = `
  :host { display: block; }
  .stage, .absent { border: 1px solid color-mix(in srgb, currentColor 30%, transparent); border-radius: 4px; }
  .stage { position: relative; }
  .stage:has(> .waiting) { overflow: clip; }
  .poster { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr)); align-items: center; }
  .poster img { display: block; inline-size: 100%; block-size: auto; border-radius: 3px; }
  .words { display: grid; gap: 0.75rem; padding: 1.25rem; justify-items: start; }
  p { margin: 0; }
  .title { font-weight: bold; }
  .setting { font-size: 0.875em; opacity: 0.8; }
  .absent { padding: 1rem 1.25rem; }
  button { font: inherit; color: inherit; background: none; border: 1.5px solid currentColor; border-radius: 4px; padding: 0.375rem 1rem; cursor: pointer; }
  button:hover { background: color-mix(in srgb, currentColor 12%, transparent); }
  button:disabled { opacity: 0.6; cursor: default; }
  a { color: inherit; }
  iframe { display: block; inline-size: 100%; block-size: ${HEIGHT}px; border: 0; border-radius: inherit; }
  iframe.waiting { position: absolute; inset: 0; visibility: hidden; }
`;

function element(name, attributes, ...content) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...content);
  return made;
}

const link = (address, words) => element('a', {href: address, target: '_blank', rel: 'noopener'}, words);

// Every attribute that is no option is an input of the lab, which itself says so where it knows none of that name.
function inputsOf(place) {
  const query = new URLSearchParams();
  for (const {name, value} of place.attributes) {
    if (name.startsWith('data-') && !OPTIONS.includes(name)) query.append(name.slice(5).replaceAll('-', '_'), value);
  }
  return query;
}

// The page's own colours: light where it says nothing, the reader's choice where it offers both.
function themeOf(place) {
  if (place.dataset.theme) return place.dataset.theme;
  const scheme = getComputedStyle(place).colorScheme;
  const [light, dark] = ['light', 'dark'].map((word) => scheme.split(' ').includes(word));
  if (light && dark) return null;
  return dark ? 'dark' : 'light';
}

function labAddress(place, extras) {
  const address = new URL(`labs/${place.dataset.lab}/`, SITE);
  const query = inputsOf(place);
  for (const [key, value] of Object.entries(extras)) if (value) query.set(key, value);
  address.search = query;
  return address.href;
}

function createFrame(place, title) {
  const extras = {embed: '1', python: place.dataset.python, theme: themeOf(place)};
  const frame = element('iframe', {title: `Ridgepoint: ${title}`, allow: 'clipboard-write', class: 'waiting'});
  const {sandbox} = place.dataset;
  if (sandbox !== undefined) frame.setAttribute('sandbox', sandbox);
  frame.src = labAddress(place, extras);
  const closedOff = sandbox !== undefined && !sandbox.split(/\s+/).includes('allow-same-origin');
  return {frame, origin: closedOff ? 'null' : SITE.origin};
}

function createPoster(place, {title, question, poster: size}) {
  const start = element('button', {type: 'button'}, 'Start the lab here');
  const picture = element('img', {
    src: new URL(`labs/${place.dataset.lab}/poster.svg`, SITE).href, alt: '', ...size, loading: 'lazy',
  });
  const theme = themeOf(place);
  if (theme) picture.style.colorScheme = theme;
  const poster = element('div', {class: 'poster'}, picture, element('div', {class: 'words'},
    element('p', {class: 'title'}, title),
    element('p', {}, question),
    start,
    element('p', {class: 'setting'}, 'The picture shows the default setting. ', link(labAddress(place, {}), 'Open in Ridgepoint')),
  ));
  return {poster, start};
}

function whenNear(place, action) {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some(({isIntersecting}) => isIntersecting)) return;
    observer.disconnect();
    action();
  }, {rootMargin: NEAR});
  observer.observe(place);
}

// Messages count only from the very frame, and from the origin that it has.
function listen(place, {frame, origin}, handlers) {
  window.addEventListener('message', ({source, origin: from, data}) => {
    if (!frame.contentWindow || source !== frame.contentWindow || from !== origin || data?.ridgepoint !== PROTOCOL) return;
    handlers[data.type]?.(data);
    if (!EVENTS.includes(data.type)) return;
    const {ridgepoint, type, ...detail} = data;
    place.dispatchEvent(new CustomEvent(`ridgepoint:${type}`, {detail, bubbles: true}));
  });
}

function open(place, {poster, start}, {title}) {
  const made = createFrame(place, title);
  const {frame, origin} = made;
  let followed = false;
  let focus = false;

  function follow({height}) {
    if (!(height > 0 && height <= HIGHEST)) return;
    frame.style.blockSize = `${Math.ceil(height)}px`;
    if (followed) return;
    followed = true;
    // The frame needs no scroll bar from now on: one that came and went would change the width of what it measures.
    frame.contentWindow.postMessage({ridgepoint: PROTOCOL, type: 'followed'}, origin === 'null' ? '*' : origin);
  }

  // What the frame shows before it is ready is hidden behind the poster; whatever happens to it, it is shown once loaded.
  function reveal() {
    frame.classList.remove('waiting');
    poster.remove();
    if (focus) frame.focus();
    focus = false;
  }

  listen(place, made, {height: follow, ready: reveal});
  frame.addEventListener('load', reveal);
  start.disabled = true;
  start.textContent = 'Starting…';
  poster.after(frame);
  return () => {
    focus = true;
  };
}

function fill(place) {
  const root = place.attachShadow({mode: 'open'});
  const styles = new CSSStyleSheet();
  styles.replaceSync(STYLES);
  root.adoptedStyleSheets = [styles];
  const lab = Object.hasOwn(LABS, place.dataset.lab) ? LABS[place.dataset.lab] : null;
  const labs = link(new URL('labs/', SITE).href, 'See the labs');
  if (!lab) {
    root.append(element('p', {class: 'absent'}, `Ridgepoint has no lab called “${place.dataset.lab}”. `, labs, '.'));
  } else if (!lab.poster) {
    root.append(element('p', {class: 'absent'},
      element('span', {class: 'title'}, lab.title), '. This lab is not there yet. ', labs, ' that are.'));
  } else {
    const words = createPoster(place, lab);
    root.append(element('div', {class: 'stage'}, words.poster));
    let started = null;
    const begin = () => {
      started ??= open(place, words, lab);
      return started;
    };
    words.start.addEventListener('click', () => begin()());
    if (place.dataset.load !== 'click' && !navigator.connection?.saveData) whenNear(place, begin);
  }
}

// Each of several such scripts on a page fills what is still empty.
function fillAll() {
  for (const place of document.querySelectorAll('div[data-lab]')) if (!place.shadowRoot) fill(place);
}

if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', fillAll);
else fillAll();
