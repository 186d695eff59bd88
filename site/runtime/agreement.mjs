// node agreement.mjs JOB
// Compare the JavaScript reading of every lab with Pyodide's Python: every quantity on many settings bit for bit (or within
// the bound that the lab states), and words, curves, exports and verdicts on some of them, letter for letter.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import zlib from "node:zlib";
import { startPython } from "./boot.mjs";
import { loadFrom, main } from "./node.mjs";

const SHOWN = 5;

globalThis.XMLHttpRequest = class {};

// Two texts around the place where they begin to differ; a whole calculation would say nothing.
function excerpts(own, other) {
  let place = 0;
  while (place < own.length && own[place] === other[place]) place += 1;
  const from = Math.max(0, place - 20);
  return [own, other].map((text) => JSON.stringify(text.slice(from, place + 40)));
}

// Infinity has a name in JSON.
const plain = (value) => (value === Infinity ? "inf" : value);

class Comparison {
  constructor() {
    this.compared = 0;
    this.differences = [];
  }

  check(what, own, other, bound = 0) {
    this.compared += 1;
    if (Object.is(own, other) || own === other || Math.abs(own - other) <= bound * Math.abs(other)) return;
    const [mine, theirs] = excerpts(String(own), String(other));
    this.differences.push(`${what}: ${mine} in JavaScript, ${theirs} in Python`);
  }

  maps(what, own, other, bounds = {}) {
    for (const key of new Set([...Object.keys(own), ...Object.keys(other)])) {
      this.check(`${what} ${key}`, own[key], other[key], bounds[key]);
    }
  }
}

function compareStates(reading, exported, cases, seen) {
  for (const { inputs, pinned, texts, flags, data, exports } of cases) {
    const what = JSON.stringify(inputs);
    const own = reading.build(inputs, pinned);
    seen.maps(what, own.texts, texts);
    seen.maps(what, own.flags, flags);
    for (const [name, text] of Object.entries(exports)) seen.check(`${what} ${name}`, exported[name](inputs), text);
    const ownData = reading.sources(inputs, pinned);
    for (const [series, columns] of Object.entries(data)) {
      for (const [name, column] of Object.entries(columns)) {
        const mine = Array.from(ownData[series][name], plain);
        seen.check(`${what} ${series}.${name}`, mine.length, column.length);
        column.forEach((value, i) => seen.check(`${what} ${series}.${name}[${i}]`, mine[i], value, reading.lab.bounds[name]));
      }
    }
  }
}

await main(async ([jobFile]) => {
  const job = JSON.parse(fs.readFileSync(jobFile, "utf8"));
  const script = (name) => import(pathToFileURL(path.join(job.scripts, name)).href);
  const { createReading } = await script("reading.js");
  const { createExports } = await script("exports.js");
  const python = await startPython((options) => loadFrom(job.pyodide, options), {
    packs: job.packs.map(async (name) => new Uint8Array(zlib.gunzipSync(fs.readFileSync(name))).buffer),
  });
  python.runPython(fs.readFileSync(new URL("./agreement.py", import.meta.url), "utf8"));
  const ask = (name, slug, count) => JSON.parse(python.globals.get(name)(slug, count));
  for (const [slug, model] of Object.entries(job.models)) {
    await import(pathToFileURL(model).href);
    const reading = createReading(globalThis.ridgepointLab);
    const seen = new Comparison();
    for (const { inputs, values } of ask("values", slug, job.values)) {
      seen.maps(JSON.stringify(inputs), reading.valuesOf(inputs), values, reading.lab.bounds);
    }
    compareStates(reading, createExports(reading), ask("states", slug, job.states), seen);
    for (const { inputs, id, answer, texts } of ask("verdicts", slug, job.verdicts)) {
      seen.maps(`${id} ${answer} at ${JSON.stringify(inputs)}`, reading.judge(id, answer, inputs).texts, texts);
    }
    console.log(`- ${slug}: ${seen.compared.toLocaleString("en")} comparisons on ${job.values.toLocaleString("en")} settings`);
    if (seen.differences.length > 0) {
      const shown = seen.differences.slice(0, SHOWN).join("\n  ");
      throw new Error(`${slug}: JavaScript and Python differ in ${seen.differences.length} places:\n  ${shown}`);
    }
  }
});
