// @ts-check
// What is measured of every head, and heads in its order. Free of the DOM.

import { N_ } from "#canvas/language.js";
import { tagged } from "./tags.js";

/** @typedef {import("./types").Header} Header */
/** @typedef {import("./types").Statistic} Statistic */

// name -> label, unit, and whether the largest comes first when heads are sorted by it
/** @type {Record<Statistic, { label: string, unit: string, descending: boolean, note: string }>} */
export const STATISTICS = {
  entropy: { label: N_("Entropy"), unit: " bits", descending: false, note: N_("most focused first") },
  previous: { label: N_("Previous token"), unit: "", descending: true, note: N_("largest mass first") },
  induction: { label: N_("Induction"), unit: "", descending: true, note: N_("largest mass first") },
  sink: { label: N_("Attention sink"), unit: "", descending: true, note: N_("largest mass first") },
  distance: { label: N_("Mean distance"), unit: " tokens", descending: true, note: N_("farthest first") },
};

/**
 * Heads (as flat indices) in the order in which the overview shows them: all, or those that `find` describes.
 * @param {Header} header
 * @param {string} order
 * @param {string} [find]
 */
export function arrange(header, order, find = "") {
  const wanted = search(header, order, find);
  const all = Array.from({ length: header.layers * header.heads }, (_, i) => i).filter(wanted ?? (() => true));
  const statistic = /** @type {Statistic} */ (order);
  /** @type {number[] | undefined} */
  const values = header.stats?.[statistic];
  if (!values) return all;
  const sign = STATISTICS[statistic].descending ? -1 : 1;
  const rank = (/** @type {number} */ i) => (values[i] === null ? Infinity : sign * values[i]);
  return all.sort((a, b) => (rank(a) === rank(b) ? a - b : rank(a) - rank(b)));
}

/**
 * Which heads a search asks for: "5" a layer, "5.3" a head, "induction" a tag, "induction > 0.4" a statistic, "> 0.4" the one
 * heads are ordered by.
 * Null where the text asks for nothing that can be understood.
 * @param {Header} header
 * @param {string} order
 * @param {string} find
 * @returns {((index: number) => boolean) | null}
 */
export function search(header, order, find) {
  const place = /^\s*L?(\d+)(?:\s*[.:]\s*H?(\d+))?\s*$/i.exec(find);
  if (place) {
    const [layer, head] = [Number(place[1]), place[2] === undefined ? null : Number(place[2])];
    return (i) => Math.floor(i / header.heads) === layer && (head === null || i % header.heads === head);
  }
  const having = tagged(header, find);
  if (having) return having;
  const bound = /^\s*([a-z ]*?)\s*([<>])=?\s*(\d*\.?\d+)\s*$/i.exec(find);
  if (!bound) return null;
  const values = header.stats?.[/** @type {Statistic} */ (statisticNamed(bound[1]) ?? order)];
  if (!values || (bound[1] && !statisticNamed(bound[1]))) return null;
  const [sign, limit] = [bound[2] === ">" ? 1 : -1, Number(bound[3])];
  return (i) => values[i] !== null && sign * values[i] >= sign * limit;
}

/**
 * The statistic whose name or label begins like this.
 * @param {string} text
 */
function statisticNamed(text) {
  const start = text.toLowerCase();
  if (!start) return undefined;
  return Object.entries(STATISTICS).find(
    ([name, { label }]) => name.startsWith(start) || label.toLowerCase().includes(start))?.[0];
}
