// Keeps what a reader has opened for reading without a network, and nothing else: no visit pays for pages it did not see.
// The build puts FILES before this text: all files of the site, relative to this script. Those under assets/ carry a hash
// of their content in their name and never change.
/* global FILES */

const CACHE = "ridgepoint";
const address = (name) => new URL(name, self.registration.scope).href;
const isOurs = (url) => url.startsWith(self.registration.scope);
const isAsset = (url) => url.startsWith(address("assets/"));
// A page is one page whatever inputs its address holds.
const keyOf = (url) => (isAsset(url) ? url : url.replace(/[?#].*$/, ""));

// One copy at a time, and of what never changes one copy only: a second that breaks off would take the first with it.
const underway = new Set();

async function keep(url, response) {
  const key = keyOf(url);
  if (!response.ok || underway.has(key)) return;
  underway.add(key);
  try {
    const kept = await caches.open(CACHE);
    if (!isAsset(url) || !(await kept.match(key))) await kept.put(key, response);
  } finally {
    underway.delete(key);
  }
}

// What the page loaded before this script was in charge; the browser still has it, so nothing is fetched twice.
async function keepLoaded(urls) {
  const kept = await caches.open(CACHE);
  for (const url of urls.filter(isOurs)) {
    if (!(await kept.match(keyOf(url)))) await keep(url, await fetch(url, { cache: "force-cache" }));
  }
}

async function forgetOld() {
  const kept = await caches.open(CACHE);
  const current = new Set(FILES.map(address));
  for (const { url } of await kept.keys()) if (isAsset(url) && !current.has(url)) await kept.delete(url);
  await self.clients.claim();
}

// Assets from the cache; pages from the network while there is one, because a page names the assets it belongs to.
async function answer(event) {
  const { request } = event;
  const kept = await caches.match(keyOf(request.url));
  if (kept && isAsset(request.url)) return kept;
  try {
    const response = await fetch(request);
    event.waitUntil(keep(request.url, response.clone()));
    return response;
  } catch (error) {
    if (kept) return kept;
    throw error;
  }
}

self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(forgetOld()));
self.addEventListener("message", (event) => event.waitUntil(keepLoaded(event.data.loaded)));
self.addEventListener("fetch", (event) => {
  if (event.request.method === "GET" && isOurs(event.request.url)) event.respondWith(answer(event));
});
