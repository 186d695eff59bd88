// Which changes belong together: one drag, or one burst of key presses on one control, is one step of undo and one
// entry of the browser's history. Answers the number of the gesture that a change belongs to.

const PAUSE_MS = 800;

export function createGestures() {
  let last = {id: 0, name: null, settled: true, at: 0};
  return (name, settled) => {
    const now = performance.now();
    const goesOn = name !== null && name === last.name && (!last.settled || now - last.at < PAUSE_MS);
    last = {id: goesOn ? last.id : last.id + 1, name, settled, at: now};
    return last.id;
  };
}
