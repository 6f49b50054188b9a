// @ts-check
// Position schemes, which act on the embedding, on queries and keys, or on the scores: tlmviz/layers/positions.py, scaling.py.

import { chosenFrom } from "../config.js";

/** @typedef {import("../types").Site} Site */
/** @typedef {import("../types").NetworkConfig} NetworkConfig */
/** @typedef {{ cos: Float32Array, sin: Float32Array, planes: number }} Angles of every position, [T, planes] */

/** No positions at all: order is seen through the causal mask alone. */
export class NoPositions {
  constructor() {
    /** @type {Float32Array | null} */
    this.slopes = null;
    this.steady = Infinity;
  }

  /** @param {number} length */
  reach(length) {}

  /**
   * @param {number} x
   * @param {number} start
   * @param {number} rows
   */
  embed(x, start, rows) {}

  /**
   * @param {number} layer
   * @param {number} x
   * @param {number} stride
   * @param {number} heads
   * @param {number} dim
   * @param {number} start
   * @param {number} rows
   */
  rotate(layer, x, stride, heads, dim, start, rows) {}

  /**
   * @param {number} layer
   * @returns {Float32Array | null}
   */
  relative(layer) {
    return null;
  }
}

/** One vector per position, added to a multiple of the embedding. */
class AddedPositions extends NoPositions {
  /**
   * @param {Site} site
   * @param {Float32Array} vectors [T, C]
   * @param {number} factor
   */
  constructor({ memory, config }, vectors, factor) {
    super();
    this.memory = memory;
    this.width = config.d_model;
    this.vectors = vectors;
    this.factor = factor;
  }

  /**
   * @param {number} x
   * @param {number} start
   * @param {number} rows
   */
  embed(x, start, rows) {
    const { memory: { numbers }, vectors, factor, width } = this;
    for (let i = 0, from = start * width; i < rows * width; i++) numbers[x + i] = numbers[x + i] * factor + vectors[from + i];
  }
}

/** Learned vectors (000 section 2.1.4). */
class Learned extends AddedPositions {
  /** @param {Site} site */
  constructor(site) {
    const { context, d_model: width } = site.config;
    super(site, site.weights.take("positions.embedding.weight", [context, width]), 1);
  }
}

/** Sines and cosines of geometric wavelengths, added to sqrt(C) times the embedding (Vaswani et al. 2017, section 3.4). */
class Sinusoidal extends AddedPositions {
  /** @param {Site} site */
  constructor(site) {
    const { context, d_model: width } = site.config;
    const { cos, sin, planes } = anglesOf(frequencies(width + (width % 2), 10000), context);
    const vectors = new Float32Array(context * width);
    for (let i = 0; i < vectors.length; i++) {
      const [t, c] = [Math.floor(i / width), i % width];
      vectors[i] = (c % 2 ? cos : sin)[t * planes + (c >> 1)];
    }
    super(site, vectors, Math.sqrt(width));
  }
}

/** Rotary embedding: queries and keys turn with their position (000 section 3.3), in each layer by its own base. */
class RoPE extends NoPositions {
  /** @param {Site} site */
  constructor({ memory, config }) {
    super();
    this.memory = memory;
    const { layout, scaling } = config.positions;
    this.half = chosenFrom({ interleaved: false, half: true }, layout, "RoPE layout", config.name);
    this.config = config;
    this.scaled = chosenFrom(SCALINGS, scaling, "RoPE scaling", config.name);
    if (this.scaled === SCALINGS.dynamic) this.steady = trained(config);
    this.reached = 0; // the length that the tables are made for
    this.reach(0);
  }

  /** @param {number} length */
  reach(length) {
    const { config, scaled } = this;
    const reached = Math.max(length, this.steady);
    if (reached === this.reached) return;
    this.reached = reached;
    const dim = config.attention.rope_dim || config.positions.rotary_dim || config.attention.head_dim;
    /** @type {Map<string, Angles>} */
    const tables = new Map();
    /** @type {(Angles | null)[]} null for a layer that turns nothing */
    this.tables = config.layers.map((own) => {
      const key = `${own.rope_base} ${own.scaled}`;
      if (own.rotary && !tables.has(key)) {
        const { speeds, factor } = (own.scaled ? scaled : SCALINGS.none)(dim, own.rope_base, config, reached);
        tables.set(key, anglesOf(speeds, Math.min(reached, config.context), factor));
      }
      return own.rotary ? tables.get(key) : null;
    });
  }

  /**
   * @param {number} layer
   * @param {number} x
   * @param {number} stride from row to row
   * @param {number} heads side by side
   * @param {number} dim of a head, of which the first 2 * planes turn
   * @param {number} start
   * @param {number} rows
   */
  rotate(layer, x, stride, heads, dim, start, rows) {
    const table = this.tables[layer];
    if (!table) return;
    const { memory: { numbers }, half } = this;
    const { cos, sin, planes } = table;
    const [step, other] = half ? [1, planes] : [2, 1]; // from plane to plane, and between a plane's two dimensions
    for (let t = 0; t < rows; t++) {
      const row = (start + t) * planes;
      for (let h = 0; h < heads; h++) {
        for (let j = 0, at = x + t * stride + h * dim; j < planes; j++, at += step) {
          const [c, s, a, b] = [cos[row + j], sin[row + j], numbers[at], numbers[at + other]];
          numbers[at] = a * c - b * s;
          numbers[at + other] = a * s + b * c;
        }
      }
    }
  }
}

