// @ts-check
// The exact arithmetic of one head: p = exp(q.k * scale + bias - lse). Free of the DOM.

/** @typedef {import("./types").Stage} Stage */

const BLOCK = 64; // keys per block of the map; a multiple of four
/** @type {Float32Array | null} */
let spare = null; // the last T x T buffer given back: allocating megabytes per head would cost more than filling them
/** @type {Stage[]} */
export const STAGES = ["dot", "scaled", "masked", "softmax"];

/** One head's q, k and lse (and q times each distance's vector where it has them), and everything that is computed from them on demand. */
export class Head {
  /**
   * @param {import("./types").Header} header
   * @param {Record<"q" | "k" | "lse" | "relative", Float32Array>} arrays q and k [T * D], lse [T], relative [T * R]
   */
  constructor(header, arrays) {
    this.size = header.tokens.length;
    this.dim = arrays.q.length / this.size;
    this.q = arrays.q;
    this.k = arrays.k;
    this.lse = arrays.lse;
    this.relative = arrays.relative ?? null; // [T * R]
    this.last = arrays.relative ? arrays.relative.length / this.size - 1 : 0; // serves all greater distances
    this.scale = header.scale;
    this.slope = header.slope || 0;
    this.window = header.window ?? Infinity;
    this.causal = header.causal ?? true;
    /** @type {Partial<Record<Stage, number>>} */
    this.ranges = {};
    /** @type {Float32Array | null} */
    this.dots = null; // [T * T] once a whole map is looked at
    this.complete = false; // whether dots also holds the future
  }

  /**
   * Whether query i may not see key j.
   * @param {number} i
   * @param {number} j
   */
  hidden(i, j) {
    return (this.causal && j > i) || Math.abs(i - j) >= this.window;
  }

  /**
   * q.k
   * @param {number} i
   * @param {number} j
   */
  dot(i, j) {
    const { dim, q, k } = this;
    let sum = 0;
    for (let d = 0, a = i * dim, b = j * dim; d < dim; d++) sum += q[a + d] * k[b + d];
    return sum;
  }

  /**
   * What distance adds to a score: ALiBi's penalty, or query i's product with the distance's vector.
   * @param {number} i
   * @param {number} j
   */
  bias(i, j) {
    const distance = Math.abs(i - j);
    const product = this.relative ? this.relative[i * (this.last + 1) + Math.min(distance, this.last)] : 0;
    return product - this.slope * distance;
  }

  /**
   * q.k * scale + bias
   * @param {number} i
   * @param {number} j
   */
  score(i, j) {
    return this.dot(i, j) * this.scale + this.bias(i, j);
  }

  /**
   * exp(score - lse), 0 where hidden
   * @param {number} i
   * @param {number} j
   */
  probability(i, j) {
    return this.hidden(i, j) ? 0 : Math.exp(this.score(i, j) - this.lse[i]);
  }

  /**
   * The stage that is shown where `stage` is asked for: all of them can be computed.
   * @param {Stage} stage
   */
  stageOf(stage) {
    return stage;
  }

  /**
   * What is known of one cell at a stage, by name.
   * @param {number} i
   * @param {number} j
   * @param {Stage} stage
   * @returns {[string, number][]}
   */
  values(i, j, stage) {
    /** @type {[string, number][]} */
    const values = [["probability", this.probability(i, j)], ["score", this.score(i, j)]];
    return stage === "dot" ? [...values, ["q·k", this.dot(i, j)]] : values;
  }

  /**
   * The probabilities of query i, [T].
   * @param {number} i
   */
  row(i) {
    return Float32Array.from({ length: this.size }, (_, j) => this.probability(i, j));
  }

