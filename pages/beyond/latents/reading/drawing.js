// @ts-check
// Every latent's map over the picture, layer by layer. Free of the DOM.

import { _ } from "#canvas/language.js";
import { inkOn, rgb, shade, shadeRgb } from "#canvas/theme.js";

/** @typedef {[layer: number, latent: number]} Latent both from 0 */
/** @typedef {{ at: Latent | null, pixel: number | null }} Pointed a latent's map, a pixel, or a pixel of a map */
/** @typedef {{ width: number, height: number, side: number, boxes: { layer: number, latent: number, x: number, y: number }[] }} Layout where the maps are; `side` of each in pixels */
/**
 * `pixels` a letter each; `truth` what the digit is, where that is known; `error` why it is not read.
 * `read` is the picture that is read, where a drawing was moved.
 * @typedef {{ pixels: string, read: string, layers: number, heads: number, latents: number, probabilities: number[], truth: number | null, said: string, error: string }} Header
 */
/** @typedef {{ reading: Float32Array, mixing: Float32Array }} Arrays [layers, heads + 1, latents, pixels or latents], the mean of heads first */
/** @typedef {import("#canvas/live.js").View<Header, Arrays, { pixels: string, muted: number[], pin: Latent | null, head: number }> & { pad: import("#canvas/pad.js").Pad, read: Arrays & { pixels: Uint8Array } }} View */
/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */

const MAP_GAP = { few: 10, many: 6 };
const MAP_HEAD = 18; // pixels above the maps of a layer
const MAP_FOOT = 19; // below a map: a bar and a number
const LARGEST_MAP = 150;
const SMALLEST_MAP = { few: 60, many: 36 };
const FULL_PIXEL = 16;
const MAP_ORANGE = "#cf6a1b";

/**
 * The maps in rows: those of a layer in one row where there is room.
 * @param {number} width
 * @param {number} layers
 * @param {number} latents
 * @returns {Layout}
 */
export function layOut(width, layers, latents) {
  const least = latents > 8 ? SMALLEST_MAP.many : SMALLEST_MAP.few;
  const gap = latents > 8 ? MAP_GAP.many : MAP_GAP.few;
  const sideFor = (/** @type {number} */ number) => Math.floor(Math.min(LARGEST_MAP, (width - 2 - gap * (number - 1)) / number));
  let perRow = latents;
  while (perRow > 2 && sideFor(perRow) < least) perRow = Math.ceil(perRow / 2);
  const side = sideFor(perRow);
  const rows = Math.ceil(latents / perRow);
  const height = MAP_HEAD + rows * (side + MAP_FOOT);
  const boxes = Array.from({ length: layers * latents }, (_, i) => {
    const [layer, latent] = [Math.floor(i / latents), i % latents];
    return { layer, latent, x: 1 + (latent % perRow) * (side + gap), y: layer * height + MAP_HEAD + Math.floor(latent / perRow) * (side + MAP_FOOT) };
  });
  return { width: Math.min(width, perRow * (side + gap) - gap + 2), height: layers * height, side, boxes };
}

/**
 * A latent's weights over the pixels ("reading") or the latents ("mixing") in a layer, of the chosen head.
 * @param {View} v
 * @param {"reading" | "mixing"} what
 * @param {Latent} at
 */
function weightsOf(v, what, [layer, latent]) {
  const { heads, latents } = v.header;
  const size = what === "reading" ? 64 : latents;
  const begin = ((layer * (heads + 1) + v.place.head) * latents + latent) * size;
  return v.read[what].subarray(begin, begin + size);
}

/** @param {View} v @returns {Latent | null} */
export function focus(v) {
  return v.hover?.at ?? v.place.pin;
}

/**
 * The map that an arrow key leads to.
 * @param {View} v
 * @param {number} right
 * @param {number} down
 * @returns {Latent}
 */
export function beside(v, right, down) {
  const { layers, latents } = v.header;
  const [layer, latent] = v.place.pin ?? [-down, -right];
  return [(layer + down + layers) % layers, (latent + right + latents) % latents];
}

/**
 * @param {Layout} layout
 * @param {number} x
 * @param {number} y
 * @returns {Pointed | null}
 */
export function pointedAt({ boxes, side }, x, y) {
  const box = boxes.find((each) => x >= each.x && x < each.x + side && y >= each.y && y < each.y + side + MAP_FOOT);
  if (!box) return null;
  const [column, row] = [Math.floor((8 * (x - box.x)) / side), Math.floor((8 * (y - box.y)) / side)];
  return { at: [box.layer, box.latent], pixel: row < 8 ? 8 * row + column : null };
}

/**
 * All maps.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {Layout} layout
 */
export function drawMaps(pen, v, theme, layout) {
  const chosen = focus(v);
  const barsOf = heightsOfBars(v, layout, chosen);
  const most = Array.from({ length: v.header.layers }, (__, layer) => Math.max(1e-9, ...layout.boxes.flatMap((box) => (box.layer === layer ? Array.from(weightsOf(v, "reading", [layer, box.latent])) : []))));
  for (const box of layout.boxes) {
    if (box.latent === 0) {
      pen.text(1, box.y - MAP_HEAD / 2, _("Layer {n}", { n: box.layer }), { color: theme.text, size: 12, weight: 600 });
      pen.text(58, box.y - MAP_HEAD / 2, _("colours to {most}% of a latent's reading", { most: (100 * most[box.layer]).toFixed(0) }), { color: theme.muted, size: 10.5 });
    }
    const muted = v.place.muted.includes(box.latent);
    const here = chosen && chosen[0] === box.layer && chosen[1] === box.latent;
    pen.shifted(box.x, box.y, () => {
      drawMap(pen, v, theme, { at: [box.layer, box.latent], most: most[box.layer], side: layout.side, muted });
      if (here) pen.rect(-1, -1, layout.side + 2, layout.side + 2, null, MAP_ORANGE, { width: 2.5 });
      drawFoot(pen, theme, barsOf(box), layout.side, box.latent, muted);
    });
  }
}

