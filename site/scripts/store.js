// What the reader's browser keeps: the theme and the reader's own predictions.
// Storage may be closed (private windows, sandboxed frames): then nothing is kept, and nothing else changes.

const PREFIX = 'ridgepoint.';

export function recall(key) {
  try {
    return localStorage.getItem(PREFIX + key);
  } catch {
    return null;
  }
}

export function keep(key, text) {
  try {
    localStorage.setItem(PREFIX + key, text);
  } catch {
    // Not kept; the page works the same until it is left.
  }
}

// Everything this site stored: its own keys, and the caches that its service worker named after it.
export async function forgetEverything() {
  try {
    const names = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));
    names.forEach((name) => localStorage.removeItem(name));
    const caches_ = await caches.keys();
    await Promise.all(caches_.filter((name) => name.startsWith('ridgepoint')).map((name) => caches.delete(name)));
  } catch {
    // Closed storage holds nothing of ours.
  }
}
