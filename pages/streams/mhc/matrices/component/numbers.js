// @ts-check
// How the matrices are written and described.

import { digits, minus, named, power } from "#canvas/text.js";
import { textWidth } from "#canvas/theme.js";
import { TEXTS } from "./words.js";

/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").View} View */

/**
 * Name, value and explanation of each number beside the eigenvalues.
 * @param {View} v
 */
export function facts(v) {
  const { roots, singular, rows, columns, fromIdentity, fromMean } = v.result;
  const off = (/** @type {Float64Array} */ values) => Math.max(...Array.from(values, (x) => Math.abs(x - 1)));
  const first = singular.slice(0, 4).map((x) => x.toFixed(3)).join(" ");
  const second = roots.length > 1 ? Math.hypot(...roots[1]) : null;
  if (!v.header.maths) {
    return [
      ["largest growth", `× ${digits(singular[0], 5)}`, TEXTS.mostSignalCan],
      ["fades to", second === null ? "–" : `× ${digits(second, 4)}`, TEXTS.whatRemainsDifference],
      ["from no mixing", fixed(fromIdentity), TEXTS.differenceMatrixCarries],
      ["from full mixing", fixed(fromMean), TEXTS.differenceMatrixMakes],
      ["rows off 1 by", small(off(rows)), TEXTS.largestDistanceRow],
      ["columns off 1 by", small(off(columns)), TEXTS.largestDistanceColumn],
    ];
  }
  return [
    ["singular values σ", `${first}${singular.length > 4 ? " …" : ""}`, `Singular values: ${singular.map((x) => digits(x, 6)).join(", ")}`],
    ["largest σ = ‖H‖₂", digits(singular[0], 5), TEXTS.spectralNormMost],
    ["second |λ|", second === null ? "–" : digits(second, 4), TEXTS.howFastDifferences],
    ["‖H − I‖F", digits(fromIdentity, 4), TEXTS.frobeniusDistanceIdentity],
    ["‖H − 1/N‖F", digits(fromMean, 4), TEXTS.frobeniusDistanceN],
    ["rows off 1 by", small(off(rows)), TEXTS.largestDistanceRow],
    ["columns off 1 by", small(off(columns)), TEXTS.largestDistanceColumn],
  ];
}

/**
 * Three decimals, two digits below 0.01, and a power of ten below 0.0001.
 * @param {number} value
 */
export function small(value) {
  if (value >= 0.01 || !(value > 0)) return value ? value.toFixed(3) : "0";
  if (value >= 1e-4) return String(Number(value.toPrecision(2)));
  const [head, exponent] = value.toExponential(1).split("e");
  return `${head}·${power(Number(exponent))}`;
}

/**
 * The entries in as many digits as all of them fit with into `width` pixels; nothing where none fit.
 * @param {Theme} theme
 * @param {ArrayLike<number>} matrix
 * @param {number} width
 * @param {number} size
 */
export function cellTexts(theme, matrix, width, size) {
  /** @type {[number, string][]} */
  const forms = [[3, "$10."], [3, "$1."], [2, "$1."]];
  for (const [places, leading] of forms) {
    const texts = Array.from(matrix, (x) => (Number.isFinite(x) ? minus(unsignedZero(x.toFixed(places))).replace(/^(−?)0\./, leading) : ""));
    if (texts.every((text) => textWidth(theme, text, size) <= width - 3)) return texts;
  }
  return Array.from(matrix, () => "");
}

/**
 * A number's digits, without a sign where all of them are 0.
 * @param {string} text
 */
function unsignedZero(text) {
  return Number(text) === 0 ? text.replace("-", "") : text;
}

/**
 * A text in lines that are no wider than `width` pixels.
 * @param {Theme} theme
 * @param {string} text
 * @param {number} width
 * @param {number} size
 */
export function wrapped(theme, text, width, size) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (textWidth(theme, longer, size) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** @param {View} v */
export function tokenName(v, token = v.state.token) {
  return named(v.header.tokens, token);
}

/**
 * The matrix looked at in one sentence, for screen readers.
 * @param {View} v
 */
export function sentence(v) {
  const { header, state, result } = v;
  const sizes = TEXTS.distanceIdentitySpectral(digits(result.fromIdentity, 3), digits(result.singular[0], 4));
  const parts = result.parts?.terms.length ? TEXTS.permutationsFirstWeight(result.parts.terms.length, digits(result.parts.terms[0].weight, 3)) : "";
  return `${header.names[state.sublayer]} at token ${tokenName(v)}: ${sizes}${parts}.`;
}

/**
 * Two places, or three where those would be zeros.
 * @param {number} value
 */
export function weight(value) {
  return fixed(value, value && Math.abs(value) < 0.005 ? 3 : 2);
}

/** @param {number} value */
export function fixed(value, places = 4) {
  return Number.isFinite(value) ? minus(value.toFixed(places)) : "–";
}

/**
 * Three digits, for the ends of an axis.
 * @param {number} value
 */
export function tick(value) {
  if (!Number.isFinite(value)) return "–";
  const text = value !== 0 && Math.abs(value) < 1e-3 ? String(Number(value.toPrecision(1))) : value.toPrecision(3);
  return minus(text);
}
