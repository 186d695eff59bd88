// node prerender.mjs JOB RESULT
// Open every lab as the browser will, from the same packs, and write what its page shows before Python starts. Then move
// every control once: a module that is missing from the packs, or a state that cannot be shown, stops the build here.
import fs from "node:fs";
import zlib from "node:zlib";
import { openLab } from "./boot.mjs";
import { loadFrom, main } from "./node.mjs";

// Panel's support for Pyodide wants this to exist; nothing is ever fetched with it.
globalThis.XMLHttpRequest = class {};

function* exercise(spec) {
  const { inputs } = spec.state;
  for (const input of spec.inputs) {
    // A text is of a language of its own; that it is asked for at all is what counts here.
    const ends = input.stops ? [input.stops.at(0), input.stops.at(-1)] : [input.default];
    const stops = input.options?.map((option) => option.value) ?? ends;
    for (const value of stops) yield { type: "set", inputs: { ...inputs, [input.name]: value }, pinned: null };
  }
  yield { type: "set", inputs, pinned: inputs };
  for (const name of Object.keys(inputs)) yield { type: "set", inputs: { ...inputs, [name]: "?" }, pinned: null };
  yield { type: "set", inputs, pinned: null };
  for (const { id, options } of spec.predictions) {
    yield { type: "judge", id, answer: options?.[0]?.value ?? "1", inputs };
  }
  for (const what of ["csv", "text", "markdown"]) yield { type: "export", what };
}

await main(async ([jobFile, resultFile]) => {
  const job = JSON.parse(fs.readFileSync(jobFile, "utf8"));
  const result = {};
  for (const slug of job.labs) {
    const begin = performance.now();
    // A Python of its own for each lab: the numbering of Bokeh's models starts anew, as it does in the browser.
    const session = await openLab((options) => loadFrom(job.pyodide, options), {
      slug,
      packs: job.packs.map(async (name) => new Uint8Array(zlib.gunzipSync(fs.readFileSync(name))).buffer),
    });
    const opened = performance.now();
    result[slug] = JSON.parse(session.prerendered());
    let rev = 0;
    for (const message of exercise({ ...result[slug].spec, state: result[slug].state })) {
      rev += 1;
      session.answer(JSON.stringify({ rev, ...message })).destroy();
    }
    const seconds = (milliseconds) => (milliseconds / 1000).toFixed(1);
    console.log(`- ${slug}: opened in ${seconds(opened - begin)} s, ${rev} moves in ${seconds(performance.now() - opened)} s`);
  }
  fs.writeFileSync(resultFile, JSON.stringify(result));
});
