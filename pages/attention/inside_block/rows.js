// @ts-check
// The row of each step of a layer, as tlmviz/analysis/attention makes it. Free of the DOM.

import { binsOf } from "#browser/survey.js";
import { Token } from "./token.js";

/** @typedef {import("../../../tlmviz/browser/types").Matrix} Matrix */
/** @typedef {import("./token.js").Read} Read */
/** @typedef {import("./token.js").Placement} Placement */
/** @typedef {import("./token.js").Likely} Likely */
/** @typedef {Float32Array | number[]} Numbers */
/** @typedef {{ left: Numbers, right: (column: number) => Numbers, names: [left: string, right: string], bias?: Float32Array | null, inner?: string,
 * terms?: string[], column?: (cell: number) => number, actual?: (column: number) => number }} Product behind a row */
/** @typedef {{ what: string, values: Numbers, count?: number, x?: string, kind?: "probability", places?: number[], labels?: string[],
 * product?: Product }} Drawn a row; `count` of its matrix's columns where another number is drawn */

export const DRAWN_ROWS = 128; // most tokens of a matrix that is drawn
const LIKELY = 48; // tokens whose logits are shown
const MIXED_PLACE = ["learned", "sinusoidal"]; // positions that are added to embeddings

/** Steps between the tokens of a long text that are drawn. @param {number} length @param {number} most */
export const strideOf = (length, most) => Math.ceil(length / Math.max(1, most));

/**
 * The matrix product of a linear map.
 * @param {Numbers} left
 * @param {Matrix} matrix
 * @param {[string, string]} names of both sides
 * @returns {Product}
 */
const product = (left, matrix, names) => ({ left, right: (column) => matrix.row(column), names, bias: matrix.bias });

/**
 * A row over the keys, thinned out where the text is long.
 * @param {Token} token
 * @param {string} name
 * @param {(key: number) => number} of
 * @returns {Drawn}
 */
function overKeys(token, name, of) {
  const { length, head, read: { trace } } = token;
  const stride = strideOf(length, DRAWN_ROWS);
  const places = Array.from({ length: Math.ceil(length / stride) }, (_key, i) => i * stride);
  return { what: `${name}, head ${head}`, values: places.map(of), x: "key token", places, labels: places.map((key) => trace.tokens[key]),
    count: places.length };
}

/**
 * The head's weights; of a long text the largest of as many rows and columns as one cell stands for.
 * @param {Token} token
 */
function weightsRow(token) {
  const { head, length, attended, read: { trace, layer } } = token;
  const stride = strideOf(length, DRAWN_ROWS);
  const bins = binsOf(length, Math.ceil(length / stride));
  const { first, end } = stride === 1 ? { first: token.position, end: token.position + 1 } : bins[Math.floor(token.position / stride)];
  const map = attended.weights(head, trace.kept[layer], first, end);
  const largest = (/** @type {number} */ key) => {
    const columns = stride === 1 ? { first: key, end: key + 1 } : bins[key / stride];
    let most = 0;
    for (let i = 0; i < end - first; i++) for (let j = columns.first; j < columns.end; j++) most = Math.max(most, map[i * length + j]);
    return most === 0 && !token.sees(key) ? NaN : most;
  };
  return { ...overKeys(token, "attention weight (probability)", largest), kind: /** @type {const} */ ("probability") };
}

/**
 * The tokens that are likeliest somewhere in the text, in the order in which it makes them so.
 * @param {Read} read
 * @returns {Likely}
 */
function likelyOf({ lm, trace }) {
  const { logits, ids: { length } } = trace;
  const size = logits.length / length;
  const [most, at] = [new Float32Array(size), new Int32Array(size)];
  for (let t = 0; t < length; t++) {
    const row = logits.subarray(t * size, (t + 1) * size);
    const highest = row.reduce((best, logit) => Math.max(best, logit), -Infinity);
    const parts = row.map((logit) => Math.exp(logit - highest));
    const sum = parts.reduce((total, part) => total + part, 0);
    parts.forEach((part, id) => {
      if (part / sum > most[id]) [most[id], at[id]] = [part / sum, t];
    });
  }
  const ids = Array.from(most, (_p, id) => id).sort((a, b) => most[b] - most[a]).slice(0, LIKELY).sort((a, b) => at[a] - at[b]);
  return { ids, names: ids.map((id) => lm.tokenizer.writtenNameOf(id)) };
}

/** @param {Token} token @returns {Drawn} */
function logitsRow(token) {
  const { read, position, width } = token;
  const { ids, names } = (read.likely ??= likelyOf(read));
  const { trace, lm: { network } } = read;
  const [size, state] = [network.config.vocab_size, trace.states.slice(position * width, (position + 1) * width)];
  const { head, headBias: bias } = network;
  return {
    what: `logits of ${ids.length} likely tokens`, values: ids.map((id) => trace.logits[position * size + id]), x: "vocabulary token", labels: names,
    product: { ...product(state, head, ["final x", "W_head"]), bias, column: (cell) => ids[cell],
      actual: (id) => network.project(head, state)[id] + (bias ? bias[id] : 0) },
  };
}

/** What the head alone writes: its numbers through its own rows of the output matrix. @param {Token} token */
function writtenAlone(token) {
  const { mixed, head, block: { attn: { proj } } } = token;
  return Float32Array.from({ length: proj.outputs }, (_number, c) => {
    const weights = proj.row(c).subarray(head * mixed.length);
    return mixed.reduce((sum, number, e) => sum + number * weights[e], 0);
  });
}

