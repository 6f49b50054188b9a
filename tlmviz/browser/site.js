// @ts-check
// What every part of a network is built from: its memory, its weights, and places that parts share.

import { EngineError } from "./errors.js";
import { Matrix, Memory } from "./memory.js";

/** @typedef {import("./types").NetworkConfig} NetworkConfig */
/** @typedef {import("./types").Site} Site */

const CHUNK = 128; // tokens that pass a network at once: their numbers stay in the processor's cache
const MOST_BYTES = 2 ** 32; // that WebAssembly addresses

/**
 * @param {any} config a NetworkConfig, or of another kind of network what its own layers read
 * @param {import("./types").Weights} weights
 * @param {number} [chunk] most rows that pass a part at once
 * @returns {Site}
 */
export function siteOf(config, weights, chunk = Math.min(CHUNK, config.context)) {
  const memory = new Memory();
  const matrix = (/** @type {string} */ key, /** @type {number} */ outputs, /** @type {number} */ inputs, /** @type {string | null} */ bias = null) => {
    const added = bias === null ? null : weights.take(bias, [outputs]);
    return weights.matrix?.(memory, key, outputs, inputs, added) ?? new Matrix(memory, weights.take(key, [outputs, inputs]), outputs, inputs, added);
  };
  return {
    memory,
    weights,
    config,
    chunk,
    matrix,
    scratch: (name, count) => memory.scratch(name, count),
    linear: (name, outputs, inputs, bias = false) => matrix(`${name}.weight`, outputs, inputs, bias ? `${name}.bias` : null),
  };
}

/**
 * What `make` makes, or a sentence where no memory holds it.
 * @template T
 * @param {NetworkConfig} config
 * @param {number} layers that keep queries, keys and values
 * @param {() => T} make
 * @throws EngineError
 */
export function withinMemory(config, layers, make) {
  const tooLarge =
    () => new EngineError(
    `${config.name} needs more memory than there is, for texts of up to ${config.context.toLocaleString("en")} tokens; close other tabs, or choose a ` +
    `smaller model.`);
  if (layers && bytesPerToken(config) * layers * config.context > MOST_BYTES) throw tooLarge();
  try {
    return make();
  } catch (error) {
    throw error instanceof RangeError ? tooLarge() : error; // WebAssembly and arrays throw it where memory ends
  }
}

/**
 * What queries, keys and values of one token take in a layer: each lies once in the kernels' layout and once in rows.
 * @param {NetworkConfig} config
 */
function bytesPerToken({ attention: { n_heads: heads, n_kv_heads: groups, head_dim: dim, rope_dim: turned, value_dim: value } }) {
  return 8 * (heads + 2 * groups) * Math.max(dim + turned, value);
}
