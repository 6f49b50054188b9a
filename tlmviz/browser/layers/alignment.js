// @ts-check
// How a recurrent decoder's state h looks for source states z: three scores (tlmviz/layers/alignment.py; 004 Eq. 42-47).

import { chosenFrom } from "../config.js";

/** @typedef {import("../types").Site} Site */
/** @typedef {import("../memory.js").Memory} Memory */

/** h.z: no parameters; both states have one size. */
class Dot {
  /**
   * @param {Site} site
   * @param {number} hidden
   * @param {boolean} coverage
   */
  constructor(site, hidden, coverage) {
    this.memory = site.memory;
    this.hidden = hidden;
  }

  /**
   * What is computed of the source once.
   * @param {number} z [S, D]
   * @param {number} keys [S, D], written
   * @param {number} rows S
   */
  prepare(z, keys, rows) {
    this.memory.numbers.copyWithin(keys, z, z + rows * this.hidden);
  }

  /**
   * Scores [S] of one state.
   * @param {number} h
   * @param {number} keys
   * @param {Float32Array} covered [S], the attention that each source token got
   */
  of(h, keys, covered) {
    const { memory: { numbers }, hidden } = this;
    return covered.map((_, j) => {
      let sum = 0;
      for (let d = 0; d < hidden; d++) sum += numbers[h + d] * numbers[keys + j * hidden + d];
      return sum;
    });
  }
}

/** h W z (Luong et al. 2015). */
class General extends Dot {
  /**
   * @param {Site} site
   * @param {number} hidden
   * @param {boolean} coverage
   */
  constructor(site, hidden, coverage) {
    super(site, hidden, coverage);
    this.w = site.linear("score.w", hidden, hidden);
  }

  /**
   * @param {number} z
   * @param {number} keys
   * @param {number} rows
   */
  prepare(z, keys, rows) {
    this.w.apply(z, keys, rows);
  }
}

/** v.tanh(W1 h + W2 z) (Bahdanau et al. 2015), and + w c inside with a coverage vector (See et al. 2017). */
class Additive extends Dot {
  /**
   * @param {Site} site
   * @param {number} hidden
   * @param {boolean} coverage
   */
  constructor(site, hidden, coverage) {
    super(site, hidden, coverage);
    this.w1 = site.linear("score.w1", hidden, hidden);
    this.w2 = site.linear("score.w2", hidden, hidden, true);
    this.v = site.weights.take("score.v.weight", [1, hidden]);
    this.w = coverage ? site.weights.take("score.w.weight", [hidden, 1]) : null;
    this.inside = site.scratch("inside a score", hidden);
  }

  /**
   * @param {number} z
   * @param {number} keys
   * @param {number} rows
   */
  prepare(z, keys, rows) {
    this.w2.apply(z, keys, rows);
  }

  /**
   * @param {number} h
   * @param {number} keys
   * @param {Float32Array} covered
   */
  of(h, keys, covered) {
    const { memory: { numbers }, hidden, inside, v, w } = this;
    this.w1.apply(h, inside, 1);
    return covered.map((c, j) => {
      let sum = 0;
      for (let d = 0; d < hidden; d++) sum += v[d] * Math.tanh(numbers[inside + d] + numbers[keys + j * hidden + d] + (w ? w[d] * c : 0));
      return sum;
    });
  }
}

const ALIGNMENTS = { dot: Dot, general: General, additive: Additive };

/**
 * The score of a configuration.
 * @param {Site} site
 * @param {import("../types").Seq2SeqConfig} config
 */
export function alignmentOf(site, { name, hidden, score: { kind, coverage } }) {
  return new (chosenFrom(ALIGNMENTS, kind, "score", name))(site, hidden, coverage);
}