  /**
   * All q.k products, [T * T]; without `full` only what a query may see (the rest is undefined).
   * Two queries by four keys at a time, over blocks of keys that stay in the processor's cache.
   * @param {boolean} full
   */
  matrix(full) {
    full ||= !this.causal;
    if (this.dots && (this.complete || !full)) return this.dots;
    const { size, dim } = this;
    if (!this.dots) this.dots = spare?.length === size * size ? spare : new Float32Array(size * size);
    spare = null;
    const { dots } = this;
    const q = Float64Array.from(this.q);
    const k = Float64Array.from(this.k);
    for (let block = 0; block < size; block += BLOCK) {
      const stop = Math.min(size, block + BLOCK);
      for (let i = full ? 0 : block; i < size; i += 2) {
        const end = full ? stop : Math.min(stop, i + 2);
        let j = block;
        for (; i + 1 < size && j < end && j + 4 <= size; j += 4) {
          let s0 = 0, s1 = 0, s2 = 0, s3 = 0, t0 = 0, t1 = 0, t2 = 0, t3 = 0;
          const a0 = i * dim, a1 = a0 + dim;
          const b0 = j * dim, b1 = b0 + dim, b2 = b1 + dim, b3 = b2 + dim;
          for (let d = 0; d < dim; d++) {
            const x = q[a0 + d], y = q[a1 + d];
            const u0 = k[b0 + d], u1 = k[b1 + d], u2 = k[b2 + d], u3 = k[b3 + d];
            s0 += x * u0, s1 += x * u1, s2 += x * u2, s3 += x * u3;
            t0 += y * u0, t1 += y * u1, t2 += y * u2, t3 += y * u3;
          }
          const s = i * size + j, t = s + size;
          dots[s] = s0, dots[s + 1] = s1, dots[s + 2] = s2, dots[s + 3] = s3;
          dots[t] = t0, dots[t + 1] = t1, dots[t + 2] = t2, dots[t + 3] = t3;
        }
        for (; j < end; j++) {
          dots[i * size + j] = this.dot(i, j);
          if (i + 1 < size) dots[(i + 1) * size + j] = this.dot(i + 1, j);
        }
      }
    }
    this.complete = full;
    return dots;
  }

  /** Hand the T x T memory to the next head. */
  release() {
    spare = this.dots ?? spare;
    this.dots = null;
    this.complete = false;
  }

  /**
   * The square of n x n cells at (row, col) as m x m values, NaN where nothing is visible.
   * Where several cells share a value, the largest probability (or the largest |score|) wins.
   * @param {Stage} stage
   * @param {number} row
   * @param {number} col
   * @param {number} n
   * @param {number} m
   */
  picture(stage, row, col, n, m) {
    const open = stage === "dot" || stage === "scaled"; // these stages come before the mask
    const dots = this.matrix(open);
    const { size, lse, slope, causal, window } = this;
    const soft = stage === "softmax";
    const scale = stage === "dot" ? 1 : this.scale;
    const bias = stage === "dot" ? 0 : slope;
    const relative = stage === "dot" ? null : this.relative;
    const { last: farthest } = this;
    const out = new Float32Array(m * m).fill(NaN);
    const bin = new Int32Array(n);
    for (let c = 0; c < n; c++) bin[c] = Math.floor((c * m) / n);
    for (let r = 0; r < n; r++) {
      const i = row + r;
      const base = i * size;
      const target = bin[r] * m;
      const shift = soft ? lse[i] : 0;
      const first = open || window === Infinity ? 0 : Math.max(0, i - window + 1 - col);
      let last = open || !causal ? n : Math.min(n, i - col + 1);
      if (!open && !causal && window !== Infinity) last = Math.min(last, i + window - col);
      for (let c = first; c < last; c++) {
        const j = col + c;
        let value = dots[base + j] * scale - bias * Math.abs(i - j) - shift;
        if (relative) value += relative[i * (farthest + 1) + Math.min(Math.abs(i - j), farthest)];
        const at = target + bin[c];
        const old = out[at];
        if (old !== old || (soft ? value > old : Math.abs(value) > Math.abs(old))) out[at] = value;
      }
    }
    if (soft) for (let x = 0; x < out.length; x++) out[x] = Math.exp(out[x]); // max commutes with exp
    return out;
  }

  /**
   * The largest value of a stage over the whole map. Probabilities of the first sixteenth of
   * the queries are left out: they share their mass among few keys and would pale all others.
   * @param {Stage} stage
   */
  range(stage) {
    if (this.ranges[stage] === undefined) {
      const m = Math.min(this.size, 64); // pooling keeps maxima
      const all = this.picture(stage, 0, 0, this.size, m);
      let best = 0;
      const first = stage === "softmax" && m > 1 ? Math.ceil(m / 16) * m : 0;
      for (let x = first; x < all.length; x++) {
        const value = Math.abs(all[x]);
        if (value > best) best = value;
      }
      this.ranges[stage] = best || 1;
    }
    return this.ranges[stage];
  }
}
