// @ts-check
// Amounts in words and digits. Free of the DOM.

import { _ } from "#canvas/language.js";

const STEPS = ["", " k", " M", " G", " T", " P", " E", " Z", " Y"];

/**
 * Three digits and a letter for the thousands: 17.8 G; whole below ten thousand.
 * @param {number} value
 * @param {string} [unit] after the letter
 */
export function amount(value, unit = "") {
  if (value < 9999.5) return `${grouped(Math.round(value))}${unit && ` ${unit}`}`;
  const step = Math.min(STEPS.length - 1, Math.floor(Math.log10(value * 1.0005) / 3));
  const shown = value / 1000 ** step;
  return `${shown.toFixed(shown >= 99.95 ? 0 : shown >= 9.995 ? 1 : 2)}${STEPS[step] || " "}${unit}`;
}

/**
 * A whole number with commas between thousands.
 * @param {number} value
 */
export function grouped(value) {
  return Math.round(value).toLocaleString("en-US");
}

/**
 * A share in percent, with a digit after the point below ten; 0% and 100% only where it is.
 * @param {number} share
 */
export function percent(share) {
  const value = 100 * share;
  if (share > 0 && share < 1 && value >= 99.5) return _("over {most}", { most: "99.5%" });
  if (value > 0 && value < 0.05) return _("under {least}", { least: "0.1%" });
  return `${value >= 9.95 || value === 0 ? value.toFixed(0) : value.toFixed(1)}%`;
}