/** A penalty of slope * distance on the scores, one slope per head (Press et al. 2022). */
class ALiBi extends NoPositions {
  /** @param {Site} site */
  constructor({ config }) {
    super();
    const heads = config.attention.n_heads;
    const power = 1 << (31 - Math.clz32(heads)); // largest power of two <= H
    const slopes = Array.from({ length: power }, (_, i) => 2 ** ((-8 * (i + 1)) / power));
    // for other H every second one of the next power's
    for (let i = 0; slopes.length < heads; i += 2) slopes.push(2 ** ((-8 * (i + 1)) / (2 * power)));
    this.slopes = Float32Array.from(slopes);
  }
}

/** One vector per distance and layer, whose product with the query joins the score (Shaw et al. 2018, equation 4). */
class Relative extends NoPositions {
  /** @param {Site} site */
  constructor({ weights, config }) {
    super();
    const { layers: { length: layers }, positions, attention } = config;
    this.size = positions.distances * attention.head_dim;
    this.vectors = weights.take("positions.vectors", [layers, positions.distances, attention.head_dim]);
  }

  /** @param {number} layer */
  relative(layer) {
    return this.vectors.subarray(layer * this.size, (layer + 1) * this.size);
  }
}

const POSITIONS = {
  learned: Learned,
  sinusoidal: Sinusoidal,
  rope: RoPE,
  alibi: ALiBi,
  relative: Relative,
  none: NoPositions,
};

/**
 * A model's positions.
 * @param {Site} site
 * @returns {import("../types").Positions}
 */
export function positionsOf(site) {
  const { config } = site;
  return new (chosenFrom(POSITIONS, config.positions.kind, "positions", config.name))(site);
}

/**
 * Radians per token of each plane: base^(-2j/dim).
 * @param {number} dim
 * @param {number} base
 */
function frequencies(dim, base) {
  return Float64Array.from({ length: dim / 2 }, (_, j) => base ** ((-2 * j) / dim));
}

/**
 * Cosines and sines of every position, times a factor. Angles are formed in float64: they lose digits in float32 at large t.
 * @param {Float64Array} speeds radians per token
 * @param {number} length
 * @param {number} factor
 * @returns {Angles}
 */
function anglesOf(speeds, length, factor = 1) {
  const planes = speeds.length;
  const [cos, sin] = [new Float32Array(length * planes), new Float32Array(length * planes)];
  for (let t = 0, at = 0; t < length; t++) {
    for (let j = 0; j < planes; j++, at++) {
      cos[at] = Math.fround(Math.cos(t * speeds[j])) * factor;
      sin[at] = Math.fround(Math.sin(t * speeds[j])) * factor;
    }
  }
  return { cos, sin, planes };
}

/** @typedef {(dim: number, base: number, config: NetworkConfig, length: number) => { speeds: Float64Array, factor?: number }} Scaling */

/** RoPE for texts longer than the training's, by `positions.scaling`: speeds, and a factor on queries and keys. */
const SCALINGS = {
  /** @type {Scaling} */
  none: (dim, base) => ({ speeds: frequencies(dim, base) }),
  /** @type {Scaling} Position interpolation (Chen et al. 2023). */
  linear: (dim, base, { positions }) => ({ speeds: frequencies(dim, base).map((speed) => speed / positions.factor) }),
  /** @type {Scaling} A larger base: the slowest plane is `factor` times slower (bloc97 2023). */
  ntk: (dim, base, { positions }) => ({ speeds: stretched(dim, base, positions.factor) }),
  /** @type {Scaling} The same by how much longer than the training's a text is: nothing up to there (003 section 8). */
  dynamic: (dim, base, config, length) => ({ speeds: stretched(dim, base, Math.max(1, length / trained(config))) }),
  /** @type {Scaling} The ramp of YaRN's paper over turns, without its temperature: Llama 3's. */
  "by-parts": (dim, base, config) => {
    const { beta_fast: fast, beta_slow: slow, attention_factor: factor } = config.positions;
    const kept = (/** @type {number} */ speed) => ((trained(config) * speed) / (2 * Math.PI) - slow) / (fast - slow);
    return { speeds: byParts(dim, base, config, kept), factor: factor ?? 1 };
  },
  /** @type {Scaling} YaRN as released (Peng et al. 2023): its ramp is linear in the number of the plane. */
  yarn: (dim, base, config) => {
    const { beta_fast: fast, beta_slow: slow, attention_factor: given, factor } = config.positions;
    const plane = (/** @type {number} */ turns) => (dim * Math.log(trained(config) / (2 * Math.PI * turns))) / (2 * Math.log(base));
    const first = Math.max(Math.floor(plane(fast)), 0);
    const last = Math.min(Math.ceil(plane(slow)), dim - 1);
    const kept = (/** @type {number} */ _, /** @type {number} */ j) => 1 - (j - first) / Math.max(last - first, 0.001);
    return { speeds: byParts(dim, base, config, kept), factor: given ?? 0.1 * Math.log(factor) + 1 };
  },
};

const trained = (/** @type {NetworkConfig} */ config) => config.positions.trained_context ?? config.context;

/**
 * Speeds of a larger base, by which the slowest plane is `factor` times slower and the fastest as it was.
 * @param {number} dim
 * @param {number} base
 * @param {number} factor
 */
function stretched(dim, base, factor) {
  const last = Math.max(dim / 2 - 1, 1);
  return frequencies(dim, base).map((speed, j) => speed * factor ** (-j / last));
}

/**
 * Speeds of which a share is kept and the rest divided by the factor.
 * @param {number} dim
 * @param {number} base
 * @param {NetworkConfig} config
 * @param {(speed: number, plane: number) => number} kept
 */
function byParts(dim, base, config, kept) {
  return frequencies(dim, base).map((speed, j) => {
    const share = Math.min(Math.max(kept(speed, j), 0), 1);
    return share * speed + ((1 - share) * speed) / config.positions.factor;
  });
}
