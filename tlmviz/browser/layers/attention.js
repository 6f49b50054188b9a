// @ts-check
// Attention: heads with keys and values of their own or shared, or of another text (tlmviz/layers/attention.py), or of a latent
// (latent.py).

import { chosenFrom } from "../config.js";
import { RMSNorm } from "./norms.js";
import { Attended, Scores } from "./scores.js";

/** @typedef {import("../types").Site} Site */
/** @typedef {import("../types").Positions} Positions */

const NOBODY = /** @type {Set<number>} */ (new Set());

/**
 * Multi-head (G = H), grouped-query (1 < G < H) or multi-query (G = 1) attention; one projection makes q, k and v. An
 * encoder's is not causal.
 */
export class Attention {
  /**
   * @param {Site} site
   * @param {string} name
   * @param {number} layer
   * @param {Positions} positions
   * @param {boolean} causal
   */
  constructor(site, name, layer, positions, causal = true) {
    const { config, memory } = site;
    const { attention: part, d_model: width } = config;
    this.memory = memory;
    this.name = name;
    this.layer = layer;
    this.positions = positions;
    this.heads = part.n_heads;
    this.groups = part.n_kv_heads;
    this.dim = part.head_dim;
    this.row = (this.heads + 2 * this.groups) * this.dim; // numbers of q, k and v per token
    const sizes = [this.heads, this.groups, this.groups].map((heads) => heads * this.dim);
    this.qkv = fusedLinear(site, `${name}.qkv`, width, sizes, [part.q_bias, part.k_bias, part.v_bias]);
    this.normalise = chosenFrom(QK_NORMS, part.qk_norm, "qk_norm", config.name)(site, `${name}.qk_norm`);
    this.proj = site.linear(`${name}.proj`, width, this.heads * this.dim, part.o_bias);
    const scores = new Scores(site, layer, positions, this.dim, this.dim ** -0.5, causal);
    this.another = () => new Attended(site, scores, this.heads, this.groups, this.dim); // for a further text
    this.attended = this.another();
    this.fused = site.scratch("qkv", site.chunk * this.row);
    this.concat = site.scratch("concat", site.chunk * this.heads * this.dim);
  }

  /**
   * @param {number} x [T, C]
   * @param {number} out [T, C]
   * @param {number} start position of the first row
   * @param {number} rows
   * @param {Set<number>} muted heads without their output
   * @param {Attended[]} texts what is held of the text that the rows belong to, or of so many texts, with as many rows each
   */
  apply(x, out, start, rows, muted = NOBODY, texts = [this.attended]) {
    const { memory, name, fused, row, dim, heads, groups } = this;
    this.qkv.apply(x, fused, rows);
    memory.tap(`${name}.fused`, fused, rows * row);
    this.normalise(fused, row, rows);
    memory.tap(`${name}.normalised`, fused, rows * row);
    const each = rows / texts.length;
    texts.forEach((attended, text) => {
      const q = fused + text * each * row;
      const k = q + heads * dim;
      this.positions.rotate(this.layer, q, row, heads + groups, dim, start, each); // keys follow the queries
      attended.append(start, each, row, k, k + groups * dim);
      attended.attend(start, each, q, row, this.concat + text * each * heads * dim, muted);
    });
    memory.tap(`${name}.concat`, this.concat, rows * heads * dim);
    this.proj.apply(this.concat, out, rows);
    memory.tap(`${name}.out`, out, rows * this.proj.outputs);
  }
}

/**
 * Projections of the same input as one matrix, where only some may have a bias.
 * @param {Site} site
 * @param {string} name
 * @param {number} inputs
 * @param {number[]} sizes of the outputs of each
 * @param {boolean[]} biased
 */
function fusedLinear(site, name, inputs, sizes, biased) {
  const outputs = sizes.reduce((sum, size) => sum + size, 0);
  const some = biased.includes(true) && biased.includes(false);
  const matrix = site.linear(name, outputs, inputs, biased[0] && !some);
  if (!some) return matrix;
  const given = site.weights.take(`${name}.partial_bias`, [sizes.reduce((sum, size, i) => sum + (biased[i] ? size : 0), 0)]);
  let used = 0;
  matrix.bias = Float32Array.from(sizes.flatMap((size, i) => Array.from({ length: size }, () => (biased[i] ? given[used++] : 0))));
  return matrix;
}

