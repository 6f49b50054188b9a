// @ts-check
// Every latent's map over the picture, layer by layer. Free of the DOM.

import { inkOn, rgb, shade, shadeRgb } from "#canvas/theme.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Layout} Layout */
/** @typedef {import("./types").Latent} Latent */
/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */

const MAP_GAP = { few: 10, many: 6 };
const MAP_HEAD = 20; // pixels above the maps of a layer
const MAP_FOOT = 19; // below a map: a bar and a number
const LARGEST_MAP = 112;
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
 * A latent's weights over the pixels in a layer, of the chosen head.
 * @param {View} v
 * @param {Latent} at
 */
export function readingOf(v, [layer, latent]) {
  const { heads, latents } = v.header;
  const begin = ((layer * (heads + 1) + v.head) * latents + latent) * 64;
  return v.reading.subarray(begin, begin + 64);
}

/**
 * Its weights over the latents.
 * @param {View} v
 * @param {Latent} at
 */
export function mixingOf(v, [layer, latent]) {
  const { heads, latents } = v.header;
  const begin = ((layer * (heads + 1) + v.head) * latents + latent) * latents;
  return v.mixing.subarray(begin, begin + latents);
}

/** @param {View} v */
export function focus(v) {
  return v.pointed.at ?? v.pin;
}

/**
 * @param {View} v
 * @param {Layout} layout
 * @param {number} x
 * @param {number} y
 * @returns {import("./types").Pointed}
 */
export function pointedAt(v, { boxes, side }, x, y) {
  const box = boxes.find((each) => x >= each.x && x < each.x + side && y >= each.y && y < each.y + side + MAP_FOOT);
  if (!box) return { at: null, pixel: null };
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
  const barsOf = heightsOfBars(v, chosen);
  for (const box of layout.boxes) {
    if (box.latent === 0) pen.text(1, box.y - MAP_HEAD / 2 - 1, `Layer ${box.layer + 1}`, { color: theme.text, size: 12, weight: 600 });
    const muted = v.muted.includes(box.latent);
    const here = chosen && chosen[0] === box.layer && chosen[1] === box.latent;
    pen.shifted(box.x, box.y, () => {
      drawMap(pen, v, theme, [box.layer, box.latent], layout.side, muted);
      if (here) pen.rect(-1, -1, layout.side + 2, layout.side + 2, null, MAP_ORANGE, { width: 2.5 });
      drawFoot(pen, theme, barsOf(box), layout.side, box.latent, muted);
    });
  }
}

/**
 * What the bar below each map shows: how much the chosen latent takes from each, or how much each reads of the pixel.
 * @param {View} v
 * @param {Latent | null} chosen
 * @returns {(box: { layer: number, latent: number }) => { share: number, value: number } | null}
 */
function heightsOfBars(v, chosen) {
  const { pixel } = v.pointed;
  if (chosen) {
    const weights = mixingOf(v, chosen);
    return ({ layer, latent }) => (layer === chosen[0] ? { share: weights[latent], value: weights[latent] } : null);
  }
  if (pixel === null) return () => null;
  const most = Math.max(...v.layout.boxes.map((box) => readingOf(v, [box.layer, box.latent])[pixel]));
  return ({ layer, latent }) => {
    const value = readingOf(v, [layer, latent])[pixel];
    return { share: value / most, value };
  };
}

/**
 * One latent's weights as colours, each scale reaching to the map's largest; the picture's ink as dots.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {Latent} at
 * @param {number} side
 * @param {boolean} muted
 */
function drawMap(pen, v, theme, at, side, muted) {
  const weights = readingOf(v, at);
  const most = Math.max(...weights) || 1;
  const cell = side / 8;
  const dot = cell * 0.46;
  const alpha = muted ? 0.15 : v.header.error ? 0.35 : 1;
  for (let i = 0; i < 64; i++) {
    const [x, y] = [(i % 8) * cell, Math.floor(i / 8) * cell];
    const share = weights[i] / most;
    pen.rect(x, y, cell + 0.3, cell + 0.3, shade(theme.sequential, share), null, { alpha });
    const ink = (v.shown[i] / FULL_PIXEL) * alpha;
    if (ink) pen.rect(x + (cell - dot) / 2, y + (cell - dot) / 2, dot, dot, inkOn(shadeRgb(theme.sequential, share)), null, { alpha: ink });
  }
  pen.rect(0, 0, side, side, null, theme.faint);
  const { pixel } = v.pointed;
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
  const name = side < 60 ? String(latent) : `latent ${latent}`;
  if (!bar || muted) {
    pen.text(side / 2, side + 9, muted && side >= 60 ? `${name} muted` : muted ? `${name} ×` : name, { color: theme.muted, align: "center", size: 10.5 });
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
  const { pixel } = v.pointed;
  const place = (/** @type {number} */ i) => `row ${Math.floor(i / 8) + 1}, column ${(i % 8) + 1}`;
  if (chosen) {
    const weights = readingOf(v, chosen);
    const at = v.pointed.at && pixel !== null ? pixel : weights.indexOf(Math.max(...weights));
    const share = `${(100 * weights[at]).toFixed(1)} % of its reading`;
    const reads = v.pointed.at && pixel !== null ? `gives ${place(at)} ${share}` : `reads most at ${place(at)}, ${share}`;
    const others = Array.from(mixingOf(v, chosen), (weight, latent) => ({ weight, latent })).sort((a, b) => b.weight - a.weight);
    const taken = others.slice(0, 2).map(({ weight, latent }) => `${latent} (${(100 * weight).toFixed(0)} %)`);
    return TEXTS.latentLayerThen(chosen[1], chosen[0] + 1, reads, taken.length, taken.join(" and "));
  }
  if (pixel === null) return "";
  const all = v.layout.boxes.map((box) => ({ ...box, weight: readingOf(v, [box.layer, box.latent])[pixel] })).filter((box) => !v.muted.includes(box.latent));
  if (!all.length) return "";
  const best = all.reduce((a, b) => (b.weight > a.weight ? b : a));
  return TEXTS.pixelReadMost(place(pixel), best.latent, best.layer + 1, best.weight.toFixed(3));
}
