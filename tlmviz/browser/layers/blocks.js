// @ts-check
// How attention, feed-forward and norms join the residual stream: tlmviz/layers/blocks.py.

import { chosenFrom } from "../config.js";
import { Attention, CrossAttention } from "./attention.js";
import { plainFeedForward } from "./feedforward.js";
import { normOf } from "./norms.js";
import { connectionOf } from "./streams.js";

/** @typedef {import("../types").Site} Site */
/** @typedef {import("../types").Sublayer} Sublayer */
/** @typedef {{ attn: ReturnType<typeof import("./attention.js").attentionOf>, mlp: ReturnType<typeof import("./experts.js").feedForwardOf> }} Parts */

/** One layer's parts, and the two sublayers that a block joins to the stream x, which is changed in place. */
class Block {
  /**
   * @param {Site} site
   * @param {string} name
   * @param {Parts} parts
   */
  constructor(site, name, { attn, mlp }) {
    this.memory = site.memory;
    this.width = site.config.d_model;
    this.name = name;
    this.attn = attn;
    this.mlp = mlp;
    this.normed = site.scratch("normed", site.chunk * this.width);
    this.written = site.scratch("attention's output", site.chunk * this.width);
  }

  /**
   * @param {number} x the stream of so many rows, or all its streams
   * @param {number} start position of the first row
   * @param {number} rows
   * @param {Set<number>} [muted] heads without their output
   */
  apply(x, start, rows, muted) {}

  /**
   * @param {string} part
   * @param {number} place
   * @param {number} rows
   * @param {number} [width]
   */
  tap(part, place, rows, width = this.width) {
    this.memory.tap(`${this.name}.${part}`, place, rows * width);
  }

  /**
   * x += y
   * @param {number} x
   * @param {number} y
   * @param {number} rows
   */
  add(x, y, rows) {
    const { numbers } = this.memory;
    for (let i = 0; i < rows * this.width; i++) numbers[x + i] += numbers[y + i];
  }
}

/** x + attention(norm(x)), then x + feed-forward(norm(x)); the plus is a residual connection, or hyper-connections. */
class PreNormBlock extends Block {
  /**
   * @param {Site} site
   * @param {string} name
   * @param {Parts} parts
   */
  constructor(site, name, parts) {
    super(site, name, parts);
    this.norm1 = normOf(site, `${this.name}.norm1`);
    this.norm2 = normOf(site, `${this.name}.norm2`);
    this.carried = this.width * (site.config.connection.kind === "residual" ? 1 : site.config.connection.streams);
    this.joinAttn = connectionOf(site, `${this.name}.join_attn`);
    this.joinMlp = connectionOf(site, `${this.name}.join_mlp`);
  }

  /**
   * @param {number} x
   * @param {number} start
   * @param {number} rows
   * @param {Set<number>} [muted]
   */
  apply(x, start, rows, muted) {
    const { normed, norm1, norm2, mlp, carried } = this;
    this.tap("resid_pre", x, rows, carried);
    this.joinAttn.apply(x, rows, (read, out) => {
      norm1.apply(read, normed, rows);
      this.tap("normed_attn", normed, rows);
      this.attn.apply(normed, out, start, rows, muted);
    });
    this.tap("resid_mid", x, rows, carried);
    this.joinMlp.apply(x, rows, (read, out) => {
      norm2.apply(read, normed, rows);
      this.tap("normed_mlp", normed, rows);
      mlp.apply(normed, out, rows);
    });
    this.tap("resid_post", x, rows, carried);
  }
}

/** A block of plain residuals: each sublayer reads the stream through `before`, and what it says passes `behind`. */
class NormedBlock extends Block {
  /**
   * @param {Site} site
   * @param {string} name
   * @param {Parts} parts
   * @param {{ before?: string[], behind?: string[], sum?: string[] }} norms of each sublayer
   */
  constructor(site, name, parts, norms) {
    super(site, name, parts);
    const made = (/** @type {string[]} */ names) => names?.map((name) => normOf(site, `${this.name}.${name}`));
    this.before = made(norms.before);
    this.behind = made(norms.behind);
    this.sum = made(norms.sum); // of the stream behind the plus
  }

  /**
   * @param {number} x
   * @param {number} start
   * @param {number} rows
   * @param {Set<number>} [muted]
   */
  apply(x, start, rows, muted) {
    this.join(x, rows, [
      (read, out) => this.attn.apply(read, out, start, rows, muted),
      (read, out) => this.mlp.apply(read, out, rows),
    ]);
  }