/** `attention.qk_norm` -> what normalises queries and keys, in rows of q, k and v, before they turn. */
const QK_NORMS = {
  none: () => (/** @type {number} */ x, /** @type {number} */ row, /** @type {number} */ rows) => {},
  /** Over each head's query and key (Qwen3). */
  head: (/** @type {Site} */ site, /** @type {string} */ name) => {
    const { n_heads: heads, n_kv_heads: groups, head_dim: dim } = site.config.attention;
    const [q, k] = ["q", "k"].map((part) => new RMSNorm(site, `${name}.${part}`, dim));
    return (/** @type {number} */ x, /** @type {number} */ row, /** @type {number} */ rows) => {
      for (let h = 0; h < heads + groups; h++) (h < heads ? q : k).apply(x + h * dim, x + h * dim, rows, row);
    };
  },
  /** Over the queries of all heads together, and over all keys (OLMo 2). */
  full: (/** @type {Site} */ site, /** @type {string} */ name) => {
    const { n_heads: heads, n_kv_heads: groups, head_dim: dim } = site.config.attention;
    const q = new RMSNorm(site, `${name}.q`, heads * dim);
    const k = new RMSNorm(site, `${name}.k`, groups * dim);
    return (/** @type {number} */ x, /** @type {number} */ row, /** @type {number} */ rows) => {
      q.apply(x, x, rows, row);
      k.apply(x + heads * dim, x + heads * dim, rows, row);
    };
  },
};

/** Queries from the text being written, keys and values from the text that was read (000 section 2.2, 002 section 7). */
export class CrossAttention {
  /**
   * @param {Site} site
   * @param {string} name
   * @param {number} layer
   * @param {Positions} positions
   */
  constructor(site, name, layer, positions) {
    const { attention: part, d_model: width } = site.config;
    this.memory = site.memory;
    this.heads = part.n_heads;
    this.dim = part.head_dim;
    this.row = this.heads * this.dim;
    this.query = site.linear(`${name}.query`, this.row, width, part.q_bias);
    this.kv = fusedLinear(site, `${name}.kv`, width, [this.row, this.row], [part.k_bias, part.v_bias]);
    this.proj = site.linear(`${name}.proj`, width, this.row, part.o_bias);
    this.attended = new Attended(site, new Scores(site, layer, positions, this.dim, this.dim ** -0.5, false), this.heads, this.heads, this.dim);
    this.asked = site.scratch("queries of another text", site.chunk * this.row);
    this.made = site.scratch("keys and values of another text", site.chunk * 2 * this.row);
    this.concat = site.scratch("concat", site.chunk * this.row);
    /** @type {number | null} */
    this.pinned = null; // the one token that all heads look at
  }

  /**
   * Take the text that was read: what its encoder made, [S, C].
   * @param {number} memory
   * @param {number} rows S
   */
  read(memory, rows) {
    this.kv.apply(memory, this.made, rows);
    this.attended.append(0, rows, 2 * this.row, this.made, this.made + this.row);
  }

  /**
   * Rows of one text or of several: nothing is hidden from any, so that they are queries like others.
   * @param {number} x [T, C]
   * @param {number} out [T, C]
   * @param {number} rows
   */
  apply(x, out, rows) {
    this.query.apply(x, this.asked, rows);
    if (this.pinned === null) this.attended.attend(0, rows, this.asked, this.row, this.concat, NOBODY);
    else this.attended.copyValue(this.pinned, rows, this.concat);
    this.proj.apply(this.concat, out, rows);
  }
}

