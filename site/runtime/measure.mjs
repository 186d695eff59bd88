// node measure.mjs PYODIDE RESULT PACK…
// What a trace and a curve of the first lab cost in Pyodide, as medians in milliseconds.
import fs from "node:fs";
import zlib from "node:zlib";
import { startPython } from "./boot.mjs";
import { loadFrom, main } from "./node.mjs";

const MEASURE = `
import json, statistics, time
import numpy as np
from engine.labs import lab

chosen = lab("batch-step")
inputs = chosen.defaults
plan, given = chosen.plan(inputs), chosen.given(inputs)
curve = given | {"batch": np.geomspace(1, 1024, 200)}

def median(work, repeats=200):
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        work()
        times.append(1000 * (time.perf_counter() - begin))
    return statistics.median(times[repeats // 4:])

json.dumps({"trace": median(lambda: plan.trace(given)), "curve": median(lambda: plan.evaluate(curve))})
`;

await main(async ([pyodideFolder, resultFile, ...files]) => {
  const packs = files.map(async (name) => new Uint8Array(zlib.gunzipSync(fs.readFileSync(name))).buffer);
  const python = await startPython((options) => loadFrom(pyodideFolder, options), { packs });
  fs.writeFileSync(resultFile, python.runPython(MEASURE));
});
