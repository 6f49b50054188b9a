// @ts-check
// The two sublayers of a block, y = x + F(norm(x)), with their gradients: attention of several heads, and an MLP with GELU.

import { Linear, Norm } from "./site.js";

/** @typedef {import("./site.js").Site} Site */

const BASE = 10000; // of RoPE
const SPAN = 32; // queries whose scores are computed at once under a causal mask: keys behind them are left out

/** Turns queries and keys by their positions (Su et al. 2021), pairs of neighbouring numbers. */
class Rope {
  /** @param {Site} site */
  constructor(site) {
    const { length, width, heads } = site.settings;
    const dim = width / heads;
    this.site = site;
    const turned = 2 * width; // queries and keys of all heads lie side by side
    const table = (/** @type {(angle: number, second: number) => number} */ of) => {
      const angle = (/** @type {number} */ t, /** @type {number} */ i) => t * BASE ** ((-2 * (i >> 1)) / dim);
      return site.memory.put(Float32Array.from({ length: length * turned }, (_, at) => of(angle(Math.floor(at / turned), (at % turned) % dim), at & 1)));
    };
    this.cos = table((angle) => Math.cos(angle));
    this.sin = table((angle, second) => Math.sin(angle) * (second ? 1 : -1));
    this.back = table((angle, second) => Math.sin(angle) * (second ? -1 : 1));
  }

  /**
   * @param {number} x [rows, 3 C]
   * @param {number} rows
   * @param {boolean} [back] turn by the negative angle, as a gradient is
   */
  apply(x, rows, back = false) {
    const { site: { kernels, settings: { length, width } }, cos } = this;
    kernels.rotate(x * 4, 3 * width * 4, cos * 4, (back ? this.back : this.sin) * 4, rows, length, 2 * width);
  }
}

/** Multi-head attention over each sequence of T rows. */
export class Attention {
  /**
   * @param {Site} site
   * @param {string} name
   */
  constructor(site, name) {
    const { width, layers } = site.settings;
    this.site = site;
    this.norm = new Norm(site, `${name}.norm`);
    this.input = new Linear(site, `${name}.qkv`, width, 3 * width, width ** -0.5);
    this.output = new Linear(site, `${name}.out`, width, width, (width * 2 * layers) ** -0.5);
    /** @type {Rope | null} */
    this.rope = null;
    this.normed = this.qkv = this.weights = this.mixed = 0;
  }

  /** @param {number} rows most at once */
  reserve(rows) {
    const { memory, settings: { width, heads, length, positions } } = this.site;
    this.norm.reserve(rows);
    this.normed = memory.take(rows * width);
    this.qkv = memory.take(rows * 3 * width);
    this.weights = memory.take(rows * heads * length); // [B, H, T, T]
    this.mixed = memory.take(rows * width);
    this.rope = positions === "rope" ? new Rope(this.site) : null;
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} rows
   */
  forward(x, y, rows) {
    const { site, normed, qkv, mixed, weights } = this;
    const { width, length, heads, causal } = site.settings;
    this.norm.forward(x, normed, rows);
    this.input.forward(normed, qkv, rows);
    this.rope?.apply(qkv, rows);
    const dim = width / heads;
    const turned = site.memory.scratch("turned head", dim * length);
    this.eachHead(rows, (q, out, map) => {
      site.kernels.transpose((q + width) * 4, 3 * width * 4, turned * 4, length, dim);
      this.spans((from, count, seen) => site.product(q + from * 3 * width, 3 * width, 1, turned, length, map + from * length, length, count, dim, seen));
    });
    site.kernels.softmax(weights * 4, rows * heads, length, causal ? 0 : length, dim ** -0.5);
    this.eachHead(rows, (q, out, map) => {
      const v = q + 2 * width;
      this.spans((from, count, seen) => site.product(map + from * length, length, 1, v, 3 * width, mixed + out + from * width, width, count, seen, dim));
    });
    site.copy(x, y, rows * width);
    this.output.forward(mixed, y, rows, true);
  }