/**
 * What the bar below each map shows: how much the chosen latent takes from each, or how much each reads of the pixel.
 * @param {View} v
 * @param {Layout} layout
 * @param {Latent | null} chosen
 * @returns {(box: { layer: number, latent: number }) => { share: number, value: number } | null}
 */
function heightsOfBars(v, layout, chosen) {
  const pixel = v.hover?.pixel ?? null;
  if (chosen) {
    const weights = weightsOf(v, "mixing", chosen);
    return ({ layer, latent }) => (layer === chosen[0] ? { share: weights[latent], value: weights[latent] } : null);
  }
  if (pixel === null) return () => null;
  const most = Math.max(...layout.boxes.map((box) => weightsOf(v, "reading", [box.layer, box.latent])[pixel]));
  return ({ layer, latent }) => {
    const value = weightsOf(v, "reading", [layer, latent])[pixel];
    return { share: value / most, value };
  };
}

/**
 * One latent's weights as colours, on the scale of its layer; the picture's ink as dots.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {{ at: Latent, most: number, side: number, muted: boolean }} map
 */
function drawMap(pen, v, theme, { at, most, side, muted }) {
  const weights = weightsOf(v, "reading", at);
  const cell = side / 8;
  const dot = cell * 0.46;
  const alpha = muted ? 0.15 : v.header.error ? 0.35 : 1;
  for (let i = 0; i < 64; i++) {
    const [x, y] = [(i % 8) * cell, Math.floor(i / 8) * cell];
    const share = weights[i] / most;
    pen.rect(x, y, cell + 0.3, cell + 0.3, shade(theme.sequential, share), null, { alpha });
    const ink = (v.read.pixels[i] / FULL_PIXEL) * alpha;
    if (ink) pen.rect(x + (cell - dot) / 2, y + (cell - dot) / 2, dot, dot, inkOn(shadeRgb(theme.sequential, share)), null, { alpha: ink });
  }
  pen.rect(0, 0, side, side, null, theme.faint);
  const pixel = v.hover?.pixel ?? null;
  if (pixel !== null) pen.rect((pixel % 8) * cell, Math.floor(pixel / 8) * cell, cell, cell, null, MAP_ORANGE, { width: 2 });
}

/**
 * Below a map: the latent's number, and a bar with its value where one is asked for.
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {{ share: number, value: number } | null} bar
 * @param {number} side
 * @param {number} latent
 * @param {boolean} muted
 */
function drawFoot(pen, theme, bar, side, latent, muted) {
  const name = side < 60 ? String(latent) : _("latent {n}", { n: latent });
  if (!bar || muted) {
    pen.text(side / 2, side + 9, muted && side >= 60 ? `${name} ${_("muted")}` : muted ? `${name} ×` : name, { color: theme.muted, align: "center", size: 10.5 });
    return;
  }
  const track = side - (side < 60 ? 0 : 34);
  pen.rect(0, side + 5, track, 7, inkOn(rgb(theme.background)), null, { alpha: 0.09 });
  pen.rect(0, side + 5, track * bar.share, 7, MAP_ORANGE);
  if (side >= 60) pen.text(side, side + 9, bar.value.toFixed(3), { color: theme.text, align: "right", size: 10.5 });
}

/**
 * What is pointed at, in a sentence; empty where nothing is.
 * @param {View} v
 */
export function pointedSentence(v) {
  const chosen = focus(v);
  const pixel = v.hover?.pixel ?? null;
  const place = (/** @type {number} */ i) => _("row {row}, column {column}", { row: Math.floor(i / 8) + 1, column: (i % 8) + 1 });
  if (chosen) {
    const weights = weightsOf(v, "reading", chosen);
    const here = v.hover?.at && pixel !== null;
    const at = here ? pixel : weights.indexOf(Math.max(...weights));
    const others = Array.from(weightsOf(v, "mixing", chosen), (weight, latent) => ({ weight, latent })).sort((a, b) => b.weight - a.weight);
    const [first, second] = others.map(({ weight, latent }) => `${latent} (${(100 * weight).toFixed(0)}%)`);
    const values = { latent: chosen[1], layer: chosen[0], place: place(at), share: (100 * weights[at]).toFixed(1), first, second };
    return here
      ? _("Latent {latent} in layer {layer} gives {place} {share}% of its reading; then it takes most from latents {first} and {second}, as the bars say.", values)
      : _("Latent {latent} in layer {layer} reads most at {place}, {share}% of its reading; then it takes most from latents {first} and {second}, as the bars say.", values);
  }
  if (pixel === null) return "";
  const all = v.layout.boxes.map((/** @type {{ layer: number, latent: number }} */ box) => ({ ...box, weight: weightsOf(v, "reading", [box.layer, box.latent])[pixel] }));
  const heard = all.filter((/** @type {{ latent: number }} */ { latent }) => !v.place.muted.includes(latent));
  if (!heard.length) return "";
  const best = heard.reduce((/** @type {any} */ a, /** @type {any} */ b) => (b.weight > a.weight ? b : a));
  return _("The pixel at {place} is read most by latent {latent} in layer {layer}: {weight}; the bars say how much by each.", { place: place(pixel), latent: best.latent, layer: best.layer, weight: best.weight.toFixed(3) });
}
