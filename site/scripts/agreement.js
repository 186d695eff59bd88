// Whether two states of one setting agree: the page's own and Python's. Texts and truth values must be equal; numbers too,
// unless a library function takes part, for which the lab states how far two languages may be apart.

// Infinity has a name in JSON.
const nameInfinity = (value) => (value === Infinity ? 'inf' : value);

function compareMaps(kind, own, other, same, found) {
  for (const name of new Set([...Object.keys(own), ...Object.keys(other)])) {
    if (!same(own[name], other[name], name)) found.push({kind, name, own: own[name], other: other[name]});
  }
}

// Differences as {kind, name, own, other}; none when the states agree.
export function disagreements(own, other, bounds) {
  const equal = (a, b) => a === b;
  const near = (a, b, name) => a === b || Math.abs(a - b) <= (bounds[name] ?? 0) * Math.abs(b);
  const found = [];
  compareMaps('value', own.values, other.values, near, found);
  compareMaps('text', own.texts, other.texts, equal, found);
  compareMaps('flag', own.flags, other.flags, equal, found);
  compareMaps('input', own.inputs, other.inputs, equal, found);
  for (const [series, columns] of Object.entries(other.data)) {
    for (const [name, column] of Object.entries(columns)) {
      const mine = Array.from(own.data[series]?.[name] ?? [], nameInfinity);
      const place = column.findIndex((value, i) => !near(mine[i], value, name));
      if (place >= 0 || mine.length !== column.length) {
        found.push({kind: 'curve', name: `${series}.${name}`, own: mine[place], other: column[place]});
      }
    }
  }
  return found;
}
