// @ts-check
// How a sublayer joins the residual stream, or N of them (tlmviz/layers/streams.py; 000 section 5, Eq. 88-97).

import { chosenFrom } from "../config.js";

/** @typedef {import("../types").Site} Site */
/** @typedef {import("../types").Sublayer} Sublayer */

const SHORTEST = 1e-6; // length of a token's streams below which they count as zero
const sigmoid = (/** @type {number} */ x) => 1 / (1 + Math.exp(-x));

/** x + F(x), one stream. */
class Residual {
  /** @param {Site} site */
  constructor(site) {
    this.memory = site.memory;
    this.width = site.config.d_model;
    this.written = site.scratch("written", site.chunk * this.width);
  }

  /**
   * @param {number} x [T, C], changed in place
   * @param {number} rows
   * @param {Sublayer} sublayer
   */
  apply(x, rows, sublayer) {
    const { memory: { numbers }, written, width } = this;
    sublayer(x, written, rows);
    for (let i = 0; i < rows * width; i++) numbers[x + i] += numbers[written + i];
  }
}

/** Hyper-connections around N streams: X' = H_res X + H_post F(H_pre X), with matrices that each kind makes of a token. */
class Connection {
  /**
   * @param {Site} site
   * @param {string} name
   */
  constructor(site, name) {
    const { config, memory, weights, chunk } = site;
    this.memory = memory;
    this.name = name;
    this.width = config.d_model;
    this.streams = config.connection.streams;
    const n = this.streams;
    this.iterations = config.connection.iterations;
    this.bound = config.connection.bound;
    this.factors = weights.take(`${name}.scale`, [3]); // of the parts of pre, post and res that depend on the token
    this.staticPre = weights.take(`${name}.static_pre`, [n]);
    this.staticPost = weights.take(`${name}.static_post`, [n]);
    this.staticRes = weights.take(`${name}.static_res`, [n, n]);
    this.written = site.scratch("written", chunk * this.width);
    this.read = site.scratch("read", chunk * this.width);
    this.row = n * this.width;
    this.mixed = new Float64Array(this.row);
    // of each token H_pre [N], H_post [N] and H_res [N, N]
    this.matrices = Array.from({ length: chunk }, () => new Float64Array(n * (n + 2)));
  }

  /**
   * @param {number} x [T, N, C], changed in place
   * @param {number} rows
   * @param {Sublayer} sublayer
   */
  apply(x, rows, sublayer) {
    const { memory: { numbers }, width, streams: n, read, written, row, mixed } = this;
    this.make(x, rows);
    this.show(rows);
    for (let t = 0; t < rows; t++) {
      const own = this.matrices[t];
      for (let c = 0; c < width; c++) {
        let sum = 0;
        for (let s = 0; s < n; s++) sum += own[s] * numbers[x + t * row + s * width + c];
        numbers[read + t * width + c] = sum;
      }
    }
    sublayer(read, written, rows);
    for (let t = 0; t < rows; t++) {
      const own = this.matrices[t];
      for (let s = 0; s < n; s++) {
        const to = s * width;
        for (let c = 0; c < width; c++) mixed[to + c] = own[n + s] * numbers[written + t * width + c];
        for (let from = 0; from < n; from++) {
          const [share, stream] = [own[(2 + s) * n + from], x + t * row + from * width];
          for (let c = 0; c < width; c++) mixed[to + c] += share * numbers[stream + c];
        }
      }
      numbers.set(mixed, x + t * row);
    }
  }

  /**
   * Fill `this.matrices` for these streams.
   * @param {number} x
   * @param {number} rows
   */
  make(x, rows) {}

  /**
   * Let who watches see the matrices of so many tokens.
   * @param {number} rows
   */
  show(rows) {
    const { memory: { watch }, matrices, name, streams: n } = this;
    if (!watch) return;
    for (const [part, from, to] of /** @type {[string, number, number][]} */ ([["pre", 0, n], ["post", n, 2 * n], ["res", 2 * n, n * (n + 2)]])) {
      const all = new Float32Array(rows * (to - from));
      for (let t = 0; t < rows; t++) all.set(matrices[t].subarray(from, to), t * (to - from));
      watch(`${name}.${part}`, all);
    }
  }

  /**
   * 1 / rms of numbers.
   * @param {number} x
   * @param {number} count
   */
  perLength(x, count) {
    const { numbers } = this.memory;
    let sum = 0;
    for (let i = 0; i < count; i++) sum += numbers[x + i] ** 2;
    return Math.sqrt(count) / Math.max(Math.sqrt(sum), SHORTEST);
  }
}

