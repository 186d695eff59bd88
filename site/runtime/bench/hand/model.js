// The yardstick of the benchmark: the first lab's figure, sliders and headline, written by hand for its default model and GPU.
// A test compares what this file says with the engine.

const MODEL = {linear: 7504658432, all: 8030261248, cell: 131072, attention: 4 * 32 * 32 * 128};
const GPU = {bandwidth: 3.35e12, peak: 989.4e12, capacity: 80e9};
const BYTES_PER_WEIGHT = 2;

// Whole numbers from `first`, each octave in `steps` even steps.
function octaves(first, last, steps) {
  const stops = [];
  for (let low = first; low < last; low *= 2) {
    for (let step = 0; step < steps; step += 1) stops.push(low + low * step / steps);
  }
  return [...stops, last].filter(Number.isInteger);
}

function evenly(first, last, divisor) {
  return Array.from({length: last - first + 1}, (_, index) => (first + index) / divisor);
}

const INPUTS = {
  batch: {stops: octaves(1, 1024, 16), start: 8},
  context: {stops: octaves(128, 131072, 8), start: 8192},
  memory_fraction: {stops: evenly(50, 100, 100), start: 0.9},
  reserve_gb: {stops: evenly(0, 40, 2), start: 4},
  block: {stops: octaves(1, 1024, 1), start: 16},
};
const GRID = [];
for (let octave = 0; octave < 10; octave += 1) for (let step = 0; step < 20; step += 1) GRID.push(2 ** octave * (1 + step / 20));
GRID.push(1024);
const ROWS = Array.from({length: 11}, (_, octave) => 2 ** octave);

// One step of a batch, at a share of the memory's bandwidth.
function stepOf(batch, inputs, share = 1) {
  const bandwidth = GPU.bandwidth * share;
  const linear = Math.max(MODEL.linear * BYTES_PER_WEIGHT / bandwidth, 2 * MODEL.linear * batch / GPU.peak);
  const read = batch * inputs.context * MODEL.cell / bandwidth;
  const step = linear + Math.max(read, MODEL.attention * inputs.context * batch / GPU.peak);
  const reserved = batch * Math.ceil((inputs.context + 1) / inputs.block) * inputs.block * MODEL.cell;
  const free = inputs.memory_fraction * GPU.capacity - MODEL.all * BYTES_PER_WEIGHT - reserved - inputs.reserve_gb * 1e9;
  return {linear, step, all: batch / step, each: 1 / step, free};
}

function columnsOf(batches, inputs) {
  const steps = batches.map((batch) => stepOf(batch, inputs));
  return {
    batch: batches,
    linear: steps.map(({linear}) => 1000 * linear),
    step: steps.map(({step}) => 1000 * step),
    all: steps.map(({all}) => all),
    each: steps.map(({each}) => each),
    fits: steps.map(({free}) => Number(free >= 0)),
  };
}

function bandOf(batches, inputs) {
  const [slow, fast] = [0.7, 0.9].map((share) => batches.map((batch) => stepOf(batch, inputs, share)));
  return {
    step_slow: slow.map(({step}) => 1000 * step),
    step_fast: fast.map(({step}) => 1000 * step),
    all_slow: slow.map(({all}) => all),
    all_fast: fast.map(({all}) => all),
  };
}

// The figure's data, by source.
function dataOf(inputs) {
  const [start, end] = [GRID.slice(0, 1), GRID.slice(-1)];
  return {
    curve: {...columnsOf(GRID, inputs), ...bandOf(GRID, inputs)},
    marks: columnsOf(ROWS, inputs),
    first_names: {...columnsOf(start, inputs), step_slow: bandOf(start, inputs).step_slow},
    names: {...columnsOf(end, inputs), step_slow: bandOf(end, inputs).step_slow},
    now: columnsOf([inputs.batch], inputs),
  };
}

const RIDGE = GPU.peak * BYTES_PER_WEIGHT / (2 * GPU.bandwidth);

const decimals = (value, digits) => value.toLocaleString('en', {minimumFractionDigits: digits, maximumFractionDigits: digits});
const seconds = (value) => (value < 1 ? `${decimals(1000 * value, 2)}\u00a0ms` : `${decimals(value, 2)}\u00a0s`);
const rate = (value) => `${value < 10 ? value.toPrecision(3) : decimals(value, 0)}\u00a0tok/s`;
const gigabytes = (value) => `${decimals(value / 1e9, 2)}\u00a0GB`.replace('-', '\u2212');

// Raw value and text of each headline number.
function headlineOf(inputs) {
  const {step, all, each, free} = stepOf(inputs.batch, inputs);
  return {
    step_time_s: [step, seconds(step)],
    sequence_tokens_per_s: [each, rate(each)],
    aggregate_tokens_per_s: [all, rate(all)],
    memory_free_bytes: [free, gigabytes(free)],
  };
}
