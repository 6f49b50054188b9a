// @ts-check
// Who wrote a word: every tile and every MLP in the colour of what it adds to the word's logit.

import { font, inkOn, shadeRgb } from "#canvas/theme.js";
import { minus, visible } from "#canvas/text.js";
import { _ } from "#canvas/language.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Written} Written */

const LEAST = 0.05; // of a number that is written: less would read as 0
const NUMBERED = 27; // pixels of a tile from which the number stands in it

/**
 * A number with its sign and about two digits.
 * @param {number} value
 */
export function signed(value) {
  const size = Math.abs(value).toFixed(Math.abs(value) < 9.95 ? 1 : 0);
  return `${value < 0 && Number(size) ? "−" : "+"}${size}`;
}

/**
 * What the colours mean, and what stands on no tile: two sentences.
 * @param {Written} written
 */
export function legendOf({ word, logit, embedding, rest }) {
  return [
    _("Logit of “{word}”: {logit} = the sum of all tiles, the embedding {embedding} and biases {rest}.",
      { word: visible(word), logit: minus(logit.toFixed(2)), embedding: signed(embedding), rest: signed(rest) }),
    _("Blue adds, orange takes off. The final norm's scale is held fixed."),
  ];
}

/**
 * A tile as a patch of the diverging scale, with its number where that fits.
 * @param {View} v
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} value
 * @param {number} x
 * @param {number} y
 */
export function paintShare(v, ctx, value, x, y) {
  const { theme, plan } = v;
  const { heads, mlps } = /** @type {Written} */ (v.header.written);
  const most = Math.max(...[...heads, ...mlps].map(Math.abs)) || 1;
  const color = shadeRgb(theme.diverging, 0.5 + (0.5 * value) / most);
  ctx.fillStyle = `rgb(${color})`;
  ctx.globalAlpha = 0.9;
  ctx.fillRect(x, y, plan.tile, plan.tile);
  ctx.globalAlpha = 1;
  if (plan.tile < NUMBERED || Math.abs(value) < LEAST) return;
  ctx.font = font(theme, 9.5, 600);
  ctx.fillStyle = inkOn(color);
  ctx.textAlign = "center";
  ctx.fillText(signed(value), x + plan.tile / 2, y + plan.tile / 2);
  ctx.font = font(theme);
}