  /**
   * The gradient of the stream at `dx` becomes that before this sublayer.
   * @param {number} x what `forward` read
   * @param {number} dx
   * @param {number} rows
   */
  backward(x, dx, rows) {
    const { site, normed, qkv, mixed, weights } = this;
    const { width, length, heads, causal } = site.settings;
    const dim = width / heads;
    const dnormed = site.memory.scratch("gradient of rows", rows * width);
    const dqkv = site.memory.scratch("gradient of qkv", rows * 3 * width);
    const dmaps = site.memory.scratch("gradient of maps", rows * heads * length);
    const turned = site.memory.scratch("turned head", dim * length);
    this.output.backward(mixed, dx, dnormed, rows);
    this.eachHead(rows, (q, out, map) => {
      const [dout, dv] = [dnormed + out, dqkv + (q - qkv) + 2 * width];
      site.kernels.transpose((q + 2 * width) * 4, 3 * width * 4, turned * 4, length, dim);
      this.spans((from, count, seen) => {
        site.product(dout + from * width, width, 1, turned, length, dmaps + (map - weights) + from * length, length, count, dim, seen);
        const first = causal ? from : 0; // the first query that sees these keys
        site.product(map + first * length + from, 1, length, dout + first * width, width, dv + from * 3 * width, 3 * width, count, length - first, dim);
      });
    });
    site.kernels.softmax_backward(weights * 4, dmaps * 4, rows * heads, length, causal ? 0 : length, dim ** -0.5);
    this.eachHead(rows, (q, out, map) => {
      const [dmap, dq] = [dmaps + (map - weights), dqkv + (q - qkv)];
      this.spans((from, count, seen) => {
        site.product(dmap + from * length, length, 1, q + width, 3 * width, dq + from * 3 * width, 3 * width, count, seen, dim);
        const first = causal ? from : 0;
        site.product(dmap + first * length + from, 1, length, q + first * 3 * width, 3 * width, dq + width + from * 3 * width, 3 * width, count, length - first,
          dim);
      });
    });
    this.rope?.apply(dqkv, rows, true);
    this.input.backward(normed, dqkv, dnormed, rows);
    this.norm.backward(x, dnormed, dx, rows, true);
  }

  /**
   * For every head of every sequence: where its queries are, its output's offset, and its map.
   * @param {number} rows
   * @param {(q: number, out: number, map: number) => void} visit
   */
  eachHead(rows, visit) {
    const { qkv, weights, site: { settings: { width, length, heads } } } = this;
    for (let b = 0; b < rows / length; b++) {
      for (let h = 0; h < heads; h++) {
        const own = (h * width) / heads;
        visit(qkv + b * length * 3 * width + own, b * length * width + own, weights + (b * heads + h) * length * length);
      }
    }
  }

  /**
   * Queries from `from` on, so many, and how many keys some of them see.
   * @param {(from: number, count: number, seen: number) => void} visit
   */
  spans(visit) {
    const { length, causal } = this.site.settings;
    const span = causal ? Math.min(SPAN, length) : length;
    for (let from = 0; from < length; from += span) {
      const count = Math.min(span, length - from);
      visit(from, count, from + count);
    }
  }
}

/** Two linear maps with GELU, by its tanh, between them. */
export class MLP {
  /**
   * @param {Site} site
   * @param {string} name
   */
  constructor(site, name) {
    const { width, hidden, layers } = site.settings;
    this.site = site;
    this.norm = new Norm(site, `${name}.norm`);
    this.up = new Linear(site, `${name}.up`, width, hidden, width ** -0.5);
    this.down = new Linear(site, `${name}.down`, hidden, width, (hidden * 2 * layers) ** -0.5);
    this.normed = this.inner = this.active = 0;
  }

  /** @param {number} rows */
  reserve(rows) {
    const { memory, settings: { width, hidden } } = this.site;
    this.norm.reserve(rows);
    this.normed = memory.take(rows * width);
    this.inner = memory.take(rows * hidden);
    this.active = memory.take(rows * hidden);
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {number} rows
   */
  forward(x, y, rows) {
    const { site, normed, inner, active } = this;
    const { width, hidden } = site.settings;
    this.norm.forward(x, normed, rows);
    this.up.forward(normed, inner, rows);
    site.kernels.gelu(inner * 4, active * 4, rows * hidden);
    site.copy(x, y, rows * width);
    this.down.forward(active, y, rows, true);
  }

  /**
   * @param {number} x
   * @param {number} dx
   * @param {number} rows
   */
  backward(x, dx, rows) {
    const { site, normed, inner, active } = this;
    const { width, hidden } = site.settings;
    const dnormed = site.memory.scratch("gradient of rows", rows * width);
    const dinner = site.memory.scratch("gradient of hidden", rows * hidden);
    this.down.backward(active, dx, dinner, rows);
    site.kernels.gelu_backward(inner * 4, dinner * 4, rows * hidden);
    this.up.backward(normed, dinner, dnormed, rows);
    this.norm.backward(x, dnormed, dx, rows, true);
  }
}
