// @ts-check
// What is pointed at or pinned, in words, and the aligned tokens. Free of the DOM.

import { digits, minus, visible } from "#canvas/text.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").Data} Data */
/** @typedef {import("./types").Header} Header */
/** @typedef {import("./types").Hover} Hover */

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
  return `${minus((100 * share).toFixed(share < 0.1 ? 1 : 0))} %`;
}

/**
 * The cells of one row that changed most, largest first.
 * @param {Data} data
 * @param {number} row
 * @param {number} count
 */
export function mostChanged({ difference, tokens }, row, count = 3) {
  const cells = Array.from(tokens, (_, col) => ({ col, value: difference[row * tokens.length + col] }));
  return cells.filter(({ value }) => value !== 0).sort((x, y) => Math.abs(y.value) - Math.abs(x.value)).slice(0, count);
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
    const moved = arrays.moved[hover.layer * header.heads + hover.head];
    return TEXTS.layerHeadAverage(hover.layer, hover.head, inPercent(moved));
  }
  if (hover?.part === "cosine") {
    const value = arrays.cosines[hover.layer * tokens.length + hover.row];
    return TEXTS.cosineBetweenBoth(hover.layer, hover.layer - 1, name(hover.row), digits(value, 4));
  }
  const where = `Layer ${header.head[0]}, head ${header.head[1]}`;
  if (hover?.part === "cell") {
    const k = hover.row * tokens.length + hover.col;
    return TEXTS.looksB(where, name(hover.row), name(hover.col), digits(arrays.a[k], 3), digits(arrays.b[k], 3), signed(data.difference[k]));
  }
  const row = hover?.row ?? pin;
  const cells = mostChanged(data, row).map(({ col, value }) => `${name(col)} ${signed(value)}`);
  return TEXTS.bBehindPredictions(where, name(row), cells.length, cells.join(", "), digits(arrays.kl[row], 3));
}
