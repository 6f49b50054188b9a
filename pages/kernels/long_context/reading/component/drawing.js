// @ts-check
// The head's map, the pinned query in it, and the tokens that it reads most.

import { clip, visible } from "#canvas/text.js";
import { shadeRgb } from "#canvas/theme.js";
import { heaviest } from "./measures.js";
import { TEXTS } from "./words.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").View} View */

export const READS = 8; // tokens that are named
export const HEAD = 22; // pixels above the map

/**
 * The pooled map in colours: the square root of each bin's largest weight, so that faint reads are seen.
 * @param {View} v
 * @param {Theme} theme
 */
export function mapImage({ arrays }, theme) {
  const n = Math.round(Math.sqrt(arrays.map.length));
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = n;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const image = context.createImageData(n, n);
  for (let i = 0; i < n * n; i++) {
    const future = i % n > Math.floor(i / n);
    const color = future ? theme.missingRgb : shadeRgb(theme.sequential, Math.sqrt(arrays.map[i]));
    image.data.set([...color, 255], 4 * i);
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {HTMLCanvasElement} image
 * @param {number} side pixels
 */
export function drawMap(pen, v, theme, image, side) {
  const { header, arrays, query } = v;
  const T = header.tokens.length;
  const at = (/** @type {number} */ position) => ((position + 0.5) / T) * side;
  pen.text(0, 9, TEXTS.headQueriesDown(header.layer, header.head), { color: theme.text, size: 12, weight: 600 });
  pen.image(image, 0, HEAD, side, side);
  pen.rect(0.5, HEAD + 0.5, side - 1, side - 1, null, theme.faint);
  const accent = theme.heads[1];
  if (T > header.context) {
    const edge = HEAD + at(header.context);
    pen.line(0, edge, side, edge, theme.muted, { dash: "3 4" });
    pen.text(side - 4, edge + 9, `beyond training (${header.context.toLocaleString("en")})`, { color: theme.muted, size: 10, align: "right" });
  }
  pen.line(0, HEAD + at(query), side, HEAD + at(query), accent, { width: 1.5 });
  if (query !== header.query) return; // its row is on the way
  for (const key of heaviest(arrays.row, READS)) {
    const radius = 2 + 4 * Math.sqrt(arrays.row[key]);
    pen.line(at(key), HEAD + at(key), at(key), HEAD + at(query), accent, { width: 0.8, dash: "2 3" });
    pen.circle(at(key), HEAD + at(query), radius, accent);
  }
}

/**
 * What a token reads, as `“cat” 4, 12 back`.
 * @param {View} v
 * @param {number} key
 */
export function readName({ header }, key) {
  const back = header.query - key;
  return `“\u2068${clip(visible(header.tokens[key]), 16)}\u2069” ${back === 0 ? "itself" : `${back.toLocaleString("en")} back`}`;
}
