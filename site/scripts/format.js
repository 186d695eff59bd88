// How numbers look: the same rule as engine/text.py, digit for digit. Rounding is to nearest, ties to even, of the exact
// value of the double; JavaScript's own toFixed and toExponential round ties up, so ties are found and mended.

export const NBSP = '\u00a0';
const MINUS = '\u2212';
export const TIMES = '\u00d7';
const BITS = new DataView(new ArrayBuffer(8));

// The double as an integer times a power of two.
function parts(x) {
  BITS.setFloat64(0, x);
  const high = BITS.getUint32(0);
  const raised = (high >>> 20) & 0x7ff;
  const mantissa = (BigInt(high & 0xfffff) << 32n) | BigInt(BITS.getUint32(4));
  return raised === 0 ? [mantissa, -1074] : [mantissa | (1n << 52n), raised - 1075];
}

// Whether x times ten to the power is exactly half way between two whole numbers.
function isHalfWay(x, power) {
  if (power >= 0 && Number.isInteger(x)) return false;
  // In doubles first, which settles nearly all: no half is farther from a whole number than rounding can bring it.
  const doubled = 2 * x * 10 ** power;
  if (Math.abs(doubled - Math.round(doubled)) > 4e-15 * doubled) return false;
  let [top, two] = parts(x);
  let bottom = 1n;
  two += 1;
  if (power >= 0) top *= 10n ** BigInt(power);
  else bottom *= 10n ** BigInt(-power);
  if (two >= 0) top <<= BigInt(two);
  else bottom <<= BigInt(-two);
  return top % bottom === 0n && (top / bottom) % 2n === 1n;
}

// The whole number written by these digits, made even.
const even = (digits) => {
  const n = BigInt(digits);
  return (n % 2n === 0n ? n : n - 1n).toString().padStart(digits.length, '0');
};

const pointed = (digits, places) => (places ? `${digits.slice(0, -places)}.${digits.slice(-places)}` : digits);

// A number that is not negative, with so many decimals.
function fixed(x, places) {
  if (x >= 1e21) return places ? `${BigInt(x)}.${'0'.repeat(places)}` : BigInt(x).toString();
  const shown = x.toFixed(places);
  return isHalfWay(x, places) ? pointed(even(shown.replace('.', '')), places) : shown;
}

// A number above zero as mantissa, with so many decimals, and power of ten.
function scientific(x, places) {
  const [mantissa, power] = x.toExponential(places).split('e');
  const exponent = Number(power);
  if (!isHalfWay(x, places - exponent)) return [mantissa, exponent];
  return [pointed(even(mantissa.replace('.', '')), places), exponent];
}

const grouped = (shown) => shown.replace(/^\d+/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));

// 0.9 for 0.9, but 419.0 for 419.03: a number that was rounded does not pass for an exact one.
function strip(shown, value) {
  if (!shown.includes('.') || shown.includes('^')) return shown;
  const short = shown.replace(/\.?0+$/, '');
  return Number(short.replaceAll(',', '').replace(MINUS, '-')) === value ? short : shown;
}

// From here on a number is written with a power of ten.
const LARGE = 1e15;
const COUNTED = 1000;

export function digits(value, rule) {
  if (Math.abs(value) === Infinity) return `${value < 0 ? MINUS : ''}\u221e`;
  if (rule.endsWith('f') && Math.abs(value) >= LARGE) return digits(value, '4g');
  if (rule === 'count') {
    const size = Math.abs(value);
    const whole = size < LARGE && (size >= COUNTED || Number.isInteger(value));
    return whole ? digits(value, '0f') : strip(digits(value, '4g'), value);
  }
  let places = Number(rule.slice(0, -1));
  let size = Math.abs(value);
  if (rule.endsWith('g')) {
    if (value === 0) return '0';
    const [mantissa, exponent] = scientific(size, places - 1);
    if (exponent < -5 || exponent >= 15) {
      return `${value < 0 ? MINUS : ''}${mantissa} ${TIMES} 10^${String(exponent).replace('-', MINUS)}`;
    }
    size = Number(`${mantissa}e${exponent}`);
    places = Math.max(0, places - 1 - exponent);
  }
  const shown = grouped(fixed(size, places));
  return `${value < 0 && /[1-9]/.test(shown) ? MINUS : ''}${shown}`;
}

// `scales` is the table of engine/text.py, as the build writes it out.
export function display(value, unit, scales) {
  if (unit === 'word') return String(value);
  if (unit === 'flag') return value ? 'yes' : 'no';
  const number = Number(value);
  const rows = scales[unit] ?? [[0, 1, 'count', '']];
  const [, divisor, rule, shown] = rows.find(([least]) => Math.abs(number) >= least);
  const scaled = number / divisor;
  const text = rule === '5g' ? strip(digits(scaled, rule), scaled) : digits(scaled, rule);
  return shown ? `${text}${NBSP}${shown}` : text;
}

export function difference(before, after, unit, scales) {
  if (unit === 'word' || unit === 'flag') {
    const [first, second] = [display(before, unit, scales), display(after, unit, scales)];
    return first === second ? 'no change' : `${first} → ${second}`;
  }
  if (before === after) return 'no change';
  const change = after - before;
  const sign = change > 0 ? '+' : '';
  const share = before && Number.isFinite(change) ? ` (${sign}${digits((100 * change) / Math.abs(before), '3g')}${NBSP}%)` : '';
  return `${sign}${display(change, unit, scales)}${share}`;
}

// A number as Python writes it: whole ones without a point, small ones with a two-digit exponent.
export function plain(value) {
  if (Number.isInteger(value)) return BigInt(value).toString();
  if (value === Infinity) return 'inf';
  if (Math.abs(value) >= 1e-4) return String(value);
  const [mantissa, exponent] = value.toExponential().split('e-');
  return `${mantissa}e-${exponent.padStart(2, '0')}`;
}
