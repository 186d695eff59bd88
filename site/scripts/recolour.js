// Gives a Bokeh figure the page's colours. Axes, grids, titles and legends are known by their type; anything else says
// by a tag "role:NAME" that its literal colours are the custom property --NAME of the page, in light and in dark.
// Nothing of this is sent to Python: colours belong to the page.

const QUIET = {sync: false};

function colourReader(holder) {
  const probe = document.createElement('span');
  probe.hidden = true;
  holder.after(probe);
  const style = getComputedStyle(probe);
  return {
    // As rgb(…), whatever notation the style sheet uses.
    read(role) {
      if (!style.getPropertyValue(`--${role}`).trim()) return null;
      probe.style.color = `var(--${role})`;
      return style.color;
    },
    close: () => probe.remove(),
  };
}

export function readColour(holder, role) {
  const colours = colourReader(holder);
  const colour = colours.read(role);
  colours.close();
  return colour;
}

function literalColours(model) {
  return Object.keys(model.attributes).filter((name) => {
    const value = model.attributes[name];
    const literal = typeof value === 'string' || typeof value?.value === 'string';
    return name.endsWith('_color') && literal;
  });
}

function paint(model, names, colour) {
  if (colour && names.length > 0) model.setv(Object.fromEntries(names.map((name) => [name, colour])), QUIET);
}

const clear = (model, names) => model.setv(Object.fromEntries(names.map((name) => [name, null])), QUIET);

export function recolour(root, holder) {
  const colours = colourReader(holder);
  const ink = colours.read('ink');
  const grid = colours.read('grid');
  for (const model of root.references()) {
    const role = model.tags?.find((tag) => typeof tag === 'string' && tag.startsWith('role:'))?.slice('role:'.length);
    if (role) {
      paint(model, literalColours(model), colours.read(role));
    } else if (/^(Figure|Plot)$/.test(model.type)) {
      clear(model, ['background_fill_color', 'border_fill_color']);
      paint(model, literalColours(model), grid);
    } else if (model.type === 'Legend') {
      clear(model, ['background_fill_color', 'border_line_color']);
      paint(model, ['label_text_color', 'title_text_color'], ink);
    } else if (/Axis$|^Title$/.test(model.type)) {
      paint(model, literalColours(model), ink);
    } else if (model.type === 'Grid') {
      paint(model, literalColours(model), grid);
    }
  }
  colours.close();
}
