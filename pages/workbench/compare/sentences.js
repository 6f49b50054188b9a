// @ts-check
// What is pointed at or pinned, in words, and the aligned tokens. Free of the DOM.

import { _ } from "#canvas/language.js";
import { digits, minus, visible } from "#canvas/text.js";

/** @typedef {{ a: string | null, b: string | null, pair: number | null }} Column a token of each text,
 * null where it has none; `pair` counts the columns that have both */
/** @typedef {{ token: string, share: number }} Guess */
/**
 * `side` of each head's small map; `most` is the end of their scale; `head` in detail; `pin` where nobody pinned a token; `ten` heads that
 * moved most; `guesses` behind each aligned token, of both runs; `apart`: the streams have no cosines.
 * @typedef {{ title: string, columns: Column[], layers: number, heads: number, side: number, most: number, head: [number, number], pin: number,
 *   ten: [number, number][], guesses: [Guess[], Guess[]][], apart: boolean }} Header
 */
/** @typedef {{ maps: Uint8Array, moved: Float32Array, a: Float32Array, b: Float32Array, cosines: Float32Array,
 * kl: Float32Array }} Arrays row-major: maps [L * H, side, side] around 128; weights [P, P] of the head in detail; cosines [L + 1, P] */
/** @typedef {{ header: Header, arrays: Arrays, tokens: string[], difference: Float32Array, images: Map<string,
 * HTMLCanvasElement> }} Data aligned tokens: "ball", "ball→hat"; difference [P, P] */
/** @typedef {{ part: "head", layer: number, head: number } | { part: "cell", row: number, col: number } | { part: "cosine", layer: number,
 * row: number } | { part: "token", row: number }} Hover */

/**
 * What the server sent, with the difference of the head in detail.
 * @param {{ header: Header, arrays: any }} sent
 * @returns {Data}
 */
export function compared({ header, arrays }) {
  const tokens = header.columns.filter(({ pair }) => pair !== null).map(({ a, b }) => (a === b ? visible(a) : `${visible(a)}→${visible(b)}`));
  return { header, arrays, tokens, difference: Float32Array.from(arrays.b, (value, i) => value - arrays.a[i]), images: new Map() };
}

/** @param {number} value */
export function signed(value) {
  return `${value > 0 ? "+" : ""}${digits(value, 3)}`;
}

/** @param {number} share */
export function inPercent(share) {
  return `${minus((100 * share).toFixed(share < 0.1 ? 1 : 0))}%`;
}

/**
 * The cells of one row that changed most, largest first.
 * @param {Data} data
 * @param {number} row
 * @param {number} count
 */
export function mostChanged({ difference, tokens }, row, count = 3) {
  const cells = Array.from(tokens, (_token, col) => ({ col, value: difference[row * tokens.length + col] }));
  return cells.filter(({ value }) => value !== 0).sort((x, y) => Math.abs(y.value) - Math.abs(x.value)).slice(0, count);
}

/**
 * How much more of its weight a row gives in B to tokens that the other text has not: they have no column.
 * @param {Data} data
 * @param {number} row
 */
export function toUnpaired({ difference, tokens }, row) {
  return -difference.subarray(row * tokens.length, (row + 1) * tokens.length).reduce((sum, value) => sum + value, 0);
}

/**
 * @param {Data} data
 * @param {number} pin
 * @param {Hover | null} hover
 */
export function comparedSentence(data, pin, hover) {
  const { header, arrays, tokens } = data;
  const name = (/** @type {number} */ i) => `“${tokens[i]}”`;
  if (hover?.part === "head") {
    const share = inPercent(arrays.moved[hover.layer * header.heads + hover.head]);
    return _("L{layer}H{head}: on average {share} of a token’s attention goes elsewhere. Click to see it in detail.",
      { layer: hover.layer, head: hover.head, share });
  }
  if (hover?.part === "cosine") {
    const values = { token: name(hover.row), layer: hover.layer - 1, value: digits(arrays.cosines[hover.layer * tokens.length + hover.row], 4) };
    return hover.layer ? _("After layer {layer} at {token}: cosine {value} between both streams.", values) : _(
      "Before layer 0 at {token}: cosine {value} between both streams.", values);
  }
  const where = `L${header.head[0]}H${header.head[1]}`;
  if (hover?.part === "cell") {
    const k = hover.row * tokens.length + hover.col;
    return _("{head}: {query} looks at {key} with {a} in A and {b} in B: {difference}.",
      { head: where, query: name(hover.row), key: name(hover.col), a: digits(arrays.a[k], 3), b: digits(arrays.b[k], 3),
      difference: signed(data.difference[k]) });
  }
  const row = hover?.row ?? pin;
  const cells = mostChanged(data, row).map(({ col, value }) => `${name(col)} ${signed(value)}`);
  const rest = toUnpaired(data, row);
  if (Math.abs(rest) > 5e-4) cells.push(_("tokens without a partner {difference}", { difference: signed(rest) }));
  const values = { head: where, token: name(row), cells: cells.join(", "), kl: digits(arrays.kl[row], 3) };
  return cells.length
    ? _("{head} at {token}, from A to B: {cells}. After it the predictions are {kl} nats apart, KL(A‖B).", values)
    : _("{head} at {token}: no weight changes. After it the predictions are {kl} nats apart, KL(A‖B).", values);
}
