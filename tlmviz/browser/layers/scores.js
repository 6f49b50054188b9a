// @ts-check
// Softmax attention over keys and values in panels, and maps as views of q, k and lse: tlmviz/kernels/attention.py.

import { Panels, padded } from "../memory.js";

/** @typedef {import("../types").Site} Site */
/** @typedef {{ count: number, first: number, scale: number }} Block of scores: columns, the first key, what multiplies them still */

const ROWS = 16; // queries at a time: few enough that little of a causal map is computed in vain
const HIDDEN = -1e30; // the score of a key that a query does not see

/** One layer's scores: which keys a query sees, and scale, softcap and bias of q.k. */
export class Scores {
  /**
   * @param {Site} site
   * @param {number} layer
   * @param {import("../types").Positions} positions
   * @param {number} dim of queries and keys
   * @param {number} scale unless the configuration gives one
   * @param {boolean} causal whether a query sees no key behind it
   */
  constructor(site, layer, positions, dim, scale, causal) {
    const { config, memory } = site;
    const { attention, context } = config;
    this.memory = memory;
    this.dim = dim;
    this.scale = attention.scale ?? scale;
    this.softcap = attention.softcap;
    this.causal = causal;
    this.window = config.layers[layer].window ?? Infinity;
    this.slopes = positions.slopes;
    this.place = site.scratch("scores", ROWS * padded(context));
    const vectors = positions.relative(layer);
    this.distances = vectors ? vectors.length / dim : 0;
    if (vectors) {
      this.vectors = new Panels(memory, this.distances, dim, true);
      for (let r = 0; r < this.distances; r++) this.vectors.write(r, vectors, r * dim);
      this.products = site.scratch("products", ROWS * padded(this.distances)); // of queries and vectors
    }
  }

  /**
   * Scores of some queries, row by row at `this.place`, hidden ones far below all others. At most ROWS rows.
   * @param {number} head
   * @param {Panels} keys
   * @param {number} q
   * @param {number} stride from query to query
   * @param {number} start position of the first query
   * @param {number} rows
   * @param {number} total of all keys, where a query sees those behind it too
   * @returns {Block}
   */
  of(head, keys, q, stride, start, rows, total) {
    const { memory, place, dim } = this;
    const { numbers } = memory;
    const seen = Math.max(0, start - this.window + 1);
    const first = seen - (seen % 8);
    const count = padded(this.causal ? start + rows : total) - first;
    memory.matmul(q, stride, keys.place + (first / 8) * keys.stride, keys.stride, place, count, rows, dim, count);
    const plain = this.softcap === null && !this.slopes && !this.vectors;
    if (!plain) this.add(head, q, stride, start, rows, { count, first, scale: 1 });
    for (let t = 0, row = place; t < rows; t++, row += count) {
      const i = start + t;
      numbers.fill(HIDDEN, row + (this.causal ? i + 1 : total) - first, row + count);
      if (i - this.window >= first) numbers.fill(HIDDEN, row, row + i - this.window + 1 - first);
    }
    return { count, first, scale: plain ? this.scale : 1 };
  }

  /**
   * Scale the products at `this.place`, cap them, and add what distance adds.
   * @param {number} head
   * @param {number} q
   * @param {number} stride
   * @param {number} start
   * @param {number} rows
   * @param {Block} block
   */
  add(head, q, stride, start, rows, { count, first }) {
    const { memory, place, products, distances, softcap, scale } = this;
    const { numbers } = memory;
    const width = padded(distances);
    if (this.vectors) memory.matmul(q, stride, this.vectors.place, this.vectors.stride, products, width, rows, this.dim, width);
    const slope = this.slopes ? this.slopes[head] : 0;
    for (let t = 0; t < rows; t++) {
      const row = place + t * count;
      for (let j = first; j <= start + t; j++) {
        const distance = start + t - j;
        let score = numbers[row + j - first] * scale;
        if (softcap !== null) score = softcap * Math.tanh(score / softcap);
        if (distances) score += scale * numbers[products + t * width + Math.min(distance, distances - 1)];
        numbers[row + j - first] = score - slope * distance;
      }
    }
  }
}

/**
 * Numbers from one array to another: a loop, where views for `set` made for every head of every token would cost more.
 * @param {Float32Array} from
 * @param {number} at
 * @param {Float32Array} to
 * @param {number} place
 * @param {number} count
 */
function copyNumbers(from, at, to, place, count) {
  for (let d = 0; d < count; d++) to[place + d] = from[at + d];
}

/** Keys and values of a layer, of every token read so far, and beside them q and lse: all that its maps are made of. */
export class Attended {
  /**
   * @param {Site} site
   * @param {Scores} scores
   * @param {number} heads H
   * @param {number} groups G of keys and values
   * @param {number} width E of a value
   */
  constructor(site, scores, heads, groups, width) {
    const { memory, config: { context } } = site;
    this.memory = memory;
    this.scores = scores;
    this.heads = heads;
    this.groups = groups;
    this.width = width;
    this.capacity = Math.max(context, site.chunk); // of several texts each gives a query
    const { dim } = scores;
    this.length = 0; // of the keys held
    this.keys = Array.from({ length: groups }, () => new Panels(memory, context, dim, true));
    this.values = Array.from({ length: groups }, () => new Panels(memory, context, width, false));
    this.sums = site.scratch("sums", 2 * ROWS);
    this.mixed = site.scratch("mixed", ROWS * padded(width));
    this.mapQ = site.scratch("queries of a map", ROWS * dim);
    this.mapKeys = new Panels(memory, context, dim, true, site.scratch("keys of a map", padded(context) * dim));
    this.q = new Float32Array(heads * this.capacity * dim); // [H, T, D]
    this.k = new Float32Array(groups * this.capacity * dim); // [G, T, D]
    this.v = new Float32Array(groups * this.capacity * width); // [G, T, E]
    this.lse = new Float32Array(heads * this.capacity); // [H, T]
  }

