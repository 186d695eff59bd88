// The Python of one lab page, in a worker so that the page never waits for it. The build puts ASSETS and boot.mjs before
// this text; the lab's slug is the worker's name.
/* global ASSETS, importScripts, loadPyodide, openLab */

const address = (name) => new URL(name, self.location.href).href;

// Whatever is asked for and does not come ends the start, by its name: Pyodide would say so late, in other words, or never.
const usualFetch = self.fetch.bind(self);
const missing = new Promise((_, reject) => {
  const fail = (url, reason) => reject(new Error(`${url.split("/").at(-1)} could not be loaded: ${reason}.`));
  self.fetch = async (...request) => {
    try {
      const response = await usualFetch(...request);
      if (!response.ok) fail(response.url, `the host answered ${response.status}`);
      return response;
    } catch (error) {
      fail(String(request[0]), error.message);
      throw error;
    }
  };
});

// Packs are compressed here and not by the host: many hosts leave files of unknown type as they are.
async function fetchPack(name) {
  const response = await fetch(address(name));
  return new Response(response.body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function start() {
  const packs = ASSETS.packs.map(fetchPack);
  self.postMessage({ type: "progress", text: "Python is loading." });
  try {
    importScripts(address(`${ASSETS.pyodide}/pyodide.js`));
  } catch (error) {
    throw new Error("pyodide.js could not be loaded.", { cause: error });
  }
  const session = await openLab(loadPyodide, {
    slug: self.name,
    packs,
    indexURL: address(`${ASSETS.pyodide}/`),
    // Pyodide would name its own distribution as the place of packages; there is nothing to fetch from it.
    packageBaseUrl: address(`${ASSETS.pyodide}/`),
    onProgress: (text) => self.postMessage({ type: "progress", text }),
  });
  self.postMessage(JSON.parse(session.ready()));
  return session;
}

const started = Promise.race([start(), missing]);
started.catch((error) => {
  self.postMessage({ type: "error", text: error.message });
  // What is half started has nothing to say any more.
  self.close();
});

// Messages sent before Python is up wait for it; after a failed start there is nothing to answer with.
self.onmessage = async ({ data }) => {
  const session = await started.catch(() => null);
  if (!session) return;
  try {
    const proxy = session.answer(JSON.stringify(data));
    const [text, buffers] = proxy.toJs();
    proxy.destroy();
    const numbers = new Map(buffers.map(([id, bytes]) => [id, bytes.buffer]));
    self.postMessage({ ...JSON.parse(text), buffers: numbers }, [...numbers.values()]);
  } catch (error) {
    self.postMessage({ type: "error", rev: data.rev, text: error.message });
  }
};
