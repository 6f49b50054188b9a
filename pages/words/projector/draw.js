// @ts-check
// The picture: points, lines from the chosen word to its neighbours, names.

import { clip } from "#canvas/text.js";
import { fade, rgb, textWidth } from "#canvas/theme.js";
import { unitOf } from "./camera.js";
import { placeNames } from "./names.js";
import { disc, paintPoints, pixel } from "./raster.js";

/** @typedef {import("./view.js").View} View */
/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */

const ROOM = 7000; // square pixels of the picture for each name

/** @type {Map<string, number>} */
const widths = new Map(); // measuring text is slow

/**
 * Where points are on a picture of this size, in its pixels.
 * @param {View} v
 * @param {number} width
 * @param {number} height
 */
export function onScreen(v, width, height) {
  const scale = unitOf(v.header.box, width, height) * v.camera.zoom;
  const { x, y } = v.camera;
  const across = (/** @type {number} */ value) => width / 2 + (value - x) * scale;
  const down = (/** @type {number} */ value) => height / 2 - (value - y) * scale;
  return { across, down, spot: (/** @type {number} */ row) => [across(v.xs[row]), down(v.ys[row])] };
}

/**
 * Where all points are, as `onScreen` places one.
 * @param {View} v
 * @param {number} width
 * @param {number} height
 */
export function allOnScreen(v, width, height) {
  const { across, down } = onScreen(v, width, height);
  const [xs, ys] = [new Float32Array(v.xs.length), new Float32Array(v.xs.length)];
  for (let row = 0; row < xs.length; row++) {
    xs[row] = across(v.xs[row]);
    ys[row] = down(v.ys[row]);
  }
  return { xs, ys };
}

/**
 * The colour of a group; those that are not lit alone are grey.
 * @param {View} v
 * @param {Theme} theme
 * @param {number} group
 */
export function colourOf(v, theme, group) {
  const colour = v.header.groups[group]?.[theme.dark ? "dark" : "light"];
  return colour && (!v.only.size || v.only.has(group)) ? colour : "";
}

/**
 * All points as an image.
 * @param {View} v
 * @param {Theme} theme
 * @param {number} width in CSS pixels
 * @param {number} height
 * @param {number} ratio pixels of the image per CSS pixel
 * @param {ImageData} [kept] an image to paint into, where it has the size
 */
export function pointImage(v, theme, width, height, ratio, kept) {
  const [w, h] = [Math.round(width * ratio), Math.round(height * ratio)];
  const image = kept && kept.width === w && kept.height === h ? kept : new ImageData(w, h);
  const pixels = new Uint32Array(image.data.buffer).fill(0);
  const colours = v.header.groups.map((_none, group) => colourOf(v, theme, group));
  const crowd = v.names.length > 8000 ? 0.85 : 1.2;
  const [small, large] = [disc(crowd * ratio), disc(2.6 * ratio)];
  const grey = pixel(rgb(theme.dark ? "#56616f" : "#b9c1cb"));
  const { xs, ys } = allOnScreen(v, w, h);
  paintPoints(pixels, w, h, {
    order: v.order,
    xs,
    ys,
    groups: v.points.arrays.groups,
    colours: colours.map((colour) => (colour ? pixel(rgb(colour)) : grey)),
    stamps: colours.map((colour) => (colour && v.header.large ? large : small)),
  });
  return image;
}

/**
 * Lines to the neighbours, rings, and names.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {number} width
 * @param {number} height
 */
export function drawMarks(pen, v, theme, width, height) {
  const { across, down, spot } = onScreen(v, width, height);
  const { row: chosen, place: away, near } = v.found;
  const start = chosen >= 0 ? spot(chosen) : away && [across(away[0]), down(away[1])];
  const preview = v.hovered >= 0 && v.hovered !== chosen ? neighboursOf(v, v.hovered) : [];
  for (const row of preview) {
    const [[x1, y1], [x2, y2]] = [spot(v.hovered), spot(row)];
    pen.line(x1, y1, x2, y2, fade(theme.text, 0.35), { dash: "3 3" });
  }
  if (start) {
    near.forEach((row, k) => {
      const [x, y] = spot(row);
      pen.line(start[0], start[1], x, y, fade(theme.primary, k < 3 ? 0.9 : 0.55), { width: k < 3 ? 1.8 : 1.2 });
    });
    for (const row of near) pen.circle(...pair(spot(row)), 3.6, theme.primary);
    pen.circle(start[0], start[1], 7, theme.background);
    pen.circle(start[0], start[1], 5.5, theme.primary);
  }
  drawNames(pen, v, theme, { width, height, spot, preview, away: start && chosen < 0 ? start : null });
}

/**
 * @param {number[]} values
 * @returns {[number, number]}
 */
function pair([x, y]) {
  return [x, y];
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {{ width: number, height: number, spot: (row: number) => number[], preview: number[], away: number[] | null }} where
 */
function drawNames(pen, v, theme, { width, height, spot, preview, away }) {
  const marked = new Set([...(v.found.row >= 0 ? [v.found.row] : []), ...v.found.near]);
  const size = (/** @type {number} */ row) => (row === v.found.row ? 14 : 11.5);
  const wide = (/** @type {number} */ row) => nameWidth(theme, clip(v.names[row], 18), size(row), marked.has(row) ? 600 : 400);
  const rows = [...marked, ...(v.hovered >= 0 ? [v.hovered] : []), ...preview, ...worthNaming(v)];
  const most = Math.max(12, Math.min(110, Math.round((width * height) / ROOM)));
  for (const { row, x, y, width: room } of placeNames(rows, spot, wide, { width, height, most: most + marked.size + preview.length })) {
    const strong = marked.has(row) || row === v.hovered;
    if (strong) pen.rect(x - 2, y - 8, room + 4, 16, fade(theme.background, 0.82));
    const colour = v.header.large ? colourOf(v, theme, v.points.arrays.groups[row]) : "";
    pen.text(x, y, clip(v.names[row], 18), { color: strong ? theme.text : colour || theme.muted, size: size(row), weight: strong ? 600 : 400 });
  }
  if (away) pen.text(away[0] + 9, away[1], clip(v.found.name, 18), { color: theme.text, size: 14, weight: 600 });
}

/**
 * The rows that get a name where there is room: while a film runs the coloured ones alone, so that names do not flicker.
 * @param {View} v
 */
function* worthNaming(v) {
  const lit = v.only.size > 0;
  for (const row of v.ranked) {
    const group = v.points.arrays.groups[row];
    if (lit ? v.only.has(group) : !v.header.film || !v.header.large || v.header.groups[group].light) yield row;
  }
}

/**
 * A row's neighbours where the browser has them; none elsewhere.
 * @param {View} v
 * @param {number} row
 * @returns {number[]}
 */
export function neighboursOf(v, row) {
  const { near } = v.points.arrays;
  const count = near ? near.length / v.names.length : 0;
  return near ? Array.from(near.slice(row * count, (row + 1) * count)) : [];
}

/**
 * @param {Theme} theme
 * @param {string} text
 * @param {number} size
 * @param {number} weight
 */
function nameWidth(theme, text, size, weight) {
  const key = `${size}|${weight}|${theme.font}|${text}`;
  let width = widths.get(key);
  if (width === undefined) {
    if (widths.size > 20000) widths.clear();
    widths.set(key, (width = textWidth(theme, text, size, weight)));
  }
  return width;
}
