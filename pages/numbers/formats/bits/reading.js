// @ts-check
// What a user types, and how numbers are written. Free of the DOM.

import { decodeBits } from "#canvas/bits.js";
import { _ } from "#canvas/language.js";

/** @typedef {import("#canvas/bits.js").Format} Format */

/**
 * The number of a text; a `problem` in one sentence where there is none. 0x and 0b begin a bit pattern of the format.
 * @param {string} text
 * @param {Format} format
 * @param {number} longest characters that are read
 * @returns {{ x: number, code?: number, note?: string, problem?: string }}
 */
export function readNumber(text, format, longest) {
  const plain = text.trim().replaceAll("−", "-").replaceAll("_", "");
  const fail = (/** @type {string} */ problem) => ({ x: NaN, problem });
  if (!plain) return fail(_("The box is empty: write a number such as 0.1, or bits such as 0x7f."));
  if (text.length > longest) return fail(_("{count} characters are too many for a number here: at most {longest} are read.", { count: text.length, longest }));
  if (/^0[xb]/i.test(plain)) {
    if (!/^0(x[0-9a-f]+|b[01]+)$/i.test(plain)) return fail(
      _("“{text}” is no bit pattern: after 0x come digits 0 to 9 and a to f, after 0b come 0 and 1.", { text }));
    const code = Number(plain);
    if (code >= 2 ** format.bits) return fail(_("“{text}” is too long for {name}, which has {bits} bits: at most {most}.",
      { text, name: format.name, bits: format.bits, most: hex(2 ** format.bits - 1, format) }));
    return { x: decodeBits(format, code).value, code, note: _("Read as bits of {name}.", { name: format.name }) };
  }
  if (/^[+-]?nan$/i.test(plain)) return { x: NaN };
  if (/^[+-]?(inf|infinity|∞)$/i.test(plain)) return { x: plain.startsWith("-") ? -Infinity : Infinity };
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain))
    return fail(_("“{text}” is no number: write it as 0.1, -3e-5, inf or nan, or its bits as 0x7f or 0b0101.", { text }));
  const x = Number(plain);
  if (!Number.isFinite(x)) return { x, note: _("Beyond 1.8·10³⁰⁸, the largest number of 64 bits: read as infinity.") };
  if (x === 0 && /[1-9]/.test(plain.replace(/e.*/i, ""))) return { x, note: _("Below 4.9·10⁻³²⁴, the smallest number of 64 bits: read as zero.") };
  return { x };
}

/**
 * A pattern in hexadecimal, with as many digits as the format's bits fill.
 * @param {number} code
 * @param {Format} format
 */
export function hex(code, format) {
  return `0x${code.toString(16).padStart(Math.ceil(format.bits / 4), "0")}`;
}

/**
 * A number in at most so many digits: 0.1015625, −1.4013·10⁻⁴⁵, ∞, NaN.
 * @param {number} value
 * @param {number} [most]
 */
export function spelled(value, most = 9) {
  if (Number.isNaN(value)) return "NaN";
  const sign = value < 0 || Object.is(value, -0) ? "−" : "";
  const size = Math.abs(value);
  if (!Number.isFinite(size)) return `${sign}∞`;
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) {
    const [head, exponent] = size.toExponential(most - 1).split("e");
    return `${sign}${Number(head)}·10${raised(Number(exponent))}`;
  }
  return sign + String(Number(size.toPrecision(most)));
}

/** @param {number} exponent */
export function raised(exponent) {
  return String(exponent).replace("-", "⁻").replace(/\d/g, (d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(d)]);
}

/**
 * The value of a pattern as sign × power of two × mantissa.
 * @param {Format} format
 * @param {number} code
 */
export function formula(format, code) {
  const { negative, field, fraction, value, kind } = decodeBits(format, code);
  if (kind === "NaN") return format.top === "nan" ? _("all bits after the sign are 1: NaN, not a number") : _(
    "exponent all 1, mantissa not 0: NaN, not a number");
  if (kind === "infinity") return _("exponent all 1, mantissa 0: {value}", { value: spelled(value) });
  if (format.integer) return negative ? `−${2 ** format.mantissa} + ${fraction} = ${spelled(value)}` : _("{value}, counted in ones", { value: spelled(value) });
  const whole = 2 ** format.mantissa;
  const mantissa = fraction ? `${field ? "1 + " : ""}${fraction}/${whole}` : field ? "1" : "0";
  const power = field ? `2${raised(field - format.bias)}` : `2${raised(format.least)}`;
  const from = field ? _("exponent {field} − {bias}", { field, bias: format.bias }) : _("exponent 0: no leading 1");
  return `${negative ? "−1" : "+1"} × ${power} × ${mantissa.includes("/") ? `(${mantissa})` : mantissa} = ${spelled(value)}   (${from})`;
}

/** @param {number} share */
export function percent(share) {
  return share === 0 ? "0%" : `${spelled(100 * share, 2)}%`;
}

/** @param {Format} format */
export function facts(format) {
  const { name, integer, mantissa, largest, smallest, smallest_normal: normal, step_at_one: ulp, top } = format;
  if (integer)
    return _("{name}: whole numbers from −{most} to {largest}; rounding stops at ±{largest}. No infinity, no NaN; a step is 1, or the scale that goes with it.",
    { name, most: 2 ** mantissa, largest });
  const power = (/** @type {number} */ value) => `2${raised(Math.round(Math.log2(value)))}`;
  const values = { name, largest: spelled(largest, 6), normal: `${power(normal)} = ${spelled(normal, 3)}`,
    smallest: `${power(smallest)} = ${spelled(smallest, 3)}`, ulp: power(ulp), beyond: { infinity: "∞", nan: "NaN", finite: _("the largest") }[top] };
  return _("{name}: largest {largest}, smallest normal {normal}, smallest of all {smallest}, ULP at 1 {ulp}; beyond the largest: {beyond}.", values);
}
