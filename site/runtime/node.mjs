// What the scripts that run Pyodide under Node.js share.
import path from "node:path";
import { pathToFileURL } from "node:url";

export async function loadFrom(pyodideFolder, options = {}) {
  const { loadPyodide } = await import(pathToFileURL(path.join(pyodideFolder, "pyodide.mjs")).href);
  return loadPyodide({ indexURL: pyodideFolder + path.sep, ...options });
}

// Report an error by its message alone: Node.js would print the source line, which is a megabyte long in Pyodide.
export async function main(work) {
  try {
    await work(process.argv.slice(2));
  } catch (error) {
    console.error(error.message ?? String(error));
    process.exitCode = 1;
  }
}
