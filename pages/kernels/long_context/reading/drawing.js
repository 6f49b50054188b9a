// @ts-check
// The head's map, the pinned query in it, and the tokens that it reads most.

import { _ } from "#canvas/language.js";
import { clip, visible } from "#canvas/text.js";
import { shadeRgb } from "#canvas/theme.js";
import { heaviest } from "./measures.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("../../../../tlmviz/ui/components/attention_view/types").Header & { tokens: string[], model: string, layer: number, head: number,
 * query: number, far: [number, number, number][], context: number, origin: string }} Header `far`: layer,
 *   head and measure of heads that read far; `origin` names the text and the head */
/** @typedef {{ loss: Float32Array, row: Float32Array, map: Float32Array, q?: Float32Array }} Arrays */
/** @typedef {{ query: number, head?: number[], color: "reads" | "loss", holds: string }} Place `holds`: the origin whose rows are computed here */
/** @typedef {import("#canvas/live.js").View<Header, Arrays, Place> & { rows: import("../../../../tlmviz/ui/components/attention_view/head.js").Head | null,
 * row: { query: number, weights: Float32Array }, spans: HTMLElement[], image: HTMLCanvasElement | null, drawn: Theme | undefined,
 *   hovered: import("#canvas/hovered.js").Joined }} View `row`: the weights that are shown, and whose they are */

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
  const { header, row, place } = v;
  const T = header.tokens.length;
  const at = (/** @type {number} */ position) => ((position + 0.5) / T) * side;
  pen.text(0, 9, _("L{layer}H{head}: queries down, keys across", { layer: header.layer, head: header.head }), { color: theme.text, size: 12, weight: 600 });
  pen.image(image, 0, HEAD, side, side);
  pen.rect(0.5, HEAD + 0.5, side - 1, side - 1, null, theme.faint);
  const accent = theme.heads[1];
  if (T > header.context) {
    const edge = HEAD + at(header.context);
    pen.line(0, edge, side, edge, theme.muted, { dash: "3 4" });
    pen.text(side - 4, edge + 9, _("beyond training ({context})", { context: header.context.toLocaleString("en") }),
      { color: theme.muted, size: 10, align: "right" });
  }
  pen.line(0, HEAD + at(place.query), side, HEAD + at(place.query), accent, { width: 1.5 });
  if (row.query !== place.query) return; // its row is on the way
  for (const key of heaviest(row.weights, READS)) {
    pen.line(at(key), HEAD + at(key), at(key), HEAD + at(row.query), accent, { width: 0.8, dash: "2 3" });
    pen.circle(at(key), HEAD + at(row.query), 2 + 4 * Math.sqrt(row.weights[key]), accent);
  }
}

/**
 * What a token reads, as `“cat” 12 back`.
 * @param {View} v
 * @param {number} key
 */
export function readName({ header, row }, key) {
  const back = row.query - key;
  return `“\u2068${clip(visible(header.tokens[key]), 16)}\u2069” ${back === 0 ? _("itself") : _("{back} back", { back: back.toLocaleString("en") })}`;
}
