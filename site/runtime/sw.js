// Keeps the site for reading without a network. The build puts VERSION and FILES before this text: FILES are all files of
// the site, relative to this script. Those under assets/ carry a hash of their content in their name and never change.
/* global VERSION, FILES */

const address = (name) => new URL(name, self.registration.scope).href;
const isAsset = (url) => url.startsWith(address("assets/"));

async function keepAll() {
  const kept = await caches.open(VERSION);
  for (const name of FILES) {
    const url = address(name);
    // What an earlier version kept under the same hash need not be fetched again.
    const earlier = isAsset(url) ? await caches.match(url) : undefined;
    const response = earlier ?? (await fetch(url, { cache: isAsset(url) ? "default" : "no-cache" }));
    if (!response.ok) throw new Error(`${name} could not be kept: ${response.status}`);
    await kept.put(url, response);
  }
}

async function forgetOthers() {
  for (const name of await caches.keys()) if (name !== VERSION) await caches.delete(name);
  await self.clients.claim();
}

// Assets from the cache; pages from the network while there is one, because a page names the assets it belongs to.
async function answer(request) {
  const kept = await caches.open(VERSION);
  if (isAsset(request.url)) return (await kept.match(request)) ?? fetch(request);
  try {
    return await fetch(request);
  } catch (error) {
    const page = await kept.match(request, { ignoreSearch: true });
    if (page) return page;
    throw error;
  }
}

self.addEventListener("install", (event) => event.waitUntil(keepAll().then(() => self.skipWaiting())));
self.addEventListener("activate", (event) => event.waitUntil(forgetOthers()));
self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && request.url.startsWith(self.registration.scope)) event.respondWith(answer(request));
});
