// @ts-check
// What a user types, and how numbers are written. Free of the DOM.

import { decodeBits } from "#canvas/bits.js";
import { minus } from "#canvas/text.js";
import { TEXTS } from "./words.js";

/** @typedef {import("#canvas/bits.js").Format} Format */

export const LONGEST = 60; // characters of what is typed

/**
 * The number of a text; a `problem` in one sentence where there is none. 0x and 0b begin a bit pattern of the format.
 * @param {string} text
 * @param {Format} format
 * @returns {{ x: number, code?: number, note?: string, problem?: string }}
 */
export function readNumber(text, format) {
  const plain = text.trim().replaceAll("−", "-").replaceAll("_", "");
  const fail = (/** @type {string} */ problem) => ({ x: NaN, problem });
  if (!plain) return fail(TEXTS.boxEmptyWrite);
  if (/^0[xb]/i.test(plain)) {
    if (!/^0(x[0-9a-f]+|b[01]+)$/i.test(plain)) return fail(TEXTS.noBitPattern(text));
    const code = Number(plain);
    if (code >= 2 ** format.bits) return fail(TEXTS.tooLongWhich(text, format.name, format.bits, hex(2 ** format.bits - 1, format)));
    return { x: decodeBits(format, code).value, code, note: TEXTS.readBits(format.name) };
  }
  if (/^[+-]?nan$/i.test(plain)) return { x: NaN };
  if (/^[+-]?(inf|infinity|∞)$/i.test(plain)) return { x: plain.startsWith("-") ? -Infinity : Infinity };
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(plain)) return fail(TEXTS.noNumberWrite(text));
  const x = Number(plain);
  if (!Number.isFinite(x)) return { x, note: TEXTS.beyondLargestNumber };
  if (x === 0 && /[1-9]/.test(plain.replace(/e.*/i, ""))) return { x, note: TEXTS.belowSmallestNumber };
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
  if (kind === "NaN") return format.top === "nan" ? TEXTS.allBitsAfter : TEXTS.exponentAllMantissa;
  if (kind === "infinity") return `exponent all 1, mantissa 0: ${spelled(value)}`;
  if (format.integer) return negative ? `−${2 ** format.mantissa} + ${fraction} = ${spelled(value)}` : `${spelled(value)}, counted in ones`;
  const whole = 2 ** format.mantissa;
  const mantissa = fraction ? `${field ? "1 + " : ""}${fraction}/${whole}` : field ? "1" : "0";
  const power = field ? `2${raised(field - format.bias)}` : `2${raised(format.least)}`;
  const from = field ? `exponent ${field} ${minus(`- ${format.bias}`)}` : "exponent 0: no leading 1";
  return `${negative ? "−1" : "+1"} × ${power} × ${mantissa.includes("/") ? `(${mantissa})` : mantissa} = ${spelled(value)}   (${from})`;
}
