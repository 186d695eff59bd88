// Runs in a lab's page before the page's own scripts, for the benchmark: notes when the default state is visible, moves
// the batch slider at once, and notes when the page shows what that batch gives.
(() => {
  const paint = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  // Sooner than a timer, which browsers delay by milliseconds, and without keeping the page from its work.
  const turn = () =>
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

  async function move(position) {
    const before = shown();
    const begin = performance.now();
    slider().value = String(position);
    slider().dispatchEvent(new Event("input", { bubbles: true }));
    while (shown() === before) await turn();
    await paint();
    return performance.now() - begin;
  }

  const probe = {
    visible: 0,
    effective: 0,
    failed: "",
    // Nothing is going on behind the page any more that would slow a move down.
    settled() {
      const facts = self.ridgepoint;
      if (!facts?.drawn) return false;
      const { owner, running, unchecked } = facts.source;
      return owner === "python" ? facts.ready : running && unchecked === 0;
    },
    async moves(count) {
      const found = [];
      for (let turnOf = 0; turnOf < count; turnOf += 1) {
        found.push(await move(40 + 2 * turnOf));
        await new Promise((resolve) => setTimeout(resolve, 60));
      }
      return found;
    },
  };
  self.probe = probe;

  async function run() {
    while (!shown() || !document.querySelector("[data-figure]")?.firstElementChild) await paint();
    await paint();
    probe.visible = performance.now();
    await move(Number(slider().value) + 5);
    probe.effective = performance.now();
    // A move from before the page's scripts listened is kept, but they saw no action that lets Python start.
    document.dispatchEvent(new Event("pointerdown"));
  }
  run().catch((error) => (probe.failed = error.message));
})();