  /**
   * @param {number} x
   * @param {number} rows
   * @param {Sublayer[]} sublayers attention, in a decoder that reads a source cross-attention, and feed-forward
   */
  join(x, rows, sublayers) {
    const { normed, written } = this;
    const [parts, taps] = sublayers.length === 2 ? [["attn", "mlp"], ["mid", "post"]] : [["attn", "cross", "mlp"], ["mid", "cross", "post"]];
    this.tap("resid_pre", x, rows);
    sublayers.forEach((sublayer, place) => {
      this.before?.[place].apply(x, normed, rows);
      if (this.before) this.tap(`normed_${parts[place]}`, normed, rows);
      sublayer(this.before ? normed : x, written, rows);
      this.behind?.[place].apply(written, written, rows);
      if (this.behind && !this.before) this.tap(`normed_${parts[place]}`, written, rows);
      if (this.behind) this.tap(`added_${parts[place]}`, written, rows);
      this.add(x, written, rows);
      this.sum?.[place].apply(x, x, rows);
      if (this.sum) this.tap(`normed_${parts[place]}`, x, rows);
      this.tap(`resid_${taps[place]}`, x, rows);
    });
  }
}

/** x + attention(norm(x)) + feed-forward(norm'(x)): both read the stream that enters (GPT-NeoX; Phi with one norm for both). */
class ParallelBlock extends Block {
  /**
   * @param {Site} site
   * @param {string} name
   * @param {Parts} parts
   * @param {boolean} shared whether one norm serves both
   */
  constructor(site, name, parts, shared) {
    super(site, name, parts);
    this.norm1 = normOf(site, `${this.name}.norm1`);
    this.norm2 = shared ? this.norm1 : normOf(site, `${this.name}.norm2`);
    this.fed = site.scratch("feed-forward's output", site.chunk * this.width);
  }

  /**
   * @param {number} x
   * @param {number} start
   * @param {number} rows
   * @param {Set<number>} [muted]
   */
  apply(x, start, rows, muted) {
    const { normed, written, fed } = this;
    this.tap("resid_pre", x, rows);
    this.norm1.apply(x, normed, rows);
    this.tap("normed_attn", normed, rows);
    this.attn.apply(normed, written, start, rows, muted);
    if (this.norm2 !== this.norm1) this.norm2.apply(x, normed, rows);
    this.tap("normed_mlp", normed, rows);
    this.mlp.apply(normed, fed, rows);
    this.add(x, written, rows);
    this.tap("resid_mid", x, rows);
    this.add(x, fed, rows);
    this.tap("resid_post", x, rows);
  }
}

/**
 * A decoder's block: x + attention, + cross-attention to what the encoder made, + feed-forward, each of norm(x). Several texts
 * about one source may be written at once.
 */
export class CrossBlock extends NormedBlock {
  /**
   * @param {Site} site
   * @param {string} name
   * @param {number} layer
   * @param {import("../types").Positions} positions
   */
  constructor(site, name, layer, positions) {
    const attn = new Attention(site, `${name}.attn`, layer, positions);
    super(site, name, { attn, mlp: plainFeedForward(site, `${name}.mlp`) }, { before: ["norm1", "norm_cross", "norm2"] });
    this.own = attn;
    this.cross = new CrossAttention(site, `${name}.cross`, layer, positions);
    this.all = [attn.attended]; // what texts may be held in, reused
    this.texts = [attn.attended]; // what is held of each text
  }

  /**
   * Take what an encoder made of a source, [S, C]; nothing is written yet.
   * @param {number} memory
   * @param {number} rows S
   */
  begin(memory, rows) {
    this.cross.read(memory, rows);
    this.texts = [this.own.attended];
  }

  /**
   * Text i becomes a copy of the former text rows[i].
   * @param {number[]} rows
   */
  reorder(rows) {
    const { all, own, texts: former } = this;
    const spare = all.filter((text) => !rows.some((row) => former[row] === text));
    this.texts = rows.map((row, i) => {
      if (rows.indexOf(row) === i) return former[row]; // it goes on where it lies
      if (!spare.length) spare.push(all[all.push(own.another()) - 1]);
      return spare.pop().follow(former[row]);
    });
  }

  /**
   * @param {number} x the stream of as many rows of each text
   * @param {number} start position of each text's first row
   * @param {number} rows
   */
  apply(x, start, rows) {
    this.join(x, rows, [
      (read, out) => this.own.apply(read, out, start, rows, undefined, this.texts),
      (read, out) => this.cross.apply(read, out, rows),
      (read, out) => this.mlp.apply(read, out, rows),
    ]);
  }
}

/** @typedef {(site: Site, name: string, parts: Parts) => Block} Maker */

/** `norm.placement` -> a layer. @type {Record<string, Maker>} */
const BLOCKS = {
  pre: (...given) => new PreNormBlock(...given),
  post: (...given) => new NormedBlock(...given, { sum: ["norm1", "norm2"] }),
  sandwich: (...given) => new NormedBlock(...given, { before: ["norm1", "norm2"], behind: ["norm_attn_out", "norm_mlp_out"] }),
  output: (...given) => new NormedBlock(...given, { behind: ["norm1", "norm2"] }),
  parallel: (...given) => new ParallelBlock(...given, false),
  "parallel-shared": (...given) => new ParallelBlock(...given, true),
};

/**
 * A layer of a network.
 * @param {Site} site
 * @param {string} name
 * @param {Parts} parts
 */
export function blockOf(site, name, parts) {
  const { config } = site;
  return chosenFrom(BLOCKS, config.norm.placement, "norm placement", config.name)(site, name, parts);
}
