// Undo and redo over whole sets of inputs, one step a gesture.

export function createUndo(first) {
  const steps = [{inputs: {...first}, gesture: 0}];
  let at = 0;
  const go = (to) => {
    at = to;
    return {...steps[at].inputs};
  };
  return {
    record(inputs, gesture) {
      const sameGesture = at > 0 && steps[at].gesture === gesture;
      if (!sameGesture) at += 1;
      steps.length = at;
      steps.push({inputs: {...inputs}, gesture});
    },
    get canUndo() {
      return at > 0;
    },
    get canRedo() {
      return at < steps.length - 1;
    },
    undo: () => go(at - 1),
    redo: () => go(at + 1),
  };
}
