// The entry for Panel: the same lab inside a Panel component, its figure a child of the component.

import {mount, readSpec} from './main.js';
import {panelLink} from './panellink.js';
import {createStatus} from './status.js';
import {createTheme} from './theme.js';

// The page that holds the component has an address and a style of its own.
const OF_THE_SITE = ['copy-link', 'copy-embed', 'copy-embed-script', 'print', 'forget', 'theme'];

export function render({model, view, data, el}) {
  el.innerHTML = model.html;
  el.querySelector('[data-figure]').replaceChildren(model.get_child('figure'));
  for (const action of OF_THE_SITE) {
    for (const button of el.querySelectorAll(`[data-action="${action}"]`)) button.hidden = true;
  }
  const leaving = new AbortController();
  const source = panelLink(model);
  const lab = mount(el, source, {
    spec: readSpec(el),
    status: createStatus(el),
    theme: createTheme(el, el, leaving.signal),
    obtainView: async () => view.get_child_view(data.figure),
    onPage: false,
  });
  model.on('remove', () => {
    leaving.abort();
    lab.leave();
  });
  lab.figure.draw();
  source.start();
}
