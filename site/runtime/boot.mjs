// Start Python with everything a lab needs already in its file system. The worker and the prerender both start this way.

// A pack is the length of its index (4 bytes, little endian), the index as JSON, then the files one after another.
function unpack(FS, folder, pack) {
  const length = new DataView(pack).getUint32(0, true);
  const index = JSON.parse(new TextDecoder().decode(new Uint8Array(pack, 4, length)));
  const made = new Set();
  let offset = 4 + length;
  for (const [name, size] of index) {
    const slash = name.lastIndexOf("/");
    const parent = slash < 0 ? folder : `${folder}/${name.slice(0, slash)}`;
    if (!made.has(parent)) {
      FS.mkdirTree(parent);
      made.add(parent);
    }
    // The file owns its part of the buffer: nothing is copied.
    FS.createDataFile(parent, name.slice(slash + 1), new Uint8Array(pack, offset, size), true, false, true);
    offset += size;
  }
}

// Start Python. `packs` are promises, so that they are fetched while Python is being compiled.
export async function startPython(loadPyodide, { packs, ...options }) {
  // A pack that fails before Python waits for it is reported then, and not as unhandled.
  const contents = Promise.all(packs);
  contents.catch(() => {});
  return loadPyodide({
    ...options,
    fsInit: async (FS, { sitePackages }) => {
      for (const pack of await contents) unpack(FS, `${sitePackages}/..`, pack);
    },
  });
}

// Open a lab in a Python of its own.
export async function openLab(loadPyodide, { slug, onProgress = () => {}, ...options }) {
  const python = await startPython(loadPyodide, options);
  onProgress("Python is running; the lab is opening.");
  return python.pyimport("bridge").Session(slug);
}
