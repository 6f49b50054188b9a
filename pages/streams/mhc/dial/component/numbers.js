// @ts-check
// How the dial writes numbers. Free of the DOM.

import { minus } from "#canvas/text.js";

/**
 * A number with `places` decimals, or with an exponent: 0.031, 12.400, 3.1e−9.
 * @param {number} value
 * @param {number} [places]
 */
export function decimal(value, places = 3) {
  if (!Number.isFinite(value)) return value === -Infinity ? "−∞" : String(value);
  const size = Math.abs(value);
  const exponential = size !== 0 && (size < 10 ** -places || size >= 1e5);
  const text = exponential ? value.toExponential(1) : value.toFixed(size >= 100 ? 1 : places);
  return minus(text.replace("e+", "e"));
}

/**
 * A positive number of any size in a few characters: 0.013, 3.1e−9.
 * @param {number} value
 */
export function brief(value) {
  return (value >= 0.001 && value < 1e4 ? value.toPrecision(3) : value.toExponential(2)).replace("e+", "e").replace("e-", "e−");
}
