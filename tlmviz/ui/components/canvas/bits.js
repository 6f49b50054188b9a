// @ts-check
// Formats bit by bit, as tlmviz.analysis.numbers.formats in Python: patterns, values, rounding, neighbours. Free of the DOM.

/**
 * A format as Python describes it; `top`: what the patterns with all exponent bits set are.
 * @typedef {{ key: string, name: string, use: string, exponent: number, mantissa: number, top: "infinity" | "nan" | "finite", bits: number,
 *   integer: boolean, bias: number, least: number, smallest_normal: number, smallest: number, largest: number, step_at_one: number }} Format
 */
/** @typedef {"zero" | "subnormal" | "normal" | "infinity" | "NaN" | "integer"} Kind */
/** @typedef {{ code: number, negative: boolean, field: number, fraction: number, value: number, kind: Kind }} Pattern */
/** @typedef {"exact" | "rounded" | "overflow" | "underflow" | "subnormal" | "none"} Fate what became of a number */

/**
 * What a bit pattern, a whole number from 0 on, is worth.
 * @param {Format} format
 * @param {number} code
 * @returns {Pattern}
 */
export function decodeBits(format, code) {
  const half = 2 ** (format.bits - 1);
  const negative = code >= half;
  if (format.integer) return { code, negative, field: 0, fraction: code % half, value: negative ? code - 2 * half : code, kind: code ? "integer" : "zero" };
  const rest = code % half;
  const field = Math.floor(rest / 2 ** format.mantissa);
  const fraction = rest % 2 ** format.mantissa;
  const full = field === 2 ** format.exponent - 1;
  /** @type {Kind} */
  let kind = field ? "normal" : fraction ? "subnormal" : "zero";
  let size = ((field ? 1 : 0) + fraction / 2 ** format.mantissa) * 2 ** (Math.max(field, 1) - format.bias);
  if (full && format.top === "infinity") {
    kind = fraction ? "NaN" : "infinity";
    size = fraction ? NaN : Infinity;
  } else if (full && format.top === "nan" && fraction === 2 ** format.mantissa - 1) {
    kind = "NaN";
    size = NaN;
  }
  return { code, negative, field, fraction, value: negative ? -size : size, kind };
}

/**
 * The exponent e of 2^e <= |x| < 2^(e + 1), for a finite x other than 0.
 * @param {number} x
 */
export function exponentOf(x) {
  let e = Math.floor(Math.log2(Math.abs(x)));
  // The logarithm is rounded: right next to a power of two it may be one off.
  if (2 ** e > Math.abs(x)) e -= 1;
  if (2 ** (e + 1) <= Math.abs(x)) e += 1;
  return e;
}

/** @param {number} q at least 0 */
function halfToEven(q) {
  const low = Math.floor(q);
  const over = q - low;
  return over > 0.5 || (over === 0.5 && low % 2 === 1) ? low + 1 : low;
}

/**
 * A number as a format keeps it: rounded to nearest, ties to the even last bit. NaN where the format says so.
 * @param {Format} format
 * @param {number} x
 * @returns {number}
 */
export function roundTo(format, x) {
  if (Number.isNaN(x)) return NaN;
  const result = nearestStep(format, x);
  if (Math.abs(result) > format.largest) return format.top === "infinity" ? Math.sign(x) * Infinity : format.top === "nan"
    ? NaN : Math.sign(x) * format.largest;
  return format.integer ? result + 0 : result;
}

/**
 * A number on the nearest of the format's steps, which go on beyond its largest number.
 * @param {Format} format
 * @param {number} x
 */
function nearestStep(format, x) {
  if (!Number.isFinite(x) || x === 0) return x;
  const step = 2 ** (Math.max(exponentOf(x), format.least) - format.mantissa);
  return Math.sign(x) * halfToEven(Math.abs(x) / step) * step;
}

/**
 * The pattern of a number that the format holds; null for NaN and infinity where it has none.
 * @param {Format} format
 * @param {number} value
 * @returns {number | null}
 */
export function encodeBits(format, value) {
  const half = 2 ** (format.bits - 1);
  if (format.integer) return Number.isFinite(value) ? (value < 0 ? value + 2 * half : value) : null;
  const sign = value < 0 || Object.is(value, -0) ? half : 0;
  if (Number.isNaN(value)) {
    if (format.top === "finite") return null;
    return format.top === "nan" ? half - 1 : half - 2 ** (format.mantissa - 1);
  }
  if (!Number.isFinite(value)) return format.top === "infinity" ? sign + half - 2 ** format.mantissa : null;
  if (value === 0) return sign;
  const e = Math.max(exponentOf(value), format.least);
  const steps = Math.abs(value) / 2 ** (e - format.mantissa);
  // A subnormal has fewer steps than a leading 1 makes, and the exponent's bits 0: both add up the same way.
  return sign + (e - format.least) * 2 ** format.mantissa + steps;
}

/**
 * What became of a number, and its pattern: null where the format has none for it.
 * @param {Format} format
 * @param {number} x
 * @returns {{ value: number, code: number | null, fate: Fate }}
 */
export function kept(format, x) {
  const value = roundTo(format, x);
  const code = encodeBits(format, value);
  /** @type {Fate} */
  let fate = Object.is(value, x) || value === x ? "exact" : "rounded";
  if (Number.isNaN(x)) fate = code === null ? "none" : "exact";
  else if (Math.abs(nearestStep(format, x)) > format.largest && value !== x) fate = "overflow";
  else if (value === 0 && x !== 0) fate = "underflow";
  else if (fate === "rounded" && !format.integer && Math.abs(value) < format.smallest_normal) fate = "subnormal";
  return { value, code, fate };
}

/**
 * The next number below (-1) or above (1) a pattern's; null beyond the last finite one.
 * @param {Format} format
 * @param {number} code
 * @param {1 | -1} way
 * @returns {number | null} its pattern
 */
export function neighbour(format, code, way) {
  const here = decodeBits(format, code);
  if (!Number.isFinite(here.value)) return null;
  const half = 2 ** (format.bits - 1);
  if (format.integer) {
    const next = here.value + way;
    return next < -half || next >= half ? null : (next + 2 * half) % (2 * half);
  }
  const size = code % half;
  const outwards = (way > 0) === !here.negative;
  if (here.value === 0) return (way > 0 ? 0 : half) + 1;
  const next = code + (outwards ? 1 : -1);
  const found = decodeBits(format, next);
  return (outwards && size === half - 1) || !Number.isFinite(found.value) ? null : next;
}

/**
 * How many numbers a format has from 2^e to below 2^(e + 1): 0 outside its range.
 * @param {Format} format
 * @param {number} e
 */
export function countInDoubling(format, e) {
  const [low, high] = [2 ** e, 2 ** (e + 1)];
  if (low > format.largest || high <= format.smallest) return 0;
  const step = 2 ** (Math.max(e, format.least) - format.mantissa);
  return Math.floor((Math.min(high - step, format.largest) - Math.max(low, step)) / step) + 1;
}
