// Keeps what this visit loaded for reading without a network, where the browser offers that: not over plain http to
// another machine, not in a sandboxed frame.

// The site's root, from this script's own place; a classic script knows it only while it first runs.
const ROOT = new URL('../', document.currentScript?.src ?? location.href).href;

// What Python's worker loads is not among the page's own resources, so it is named by `more`.
export async function keepForOffline(more = []) {
  // A frame belongs to somebody else's page, which decides what to keep.
  if (window.top !== window || !navigator.serviceWorker) return;
  try {
    await navigator.serviceWorker.register(`${ROOT}sw.js`, {scope: ROOT});
    const {active} = await navigator.serviceWorker.ready;
    const loaded = performance.getEntriesByType('resource').map(({name}) => name);
    active.postMessage({loaded: [location.href, ...loaded, ...more]});
  } catch {
    // Not kept: the page works the same while there is a network.
  }
}
