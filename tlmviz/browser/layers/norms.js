// @ts-check
// Normalisation of each token's vector: tlmviz/layers/norms.py.

import { chosenFrom } from "../config.js";

/** @typedef {import("../types").Site} Site */

/** Mean off, divided by the standard deviation, then scaled and shifted (Ba et al. 2016). */
export class LayerNorm {
  /**
   * @param {Site} site
   * @param {string} name
   * @param {number} width
   */
  constructor(site, name, width) {
    this.memory = site.memory;
    this.width = width;
    this.eps = site.config.norm.eps;
    this.gain = site.weights.take(`${name}.weight`, [width]);
    this.bias = site.weights.take(`${name}.bias`, [width]);
  }

  /**
   * @param {number} x
   * @param {number} out may be x
   * @param {number} rows without gaps between them
   */
  apply(x, out, rows) {
    const { memory: { numbers }, width, eps, gain, bias } = this;
    for (let t = 0; t < rows; t++, x += width, out += width) {
      let mean = 0;
      for (let i = 0; i < width; i++) mean += numbers[x + i];
      mean /= width;
      let variance = 0;
      for (let i = 0; i < width; i++) variance += (numbers[x + i] - mean) ** 2;
      const factor = 1 / Math.sqrt(variance / width + eps);
      for (let i = 0; i < width; i++) numbers[out + i] = (numbers[x + i] - mean) * factor * gain[i] + bias[i];
    }
  }
}

/** Divided by the root mean square, then scaled (Zhang and Sennrich 2019). */
export class RMSNorm {
  /**
   * @param {Site} site
   * @param {string} name
   * @param {number} width
   */
  constructor(site, name, width) {
    this.memory = site.memory;
    this.width = width;
    this.eps = site.config.norm.eps;
    this.gain = site.weights.take(`${name}.weight`, [width]);
  }

  /**
   * @param {number} x
   * @param {number} out may be x
   * @param {number} rows
   * @param {number} [stride] from row to row, of both
   */
  apply(x, out, rows, stride = this.width) {
    const { memory: { numbers }, width, eps, gain } = this;
    for (let t = 0; t < rows; t++, x += stride, out += stride) {
      let sum = 0;
      for (let i = 0; i < width; i++) sum += numbers[x + i] ** 2;
      const factor = 1 / Math.sqrt(sum / width + eps);
      for (let i = 0; i < width; i++) numbers[out + i] = numbers[x + i] * factor * gain[i];
    }
  }
}

const NORMS = { layernorm: LayerNorm, rmsnorm: RMSNorm };

/**
 * The norm of a name in the checkpoint, of the configuration's kind.
 * @param {Site} site
 * @param {string} name
 */
export function normOf(site, name) {
  const { config } = site;
  return new (chosenFrom(NORMS, config.norm.kind, "norm", config.name))(site, name, config.d_model);
}