  /**
   * Take the keys and values of further tokens, each row's heads side by side.
   * @param {number} start position of the first
   * @param {number} rows
   * @param {number} stride from row to row
   * @param {number} k
   * @param {number} v
   */
  append(start, rows, stride, k, v) {
    const { memory: { numbers }, groups, width, capacity, keys, values, scores: { dim } } = this;
    for (let t = 0; t < rows; t++) {
      for (let g = 0; g < groups; g++) {
        const [i, key, value] = [start + t, k + t * stride + g * dim, v + t * stride + g * width];
        copyNumbers(numbers, key, this.k, (g * capacity + i) * dim, dim);
        copyNumbers(numbers, value, this.v, (g * capacity + i) * width, width);
        keys[g].write(i, numbers, key);
        values[g].write(i, numbers, value);
      }
    }
    this.length = start + rows;
  }

  /**
   * Hold the keys and values that another one of the same layer holds.
   * @param {Attended} other
   */
  follow(other) {
    this.keys.forEach((panels, g) => panels.copy(other.keys[g], other.length));
    this.values.forEach((panels, g) => panels.copy(other.values[g], other.length));
    this.length = other.length;
    return this;
  }

  /**
   * The weighted sums of values [T, H E] for queries, each row's heads side by side, written at `out`; 0 for muted heads.
   * @param {number} start
   * @param {number} rows
   * @param {number} q
   * @param {number} stride from query to query
   * @param {number} out
   * @param {Set<number>} muted heads
   */
  attend(start, rows, q, stride, out, muted) {
    const { memory, scores, sums, mixed, heads, groups, width, capacity, length } = this;
    const { numbers, kernels } = memory;
    for (let h = 0; h < heads; h++) {
      const g = Math.floor((h * groups) / heads);
      const values = this.values[g];
      for (let t = 0; t < rows; t += ROWS) {
        const n = Math.min(ROWS, rows - t);
        const from = q + t * stride + h * scores.dim;
        const { count, first, scale } = scores.of(h, this.keys[g], from, stride, start + t, n, length);
        kernels.softmax(scores.place * 4, n, count, scale, sums * 4);
        memory.matmul(scores.place, count, values.place + first * 8, values.stride, mixed, padded(width), n, count, padded(width));
        for (let r = 0; r < n; r++) {
          const sum = numbers[sums + 2 * r + 1];
          const i = h * capacity + start + t + r;
          this.lse[i] = numbers[sums + 2 * r] + Math.log(sum);
          copyNumbers(numbers, from + r * stride, this.q, i * scores.dim, scores.dim);
          const factor = muted.has(h) ? 0 : 1 / sum;
          const [read, to] = [mixed + r * padded(width), out + ((t + r) * heads + h) * width];
          for (let e = 0; e < width; e++) numbers[to + e] = numbers[read + e] * factor;
        }
      }
    }
  }

  /**
   * In place of `attend`: one token's value, of each head, for all queries.
   * @param {number} token
   * @param {number} rows
   * @param {number} out [T, G E]
   */
  copyValue(token, rows, out) {
    const { memory: { numbers }, groups, width, capacity } = this;
    for (let t = 0; t < rows; t++) for (let g = 0; g < groups; g++)
      copyNumbers(this.v, (g * capacity + token) * width, numbers, out + (t * groups + g) * width, width);
  }

  /**
   * Copies of what the first tokens left: q [H, T, D], k [G, S, D], v [G, S, E] and lse [H, T].
   * @param {number} queries T
   * @param {number} keys S
   */
  kept(queries, keys = queries) {
    const { capacity, width } = this;
    const leading = (/** @type {Float32Array} */ all, /** @type {number} */ size, /** @type {number} */ length) => {
      const count = all.length / (capacity * size);
      const part = new Float32Array(count * length * size);
      for (let h = 0; h < count; h++) part.set(all.subarray(h * capacity * size, (h * capacity + length) * size), h * length * size);
      return part;
    };
    const { dim } = this.scores;
    return { q: leading(this.q, dim, queries), k: leading(this.k, dim, keys), v: leading(this.v, width, keys), lse: leading(this.lse, 1, queries) };
  }

  /**
   * Weights p = exp(q.k * scale + bias - lse) of some of a head's queries, [to - from, S] in row-major order; 0 where hidden.
   * @param {number} head
   * @param {{ q: Float32Array, k: Float32Array, lse: Float32Array }} kept as `kept` gave it
   * @param {number} from the first query
   * @param {number} to the one behind the last
   */
  weights(head, { q, k, lse }, from, to) {
    const { memory, scores, heads, groups, mapQ, mapKeys } = this;
    const { numbers, kernels } = memory;
    const { dim } = scores;
    const [length, total] = [lse.length / heads, k.length / (groups * dim)];
    const group = Math.floor((head * groups) / heads);
    for (let j = 0; j < (scores.causal ? to : total); j++) mapKeys.write(j, k, (group * total + j) * dim);
    const map = new Float32Array((to - from) * total);
    for (let i = from; i < to; i += ROWS) {
      const n = Math.min(ROWS, to - i);
      numbers.set(q.subarray((head * length + i) * dim, (head * length + i + n) * dim), mapQ);
      const { count, first, scale } = scores.of(head, mapKeys, mapQ, dim, i, n, total);
      for (let r = 0, row = scores.place; r < n; r++, row += count) {
        kernels.exponentials(row * 4, count, scale, lse[head * length + i + r]);
        const shown = Math.min(count, total - first);
        map.set(numbers.subarray(row, row + shown), (i - from + r) * total + first);
      }
    }
    return map;
  }
}
