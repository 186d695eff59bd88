// The figure, once its Bokeh view exists: patches, colours, pictures. Without a view (BokehJS missing or failing) the
// page says so where the figure would be, and everything else goes on.

import {createMarks} from './marks.js';
import {readColour, recolour} from './recolour.js';

const FAILED = 'The figure could not be drawn here. The numbers and the table of the figure still follow the inputs.';

// Draws the prerendered document into its place; what stood there (a picture made at build time) goes when it is done.
export async function embedFigure({docs_json: docsJson, root_id: rootId}, holder) {
  const before = [...holder.childNodes];
  const docid = Object.keys(docsJson)[0];
  const item = {docid, root_ids: [rootId], roots: {[rootId]: holder}};
  const [views] = await window.Bokeh.embed.embed_items(docsJson, [item]);
  before.forEach((node) => node.remove());
  return views.roots[0];
}

// BokehJS makes its plots stops of the keyboard, without a name and with nothing to do there.
function leaveTabOrder(element) {
  for (const child of element.querySelectorAll('*')) {
    if (child.classList.contains('bk-events')) child.tabIndex = -1;
    if (child.shadowRoot) leaveTabOrder(child.shadowRoot);
  }
}

// `first` is the state of the picture that stands in the holder until the view is there.
export function createFigure(holder, obtainView, theme, first) {
  let view = null;
  let marks = null;
  let latest = null;
  const colour = () => view && recolour(view.model, holder);

  function say(text) {
    const words = document.createElement('p');
    words.className = 'figure-failed';
    words.textContent = text;
    holder.append(words);
  }

  async function png() {
    const {canvas} = view.export('png');
    const picture = document.createElement('canvas');
    [picture.width, picture.height] = [canvas.width, canvas.height];
    const context = picture.getContext('2d');
    context.fillStyle = readColour(holder, 'paper') ?? 'white';
    context.fillRect(0, 0, picture.width, picture.height);
    context.drawImage(canvas, 0, 0);
    return new Promise((resolve) => picture.toBlob(resolve, 'image/png'));
  }

  function svg() {
    const layer = view.export('svg');
    const paper = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    const attributes = {width: '100%', height: '100%', fill: readColour(holder, 'paper') ?? 'white'};
    for (const [name, value] of Object.entries(attributes)) paper.setAttribute(name, value);
    layer.canvas.prepend(paper);
    return layer.to_blob();
  }

  theme.onChange(colour);
  return {
    async draw() {
      try {
        view = await obtainView(holder);
        marks = createMarks(view.model);
        if (latest) marks.show(...latest);
        leaveTabOrder(holder);
        holder.removeAttribute('data-behind');
        colour();
      } catch (error) {
        console.error(error);
        say(FAILED);
      }
    },
    // Python's changes to its figure.
    apply(patch, buffers) {
      if (view && patch) view.model.document.apply_json_patch(patch, new Map(buffers ?? []));
    },
    // The data of the page's own formulas (null where Python sends changes), and the places and words of a state.
    show(data, state) {
      latest = [data, state];
      marks?.show(data, state);
      holder.toggleAttribute('data-behind', !marks && state.texts.command !== first.texts.command);
    },
    predict: (place) => marks?.predict(place),
    async picture(kind) {
      if (!view) throw new Error('there is no figure on this page');
      return kind === 'png' ? png() : svg();
    },
    get drawn() {
      return view !== null;
    },
  };
}