/** The stream right after an addition: what a norm of the sum keeps to itself is added again. @param {Token} token @param {0 | 1} which */
function added(token, which) {
  const { placement, read: { lm: { config: { connection: { kind } } } } } = token;
  const written = placement.summed ? token.own(placement.added[which]) : null;
  const before = placement.summed && token.own(placement.streams[which]);
  return { what: kind === "residual" ? "= new x" : "new mean of streams",
    values: written ? before.map((number, c) => number + written[c]) : token.stream(["resid_mid", "resid_post"][which]) };
}

/**
 * How long what an addition adds is beside the stream that it is added to, on average over the tokens.
 * @param {Read} read
 * @param {Placement} placement
 * @param {string} step "add 1" or "add 2"
 */
export function shareOf(read, placement, step) {
  const which = step === "add 1" ? 0 : 1;
  const { length } = read.trace.ids;
  const long = (/** @type {Numbers} */ numbers) => Math.hypot(...numbers);
  let sum = 0;
  for (let t = 0; t < length; t++) {
    const token = new Token(read, placement, 0, t);
    sum += long(token.own(placement.added[which])) / long(token.stream(placement.streams[which]));
  }
  return sum / length;
}

/** The norm's result. @param {string} part */
const normed = (part) => (/** @type {Token} */ token) => ({ what: "normalised, scaled by γ", values: token.own(part) });

/** @param {Token} token */
function widened(token) {
  const { up, gated, hidden } = token.block.mlp;
  const all = token.own("mlp.up");
  const made = product(token.input(1), up, [token.placement.input, gated ? "W_gate,up" : "W_1"]);
  return gated
    ? { what: "up", values: all.subarray(hidden), x: "hidden unit", product: { ...made, column: (/** @type {number} */ cell) => hidden + cell } }
    : { what: "before the activation", values: all, x: "hidden unit", product: made };
}

/** Step -> its row. @type {Record<string, (token: Token) => Drawn>} */
export const BUILDERS = {
  embed: (token) => ({ what: MIXED_PLACE.includes(token.read.lm.config.positions.kind) ? "= x" : "x, token embedding", values: token.row("embed") }),
  "norm 1": normed("normed_attn"),
  qkv: (token) => ({ what: "queries | keys | values", values: token.own("attn.fused"), x: "column of W_qkv",
    product: product(token.input(0), token.block.attn.qkv, [token.placement.input, "W_qkv"]) }),
  heads: (token) => ({ what: "query", values: token.own("attn.fused").subarray(0, token.heads * token.dim), x: "head" }),
  split: (token) => ({ what: `query, head ${token.head}`, values: token.slice("attn.fused", token.head), x: "dimension" }),
  "QK norm": (token) => ({ what: `key normalised, head ${token.group}`, values: token.slice("attn.normalised", token.heads + token.group), x: "dimension" }),
  RoPE: (token) => ({ what: `query rotated, head ${token.head}`, values: token.kept("q", token.position), x: "dimension" }),
  latent: (token) => ({ what: "c_KV | k^R", values: token.own("attn.down"), x: "column of W_down",
    product: product(token.input(0), token.block.attn.down, [token.placement.input, "W_down"]) }),
  scores: (token) => {
    const drawn = overKeys(token, "q·k", (key) => token.dot(key));
    return { ...drawn, product: { left: token.kept("q", token.position), right: (key) => token.kept("k", key), names: ["query", "key, transposed"],
      inner: "dimension", column: (cell) => drawn.places[cell] } };
  },
  scale: (token) => overKeys(token, "scaled score", (key) => token.score(key)),
  mask: (token) => overKeys(token, "masked score", (key) => (token.sees(key) ? token.score(key) : NaN)),
  softmax: weightsRow,
  mix: (token) => {
    const right = (/** @type {number} */ d) => Float32Array.from({ length: token.length }, (_value, key) => token.kept("v", key)[d]);
    return { what: `mixed values, head ${token.head}`, values: token.mixed, x: "dimension",
      product: { left: token.weights, right, names: ["attention weight", "value"], inner: "key token", terms: token.read.trace.tokens } };
  },
  concat: (token) => ({ what: "heads side by side", values: token.own("attn.concat"), x: "head" }),
  "per head": (token) => ({ what: `what head ${token.head} writes`, values: writtenAlone(token) }),
  project: (token) => ({ what: "attention's output", values: token.own("attn.out"),
    product: product(token.own("attn.concat"), token.block.attn.proj, ["heads side by side", "W_O"]) }),
  "norm out 1": normed("added_attn"),
  "add 1": (token) => added(token, 0),
  "norm 2": normed("normed_mlp"),
  up: widened,
  activate: (token) => ({ what: "hidden units", values: token.own("mlp.hidden"), x: "hidden unit" }),
  down: (token) => ({ what: "MLP's output", values: token.own("mlp.out"),
    product: { ...product(token.own("mlp.hidden"), token.block.mlp.down, ["hidden units", "W_2"]), inner: "hidden unit" } }),
  route: (token) => ({ what: "router's logits", values: token.own("mlp.router_logits"), x: "expert",
    product: product(token.input(1), token.block.mlp.router, [token.placement.input, "W_router"]) }),
  experts: (token) => ({ what: "experts' output", values: token.own("mlp.out") }),
  "norm out 2": normed("added_mlp"),
  "add 2": (token) => added(token, 1),
  logits: logitsRow,
};
