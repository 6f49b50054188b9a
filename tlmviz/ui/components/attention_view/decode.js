// The payload, the exact arithmetic of one head, and how tokens and numbers are written.
// Everything here is free of the DOM, so that it can be tested outside a browser.

const TYPES = { uint8: Uint8Array, float32: Float32Array };
const BLOCK = 64; // keys per block of the map; a multiple of four
let spare = null; // the last T x T buffer given back: allocating megabytes per head would cost more than filling them
const STAGES = ["dot", "scaled", "masked", "softmax"];

/** Header and typed arrays of one payload. The bytes are copied: they may arrive unaligned. */
function decode(bytes) {
  const own = new Uint8Array(bytes);
  const length = new DataView(own.buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(own.subarray(4, 4 + length)));
  const arrays = {};
  for (const [name, { dtype, shape, offset }] of Object.entries(header.arrays)) {
    const size = shape.reduce((a, b) => a * b, 1);
    arrays[name] = new TYPES[dtype](own.buffer, 4 + length + offset, size);
  }
  return { header, arrays };
}

/** A short fingerprint of the tokens: which text a cached head belongs to. */
function textKey(header) {
  let hash = 2166136261;
  const text = header.model + "\u0001" + header.tokens.join("\u0001");
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619) >>> 0;
  return `${hash.toString(16)}:${text.length}`;
}

/** One head's q, k and lse (and q times each distance's vector where it has them), and everything that is computed from them on demand. */
class Head {
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
    this.ranges = {};
    this.dots = null; // [T * T] once a whole map is looked at
    this.complete = false; // whether dots also holds the future
  }

  hidden(i, j) {
    return (this.causal && j > i) || Math.abs(i - j) >= this.window;
  }

  dot(i, j) {
    const { dim, q, k } = this;
    let sum = 0;
    for (let d = 0, a = i * dim, b = j * dim; d < dim; d++) sum += q[a + d] * k[b + d];
    return sum;
  }

  /** What distance adds to a score: ALiBi's penalty, or query i's product with the distance's vector. */
  bias(i, j) {
    const distance = Math.abs(i - j);
    const product = this.relative ? this.relative[i * (this.last + 1) + Math.min(distance, this.last)] : 0;
    return product - this.slope * distance;
  }

  /** q.k * scale + bias */
  score(i, j) {
    return this.dot(i, j) * this.scale + this.bias(i, j);
  }

  probability(i, j) {
    return this.hidden(i, j) ? 0 : Math.exp(this.score(i, j) - this.lse[i]);
  }

  /** What query i attends to, [T]. */
  row(i) {
    return Float32Array.from({ length: this.size }, (_, j) => this.probability(i, j));
  }

  /**
   * All q.k products, [T * T]; without `full` only what a query may see (the rest is undefined).
   * Two queries by four keys at a time, over blocks of keys that stay in the processor's cache.
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

  /** Give the T x T memory to the next head that is looked at. */
  release() {
    spare = this.dots ?? spare;
    this.dots = null;
    this.complete = false;
  }

  /**
   * The square of n x n cells at (row, col) as m x m values, NaN where nothing is visible.
   * Where several cells share a value, the largest probability (or the largest |score|) wins.
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

// --- words and numbers ---------------------------------------------------------------------------

const segmenter = typeof Intl !== "undefined" && Intl.Segmenter ? new Intl.Segmenter() : null;

/** A token as it is drawn: one line, no control or direction-override characters. */
function shown(token) {
  if (token === "<|endoftext|>") return "⟨start⟩";
  if (token === "") return "∅";
  if (/^ +$/.test(token)) return "·".repeat(Math.min(token.length, 6));
  const line = token.replace(/\r?\n|\r/g, "⏎").replace(/\t/g, "⇥");
  const plain = line.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "\ufffd");
  return plain.replace(/^ +/, "") || "·";
}

/** At most `limit` user-visible characters, with an ellipsis. */
function clip(text, limit) {
  if (text.length <= limit) return text;
  const parts = segmenter ? Array.from(segmenter.segment(text), (s) => s.segment) : Array.from(text);
  return parts.length <= limit ? text : parts.slice(0, limit - 1).join("") + "…";
}

/** `"cat" (11)`; the isolates keep right-to-left tokens from reordering their surroundings. */
function named(tokens, i) {
  return `"\u2068${clip(shown(tokens[i]), 18)}\u2069" (${i})`;
}

function digits(value, count = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  const size = Math.abs(value);
  if (value !== 0 && (size < 1e-4 || size >= 1e6)) return value.toExponential(count - 1);
  return value.toPrecision(count);
}

function short(value) {
  if (value === null || value === undefined) return "–";
  return Math.abs(value) >= 100 ? value.toFixed(0) : Math.abs(value) >= 10 ? value.toFixed(1) : value.toFixed(2);
}

// name -> label, unit, and whether the largest comes first when heads are sorted by it
const STATISTICS = {
  entropy: { label: "Entropy", unit: " bits", descending: false, note: "most focused first" },
  previous: { label: "Previous token", unit: "", descending: true, note: "largest mass first" },
  induction: { label: "Induction", unit: "", descending: true, note: "largest mass first" },
  sink: { label: "Attention sink", unit: "", descending: true, note: "largest mass first" },
  distance: { label: "Mean distance", unit: " tokens", descending: true, note: "farthest first" },
};

/** Heads (as flat indices) in the order in which the overview shows them. */
function arrange(header, order) {
  const all = Array.from({ length: header.layers * header.heads }, (_, i) => i);
  const values = header.stats?.[order];
  if (!values) return all;
  const sign = STATISTICS[order].descending ? -1 : 1;
  const rank = (i) => (values[i] === null ? Infinity : sign * values[i]);
  return all.sort((a, b) => (rank(a) === rank(b) ? a - b : rank(a) - rank(b)));
}
