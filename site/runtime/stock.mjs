// Open a lab the usual way, for comparison: Pyodide as it is published, with its library in sources, and every package
// as a wheel through Pyodide's lock file. The build puts this in place of boot.mjs.
/* global ASSETS */

export async function openLab(loadPyodide, { slug, onProgress = () => {}, indexURL, packageBaseUrl }) {
  const python = await loadPyodide({ indexURL, lockFileURL: `${indexURL}pyodide-lock.json`, packageBaseUrl });
  await python.loadPackage(ASSETS.packages);
  onProgress("Python is running; the lab is opening.");
  return python.pyimport("bridge").Session(slug);
}
