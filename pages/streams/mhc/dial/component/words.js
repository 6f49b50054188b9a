// @ts-check
// What the dial says in words.

import { sums } from "#canvas/matrix.js";
import { brief, decimal } from "./numbers.js";

/** @typedef {import("./types").View} View */

/** @param {number} step */
export function stepName(step) {
  const k = Math.floor(step / 2);
  if (step === 0) return "0 iterations: largest entry set to 1";
  return step % 2 ? `Iteration ${k + 1}: rows scaled` : `Iteration ${k}: columns scaled too`;
}

/** @param {View} v */
export function matrixWords(v) {
  const { rows, columns } = sums(v.steps[v.step], v.n);
  const list = (/** @type {Float64Array} */ values) => Array.from(values, (value) => decimal(value)).join(", ");
  return `${v.n} by ${v.n} matrix. ${stepName(v.step)}. Row sums ${list(rows)}. Column sums ${list(columns)}. Arrow keys read its entries.`;
}

/** @param {View} v */
export function cellWords(v) {
  if (v.cursor === null || v.cursor >= v.n * v.n) return "Point at an entry, or use the arrow keys, to read it exactly.";
  const value = v.steps[v.step][v.cursor];
  const exact = value !== 0 && value < 1e-6 ? value.toExponential(6) : value.toFixed(9);
  return `Row ${Math.floor(v.cursor / v.n) + 1}, column ${(v.cursor % v.n) + 1}: ${exact}, from the logit ${decimal(v.raw[v.cursor], 4)}`;
}

/** @param {View} v */
export function speedWords(v) {
  const now = v.trail[v.step].both;
  const before = v.step > 1 ? v.trail[v.step - 2].both : NaN;
  const measured = before > 1e-14 && now > 1e-15 ? `; this iteration × ${decimal(now / before, 4)}` : "";
  const expected = v.rate > 0 ? `; in the end × σ₂² = ${decimal(v.rate, 4)} each` : "";
  if (v.support?.kind === "total" && Number.isNaN(v.rate)) return `Residual ${brief(now)}${measured}. The limit is out of reach: no rate is drawn.`;
  return `Residual ${now < 1e-15 ? "below 1e−15" : brief(now)}${measured}${expected}.`;
}

/** @param {View} v */
export function gainWords(v) {
  const [forward, backward] = v.gains[Math.floor(v.step / 2)];
  const k = Math.floor(v.step / 2);
  return `${v.data.model.sublayers.length} sublayers with ${k} iteration${k === 1 ? "" : "s"} each: forward × ${exactly(forward)}, backward × ${exactly(backward)}.`;
}

/**
 * A gain: as a distance from 1 where digits would not show it.
 * @param {number} gain
 */
function exactly(gain) {
  const away = gain - 1;
  if (Math.abs(away) < 1e-15) return "1";
  return Math.abs(away) < 5e-4 ? `(1 ${away < 0 ? "−" : "+"} ${brief(Math.abs(away))})` : brief(gain);
}

export const TEXTS = {
  halfStepsSinkhorn: "Half steps of Sinkhorn-Knopp",
  dividesLogitsEntries: "Divides the logits: entries are raised to the power 1/T",
  showDistanceLogarithmic: "Show the distance from 1 on a logarithmic axis",
  takeTheseLogits: "Take these logits over as your own matrix",
  rowColumnFewer: "One row and column fewer",
  rowColumnMore: "One row and column more",
  matrixEdit: "Your matrix, to edit",
  halfStepBack: "A half step back",
  halfStep: "A half step on",
  gainAllSublayers: "Gain of all sublayers' product",
  residualAgainstIterations: (/** @type {string} */ speed) => `Residual against iterations, logarithmic. ${speed}`,
  gainOverDepth: (/** @type {string} */ gain) => `Gain over depth against iterations. ${gain}`,
  checkingWhetherScaling: "Checking whether a scaling exists …",
};
