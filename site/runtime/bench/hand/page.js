// Sliders, headline and figure together.

const inputs = Object.fromEntries(Object.entries(INPUTS).map(([name, {start}]) => [name, start]));

function showHeadline() {
  for (const [name, [value, text]] of Object.entries(headlineOf(inputs))) {
    const place = document.querySelector(`[data-output="${name}"]`);
    place.textContent = text;
    place.dataset.value = value;
  }
}

for (const [name, {stops, start}] of Object.entries(INPUTS)) {
  const [shown, slider] = document.querySelectorAll(`[data-input="${name}"] > *`);
  slider.max = stops.length - 1;
  slider.value = stops.indexOf(start);
  shown.textContent = start;
  slider.addEventListener('input', () => {
    inputs[name] = stops[slider.value];
    shown.textContent = inputs[name];
    showHeadline();
    figure.show(dataOf(inputs));
  });
}

showHeadline();
const figure = createFigure(dataOf(inputs));
const {Document} = Bokeh.require('document');
const shownDocument = new Document();
shownDocument.add_root(figure.root);
Bokeh.documents.push(shownDocument);
Bokeh.embed.add_document_standalone(shownDocument, document.querySelector('[data-figure]'));
