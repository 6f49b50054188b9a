// @ts-check
// What is added to log P when translations compete: tlmviz/decoding/penalties.py (004 sections 6.2-6.4, 7.1).

import { BadSearch } from "../errors.js";

const FLOOR = 0.01; // of the attention that a source token counts as having got

/** @typedef {{ alpha: number, beta: number, gamma: number }} Weights of length, coverage and end */
/** @typedef {{ logp: number, length: number, coverage: number, end: number, total: number }} Score in nats, in parts that add up */

/**
 * @param {Weights} weights
 * @throws BadSearch
 */
export function checkPenalties(weights) {
  for (const [name, value] of Object.entries(weights)) {
    if (!(value >= 0 && value < Infinity)) throw new BadSearch(`${name} is ${value}; it must be 0 or more (0 switches that penalty off).`);
  }
}

/**
 * What source tokens cost that were looked at too little: the sum of log min(max(covered, floor), 1).
 * @param {ArrayLike<number>} covered
 */
export function coverageOf(covered) {
  let sum = 0;
  for (let j = 0; j < covered.length; j++) sum += Math.log(Math.min(Math.max(covered[j], FLOOR), 1));
  return sum;
}

/**
 * log P / lp(Y) + cp(X, Y) + ep(X, Y) of so many target tokens (004 Eq. 32-37, 41).
 * @param {Weights} weights
 * @param {number} logp
 * @param {number} count
 * @param {ArrayLike<number>} covered the attention that each source token got
 * @returns {Score}
 */
export function scoreOf({ alpha, beta, gamma }, logp, count, covered) {
  const length = logp / ((5 + count) / 6) ** alpha - logp;
  const [coverage, end] = [beta ? beta * coverageOf(covered) : 0, (gamma * count) / covered.length];
  return { logp, length, coverage, end, total: logp + length + coverage + end };
}
