// Notes each prediction made in the labs of this page, and saves them as a file. A course system of your own would be
// told at the same place instead.

const section = document.getElementById('record');
const button = section.querySelector('button');
const record = [];

document.addEventListener('ridgepoint:prediction', ({detail}) => {
  record.push({at: new Date().toISOString(), ...detail});
  const row = section.querySelector('tbody').insertRow();
  for (const key of ['prompt', 'shown', 'right', 'verdict']) row.insertCell().textContent = detail[key];
  section.querySelector('table').hidden = false;
  section.querySelector('.none').hidden = true;
  button.disabled = false;
});

button.addEventListener('click', () => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([JSON.stringify(record, null, 1)], {type: 'application/json'}));
  link.download = 'week-6-predictions.json';
  link.click();
  URL.revokeObjectURL(link.href);
});