/** Multi-head latent attention: keys and values of all heads from one latent per token, and one rotary key (DeepSeek-V2, 2.1). */
class LatentAttention {
  /**
   * @param {Site} site
   * @param {string} name
   * @param {number} layer
   * @param {Positions} positions
   */
  constructor(site, name, layer, positions) {
    const { attention: part, d_model: width } = site.config;
    this.memory = site.memory;
    this.name = name;
    this.layer = layer;
    this.positions = positions;
    this.heads = part.n_heads;
    this.content = part.head_dim; // dimensions of a query without position
    this.turned = part.rope_dim;
    this.value = part.value_dim;
    this.rank = part.latent_dim;
    const { heads, content, turned, value, rank } = this;
    const small = part.query_latent_dim;
    this.queryDown = small === null ? null : site.linear(`${name}.query_input.down`, small, width);
    this.queryNorm = small === null ? null : new RMSNorm(site, `${name}.query_input.norm`, small);
    this.query = site.linear(`${name}.query`, heads * (content + turned), small ?? width);
    this.down = site.linear(`${name}.down`, rank + turned, width);
    this.norm = new RMSNorm(site, `${name}.norm`, rank);
    this.up = site.linear(`${name}.up`, heads * (content + value), rank);
    this.proj = site.linear(`${name}.proj`, width, heads * value);
    const dim = content + turned;
    this.attended = new Attended(site, new Scores(site, layer, positions, dim, dim ** -0.5, true), heads, heads, value);
    const sizes = { small: small ?? 0, q: heads * dim, latent: rank + turned, c: rank, up: heads * (content + value), all: heads * (2 * dim + value),
      concat: heads * value };
    this.at = Object.fromEntries(Object.entries(sizes).map(([part, size]) => [part, site.scratch(part, site.chunk * size)]));
  }

  /**
   * @param {number} x [T, C]
   * @param {number} out [T, C]
   * @param {number} start position of the first row
   * @param {number} rows
   * @param {Set<number>} muted heads without their output
   */
  apply(x, out, start, rows, muted = NOBODY) {
    const { memory, name, at, heads, content, turned, value, rank } = this;
    const { numbers } = memory;
    const dim = content + turned;
    let read = x;
    if (this.queryDown) {
      this.queryDown.apply(x, at.small, rows);
      this.queryNorm.apply(at.small, at.small, rows);
      read = at.small;
    }
    this.query.apply(read, at.q, rows);
    this.down.apply(x, at.latent, rows);
    memory.tap(`${name}.down`, at.latent, rows * (rank + turned));
    for (let h = 0; h < heads; h++) this.positions.rotate(this.layer, at.q + h * dim + content, heads * dim, 1, turned, start, rows);
    this.positions.rotate(this.layer, at.latent + rank, rank + turned, 1, turned, start, rows);
    this.norm.apply(at.latent, at.latent, rows, rank + turned);
    for (let t = 0; t < rows; t++) numbers.copyWithin(at.c + t * rank, at.latent + t * (rank + turned), at.latent + t * (rank + turned) + rank);
    this.up.apply(at.c, at.up, rows);
    const row = heads * (2 * dim + value);
    for (let t = 0; t < rows; t++) this.expand(t, at.all + t * row);
    const k = at.all + heads * dim;
    this.attended.append(start, rows, row, k, k + heads * dim);
    this.attended.attend(start, rows, at.all, row, at.concat, muted);
    memory.tap(`${name}.concat`, at.concat, rows * heads * value);
    this.proj.apply(at.concat, out, rows);
    memory.tap(`${name}.out`, out, rows * this.proj.outputs);
  }

  /**
   * One token's queries, keys (of each head's content and the one rotary key) and values, side by side at `to`.
   * @param {number} t
   * @param {number} to
   */
  expand(t, to) {
    const { memory: { numbers }, at, heads, content, turned, value, rank } = this;
    const dim = content + turned;
    numbers.copyWithin(to, at.q + t * heads * dim, at.q + (t + 1) * heads * dim);
    const rotary = at.latent + t * (rank + turned) + rank;
    const made = at.up + t * heads * (content + value);
    for (let h = 0, key = to + heads * dim; h < heads; h++, key += dim) {
      numbers.copyWithin(key, made + h * content, made + (h + 1) * content);
      numbers.copyWithin(key + content, rotary, rotary + turned);
    }
    const values = made + heads * content;
    numbers.copyWithin(to + 2 * heads * dim, values, values + heads * value);
  }
}

/**
 * A layer's attention.
 * @param {Site} site
 * @param {string} name
 * @param {number} layer
 * @param {Positions} positions
 */
export function attentionOf(site, name, layer, positions) {
  return new (site.config.attention.latent_dim === null ? Attention : LatentAttention)(site, name, layer, positions);
}
