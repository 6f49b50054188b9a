// @ts-check
// What is measured of every head, and heads in its order. Free of the DOM.

/** @typedef {import("./types").Header} Header */
/** @typedef {import("./types").Statistic} Statistic */

// name -> label, unit, and whether the largest comes first when heads are sorted by it
/** @type {Record<Statistic, { label: string, unit: string, descending: boolean, note: string }>} */
export const STATISTICS = {
  entropy: { label: "Entropy", unit: " bits", descending: false, note: "most focused first" },
  previous: { label: "Previous token", unit: "", descending: true, note: "largest mass first" },
  induction: { label: "Induction", unit: "", descending: true, note: "largest mass first" },
  sink: { label: "Attention sink", unit: "", descending: true, note: "largest mass first" },
  distance: { label: "Mean distance", unit: " tokens", descending: true, note: "farthest first" },
};

/**
 * Heads (as flat indices) in the order in which the overview shows them.
 * @param {Header} header
 * @param {string} order
 */
export function arrange(header, order) {
  const all = Array.from({ length: header.layers * header.heads }, (_, i) => i);
  const statistic = /** @type {Statistic} */ (order);
  /** @type {number[] | undefined} */
  const values = header.stats?.[statistic];
  if (!values) return all;
  const sign = STATISTICS[statistic].descending ? -1 : 1;
  const rank = (/** @type {number} */ i) => (values[i] === null ? Infinity : sign * values[i]);
  return all.sort((a, b) => (rank(a) === rank(b) ? a - b : rank(a) - rank(b)));
}
