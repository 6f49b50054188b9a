// @ts-check
// Where the bars lie, on the page and in the file that is saved.

import { figureOf } from "#canvas/pens.js";
import { minus } from "#canvas/text.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Term} Term */
/** @typedef {import("./scores.js").Parts} Parts */

export const HEIGHT = 27; // pixels of a row
/** @type {Record<Term, string>} */
export const TERMS = { logp: "log P", length: "length", coverage: "coverage", end: "end" };
/** @type {Record<Term, string>} */
const COLORS = { logp: "#3f88c2", length: "#159a74", coverage: "#e08a00", end: "#c2529b" };
const [TEXT, CHART, SCORE] = [330, 480, 70]; // pixels: the columns of the file

/**
 * Each term from where to where: what is negative leads left from zero, what is positive leads back.
 * @param {Parts} parts
 * @returns {[term: Term, from: number, to: number][]}
 */
export function bars({ logp, length, coverage, end }) {
  const low = logp + coverage;
  return [["logp", 0, logp], ["coverage", logp, low], ["length", low, low + length], ["end", low + length, low + length + end]];
}

/**
 * Where a value lies in the chart, in percent.
 * @param {View} v
 * @param {number} value
 */
export function share(v, value) {
  const [low, high] = v.span;
  return (100 * (value - low)) / (high - low);
}

/**
 * @param {number} value
 * @param {number} [places]
 */
export function signed(value, places = 2) {
  return minus(value.toFixed(places));
}

/**
 * Save the ranking as SVG, dark on white.
 * @param {View} v
 */
export function savedRanking(v) {
  const size = { width: TEXT + CHART + SCORE, height: 44 + v.order.length * HEIGHT };
  const paper = { background: "#ffffff", font: "sans-serif" };
  return figureOf("tlmviz-ranking", { ...size, theme: paper }, (pen) => {
    const ink = { color: "#000000", size: 12 };
    Object.entries(TERMS).forEach(([name, title], k) => {
      pen.rect(TEXT + 90 * k, 8, 10, 10, COLORS[/** @type {Term} */ (name)]);
      pen.text(TEXT + 90 * k + 14, 13, title, ink);
    });
    v.order.forEach((row, place) => {
      const y = 34 + place * HEIGHT;
      const at = (/** @type {number} */ value) => TEXT + (share(v, value) * CHART) / 100;
      const label = `${place + 1}. ${row.text}`;
      pen.text(TEXT - 8, y + 9, label.length > 52 ? `${label.slice(0, 51)}…` : label, { ...ink, align: "right" });
      for (const [term, from, to] of bars(row.parts)) {
        const top = term === "logp" || term === "coverage" ? y : y + 9;
        pen.rect(at(Math.min(from, to)), top, Math.abs(at(to) - at(from)), 8, COLORS[term]);
      }
      pen.text(TEXT + CHART + 8, y + 9, signed(row.parts.total), ink);
    });
  });
}
