// node compile.mjs PYODIDE SOURCES COMPILED PREFIX
// Compile every .py below SOURCES with Pyodide's own Python and write the .pyc files to the same places below COMPILED.
// PREFIX is where the files will lie in the browser; tracebacks name it.
import fs from "node:fs";
import path from "node:path";
import { loadFrom, main } from "./node.mjs";

// Unchecked, hash-based .pyc: the browser has no source to compare them with. No optimisation: numpy needs its docstrings.
const COMPILE = `
import importlib.util, marshal

def compile_one(source, name):
    code = compile(source.to_bytes(), name, "exec", dont_inherit=True, optimize=0)
    return importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8) + marshal.dumps(code)

compile_one
`;

await main(async ([pyodideFolder, sources, compiled, prefix]) => {
  const python = await loadFrom(pyodideFolder);
  const compile = python.runPython(COMPILE);
  const files = fs
    .readdirSync(sources, { recursive: true })
    .map((name) => name.split(path.sep).join("/"))
    .filter((name) => name.endsWith(".py"))
    .sort();
  for (const name of files) {
    const bytes = compile(new Uint8Array(fs.readFileSync(path.join(sources, name))), `${prefix}/${name}`);
    const target = path.join(compiled, name + "c");
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.writeFileSync(target, bytes.toJs());
    bytes.destroy();
  }
  console.log(`- ${files.length} modules compiled`);
});
