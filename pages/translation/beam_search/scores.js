// @ts-check
// The scores of texts, 004 Eq. 34-41, and where their bars lie. Free of the DOM.

/** @typedef {"alpha" | "beta" | "gamma"} Weight */
/** @typedef {Record<Weight, number>} Weights */
/** @typedef {{ id: number, text: string, count: number, logp: number, coverage: number, ends: number, finished: boolean,
 * way: number[] }} Row as `rows` in Python */
/** @typedef {{ logp: number, length: number, coverage: number, end: number, total: number }} Parts */
/** @typedef {Row & { parts: Parts }} Ranked */

/**
 * lp(Y): ((5 + |Y|) / 6)^alpha, or |Y|^alpha for the kind "power".
 * @param {number} count
 * @param {number} alpha
 * @param {string} kind
 */
function lengthPenalty(count, alpha, kind) {
  return kind === "power" ? Math.max(1, count) ** alpha : ((5 + count) / 6) ** alpha;
}

/**
 * A text's score in parts that add up to `total`.
 * @param {Row} row
 * @param {Weights} weights
 * @param {string} kind
 * @returns {Parts}
 */
function partsOf(row, { alpha, beta, gamma }, kind) {
  const length = row.logp / lengthPenalty(row.count, alpha, kind) - row.logp;
  const coverage = beta * row.coverage;
  const end = gamma * row.ends;
  return { logp: row.logp, length, coverage, end, total: row.logp + length + coverage + end };
}

/**
 * Rows with their parts, best first; equal ones in the order given.
 * @param {Row[]} rows
 * @param {Weights} weights
 * @param {string} kind
 * @returns {Ranked[]}
 */
export function rank(rows, weights, kind) {
  return rows
    .map((row) => ({ ...row, parts: partsOf(row, weights, kind) }))
    .sort((a, b) => b.parts.total - a.parts.total);
}

/**
 * Each term from where to where: what is negative leads left from zero, what is positive leads back.
 * @param {Parts} parts
 * @returns {[term: keyof Parts, from: number, to: number][]}
 */
export function bars({ logp, length, coverage, end }) {
  const low = logp + coverage;
  return [["logp", 0, logp], ["coverage", logp, low], ["length", low, low + length], ["end", low + length, low + length + end]];
}
