// Runs in a page before the page's own scripts, for the benchmark: notes when the figure is first complete, moves the batch
// slider at once, and notes when the numbers and when the figure show what that batch gives.
(() => {
  const PLOTS = 2;
  const BATCH = 8;
  const AGAIN_MS = 100;
  const PAUSE_MS = 60;
  const LONGEST_MS = 120_000;

  const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const paint = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  // Soon after the frame in which this is called; a timer would come milliseconds later.
  const presented = () =>
    new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => {
        port1.close();
        resolve();
      };
      port2.postMessage(0);
    });

  const shown = () => document.querySelector('[data-output="step_time_s"]')?.dataset.value;
  const slider = () => document.querySelector('[data-input="batch"] [data-slider]');

  // The figure as BokehJS has it. A converted app replaces its document when Python is up: the newest counts.
  let known = null;
  let point = null;
  function drawnBatch() {
    const drawing = self.Bokeh?.documents.at(-1);
    if (drawing !== known || !point) [known, point] = [drawing, drawing?.get_model_by_name("now")];
    return point?.data.batch[0];
  }

  // BokehJS clears a plot's canvas whenever it paints the plot.
  const drawn = new Set();
  let waiting = null;
  const { clearRect } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...box) {
    if (this.canvas.isConnected) {
      drawn.add(this.canvas.getRootNode());
      waiting?.(this.canvas.getRootNode());
    }
    return clearRect.apply(this, box);
  };

  function set(position) {
    const input = slider();
    if (input) {
      input.value = String(position);
      input.dispatchEvent(new Event("input", { bubbles: true }));
      return;
    }
    const models = (self.Bokeh?.documents.at(-1)?.roots() ?? []).flatMap((root) => [...root.references()]);
    const batch = models.find(({ type, title }) => type.endsWith("Slider") && title === "Batch");
    if (batch) batch.value = position;
  }

  // Resolves when every plot has been painted with another batch, and the numbers, where they are plain text, are other ones.
  async function move(position) {
    const before = { number: shown(), batch: drawnBatch() ?? BATCH };
    const begin = performance.now();
    let late = 0;
    const followed = new Promise((resolve, reject) => {
      const plots = new Set();
      late = setTimeout(() => reject(new Error("a move of the slider showed nothing")), LONGEST_MS);
      waiting = (plot) => {
        if ((before.number && shown() === before.number) || drawnBatch() === before.batch) return;
        plots.add(plot);
        if (plots.size === PLOTS) resolve();
      };
    });
    set(position);
    // A converted app has no native slider, and forgets what is set before its Python is up.
    let attempts = 0;
    const again = slider() ? 0 : setInterval(() => set(position + (++attempts % 2)), AGAIN_MS);
    await followed;
    waiting = null;
    clearTimeout(late);
    clearInterval(again);
    await presented();
    return performance.now() - begin;
  }

  function noteNumbers() {
    const before = shown();
    const observer = new MutationObserver(async () => {
      if (probe.numbers || shown() === before) return;
      observer.disconnect();
      await paint();
      probe.numbers = performance.now();
    });
    observer.observe(document.documentElement, { attributeFilter: ["data-value"], subtree: true });
  }

  const complete = () =>
    document.readyState !== "loading" && (document.querySelector("[data-figure] svg") || drawn.size >= PLOTS);

  const facts = () => self.ridgepoint?.source;
  const running = () => facts()?.running ?? true;

  const probe = {
    visible: 0,
    numbers: 0,
    effective: 0,
    failed: "",
    // A move from before the page's scripts listened is kept, but they saw no action that lets Python start.
    act: () => void document.dispatchEvent(new Event("pointerdown")),
    // Nothing is going on behind the page any more that would slow a move down.
    settled: () => running() && !facts()?.unchecked && !self.ridgepoint?.pending,
    moves: (count) => moves((done) => done < count),
    movesUntilPythonRuns: () => moves(() => !running()),
  };
  self.probe = probe;

  // Never twice to the same place, in whatever order moves are asked for.
  let made = 0;
  async function moves(goOn) {
    const found = [];
    while (goOn(found.length)) {
      found.push(await move(40 + 2 * (made++ % 20)));
      await sleep(PAUSE_MS);
    }
    return found;
  }

  async function run() {
    while (!complete()) await paint();
    await paint();
    probe.visible = performance.now();
    noteNumbers();
    await move(Number(slider()?.value ?? BATCH) + 5);
    probe.effective = performance.now();
  }
  run().catch((error) => (probe.failed = error.message));
})();