/** Hyper-connections (Zhu et al. 2024): free matrices, each plus s tanh(norm(x) W). */
class HyperConnection extends Connection {
  /**
   * @param {Site} site
   * @param {string} name
   */
  constructor(site, name) {
    super(site, name);
    this.weight = site.linear(name, this.streams + 2, this.width);
    this.products = site.scratch("products of streams", site.chunk * this.streams * (this.streams + 2));
  }

  /**
   * @param {number} x
   * @param {number} rows
   */
  make(x, rows) {
    const { memory: { numbers }, streams: n, width, products, factors: [pre, post, res] } = this;
    this.weight.apply(x, products, rows * n); // of each stream: pre, post, its column of res
    for (let t = 0; t < rows; t++) {
      const own = this.matrices[t];
      for (let s = 0; s < n; s++) {
        const factor = this.perLength(x + (t * n + s) * width, width);
        const dynamic = Array.from({ length: n + 2 }, (_, i) => Math.tanh(numbers[products + (t * n + s) * (n + 2) + i] * factor));
        own[s] = this.staticPre[s] + pre * dynamic[0];
        own[n + s] = this.staticPost[s] + post * dynamic[1];
        for (let to = 0; to < n; to++) own[(2 + to) * n + s] = this.staticRes[to * n + s] + res * dynamic[2 + to];
      }
    }
  }
}

/** Manifold-constrained ones (Xie et al. 2025): H_res doubly stochastic by Sinkhorn, H_pre and H_post not negative. */
class ManifoldHyperConnection extends Connection {
  /**
   * @param {Site} site
   * @param {string} name
   */
  constructor(site, name) {
    super(site, name);
    this.weight = site.linear(name, this.streams * (this.streams + 2), this.row);
    this.products = site.scratch("products of streams", site.chunk * this.streams * (this.streams + 2));
  }

  /**
   * @param {number} x
   * @param {number} rows
   */
  make(x, rows) {
    const { memory: { numbers }, streams: n, row, bound, products, factors: [pre, post, res] } = this;
    const size = n * (n + 2);
    this.weight.apply(x, products, rows);
    for (let t = 0; t < rows; t++) {
      const own = this.matrices[t];
      const factor = this.perLength(x + t * row, row);
      for (let i = 0; i < size; i++) own[i] = numbers[products + t * size + i] * factor;
      for (let s = 0; s < n; s++) {
        own[s] = sigmoid(this.staticPre[s] + pre * own[s]);
        own[n + s] = 2 * sigmoid(this.staticPost[s] + post * own[n + s]);
      }
      const logits = own.subarray(2 * n);
      for (let i = 0; i < n * n; i++) {
        logits[i] = this.staticRes[i] + res * logits[i];
        if (bound !== null) logits[i] = bound * Math.tanh(logits[i] / bound);
      }
      sinkhorn(logits, n, this.iterations);
    }
  }
}

/**
 * Turn logits [N, N] into exp of them, scaled until rows and columns sum to 1: rows, then columns, so many times.
 * @param {Float64Array} logits
 * @param {number} n
 * @param {number} iterations
 */
function sinkhorn(logits, n, iterations) {
  for (let i = 0; i < n; i++) {
    const row = logits.subarray(i * n, (i + 1) * n);
    const most = Math.max(...row);
    for (let j = 0; j < n; j++) row[j] = Math.exp(row[j] - most);
  }
  for (let round = 0; round < iterations; round++) {
    for (let i = 0; i < n; i++) scaleLine(logits, n, i * n, 1);
    for (let j = 0; j < n; j++) scaleLine(logits, n, j, n);
  }
}

/**
 * Have n numbers, `step` apart, sum to 1.
 * @param {Float64Array} numbers
 * @param {number} n
 * @param {number} first
 * @param {number} step
 */
function scaleLine(numbers, n, first, step) {
  let sum = 0;
  for (let i = 0, at = first; i < n; i++, at += step) sum += numbers[at];
  const factor = 1 / sum;
  for (let i = 0, at = first; i < n; i++, at += step) numbers[at] *= factor;
}

const CONNECTIONS = { residual: Residual, hyper: HyperConnection, manifold: ManifoldHyperConnection };

/**
 * What joins a sublayer to the stream.
 * @param {Site} site
 * @param {string} name
 */
export function connectionOf(site, name) {
  const { config } = site;
  return new (chosenFrom(CONNECTIONS, config.connection.kind, "connection", config.name))(site, name);
}
