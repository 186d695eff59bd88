// How a lab behaves inside somebody's page: short, without leaving it, without entries in its history, and saying what
// does not work there.

function foldAway(section) {
  const heading = section.querySelector('h2');
  const summary = document.createElement('summary');
  const details = document.createElement('details');
  details.className = 'folded';
  details.append(summary, ...section.childNodes);
  summary.append(heading);
  section.append(details);
}

function openAround(element) {
  for (let at = element; at; at = at.parentElement) if (at.localName === 'details') at.open = true;
}

// A link within the page replaces the entry that is there; any other opens beside the page that holds the frame.
function keepPlace(root) {
  for (const link of root.querySelectorAll('a[href]:not([href^="#"])')) {
    link.target = '_blank';
    link.rel = 'noopener';
  }
  root.addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (!link) return;
    event.preventDefault();
    openAround(document.getElementById(link.hash.slice(1)));
    location.replace(link.hash);
  });
}

export function fitIntoFrame(root) {
  for (const details of root.querySelectorAll('.calculation details[open]')) details.open = false;
  foldAway(root.querySelector('.boundaries'));
  keepPlace(root);
  root.querySelector('[data-closed-off]').hidden = window.origin !== 'null';
}
