// @ts-check
// A head of which only the weights are known, as they were given or rounded. Free of the DOM.

import { Head } from "./head.js";

/** The same as a Head, without scores: what it shows at every stage are probabilities. */
export class Weights extends Head {
  /**
   * @param {import("./types").Header} header
   * @param {Float32Array} weights [T * T]
   */
  constructor(header, weights) {
    const none = new Float32Array(0);
    super({ ...header, scale: 1, slope: 0 }, { q: none, k: none, lse: new Float32Array(header.tokens.length), relative: null });
    this.weights = weights;
    this.levels = header.levels ?? 0; // 0: as they are
    this.faint = header.faint ?? 0;
    this.dots = Float32Array.from(weights, Math.log); // scores whose softmax has these weights
    this.complete = true;
  }

  /**
   * @param {number} i
   * @param {number} j
   */
  probability(i, j) {
    return this.hidden(i, j) ? 0 : this.weights[i * this.size + j];
  }

  /** @returns {import("./types").Stage} */
  stageOf() {
    return "softmax";
  }

  /**
   * The weight of one cell, and where it was rounded, half a step: how far the true one is at most.
   * @param {number} i
   * @param {number} j
   * @returns {[string, number][]}
   */
  values(i, j) {
    /** @type {[string, number]} */
    const weight = ["probability", this.probability(i, j)];
    if (!this.levels) return [weight];
    const peak = Math.max(...this.row(i));
    const within = halfStep(weight[1], peak, this.levels);
    return [weight, ["within", weight[1] ? within : Math.max(within, this.faint * peak)]];
  }

  /** The weights stay: there is nothing to compute them from. */
  release() {}
}

/**
 * Half a step around a weight of a row whose largest is `peak`: codes are round(levels * sqrt(weight / peak)).
 * @param {number} weight
 * @param {number} peak
 * @param {number} levels
 */
function halfStep(weight, peak, levels) {
  return Math.sqrt(weight * peak) / levels + peak / (4 * levels * levels);
}
