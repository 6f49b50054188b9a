// @ts-check
// The picture of a batch of pictures behind a convolution: a row for each channel, a column for each picture, before and after.

import { _, ngettext } from "#canvas/language.js";
import { fade, shade } from "#canvas/theme.js";
import { groupsOf } from "./statistics.js";
import { AFTER, brief, drawHeading, NARROW } from "./tokens.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("./types").Layout} Layout */
/** @typedef {import("./types").Scene} Scene */

const HEAD = 40; // over the maps: a heading, and the statistics of a picture
const TITLE = 15; // over each row
const BETWEEN = 18;

/**
 * @param {number} width
 * @param {import("./statistics.js").Cells} cells
 * @param {number} side pixels of a picture's side
 * @returns {Layout}
 */
export function picturesLayout(width, cells, side) {
  const stacked = width < NARROW;
  const room = (stacked ? width : (width - BETWEEN) / 2) - 2; // the frame of the first map lies beside it
  const cell = Math.max(1, Math.min(6, Math.floor((room / Math.max(cells.items, 5) - 4) / side)));
  const column = cell * side + 4;
  const row = cell * side + TITLE;
  const inputs = HEAD + row; // the pictures themselves, over the first block
  const block = HEAD + row * cells.channels;
  const places = [
    { x: 2, y: inputs },
    stacked ? { x: 2, y: inputs + block } : { x: room + BETWEEN, y: inputs },
  ];
  return { width, height: places[1].y + block, stacked, shown: cells.channels, first: 0, cell, row, column, places, inner: side * side, side };
}

/**
 * @param {Layout} layout
 * @param {import("./statistics.js").Cells} cells
 * @param {number} x
 * @param {number} y
 */
export function picturesAt(layout, cells, x, y) {
  for (const place of layout.places) {
    const channel = Math.floor((y - place.y - HEAD) / layout.row);
    const item = Math.floor((x - place.x) / layout.column);
    if (item >= 0 && item < cells.items && channel >= 0 && channel < cells.channels) return { item, channel };
  }
  return null;
}

/**
 * @param {Pen} pen
 * @param {Scene} scene
 */
export function drawPictures(pen, scene) {
  const { layout, theme, cells, images } = scene;
  pen.text(0, 8, ngettext("The batch: {n} digit", "The batch: {n} digits", cells.items), { color: theme.text, weight: 600 });
  for (let i = 0; i < cells.items; i++) {
    drawMap(pen, scene, i * layout.column, HEAD - 20, i, (s) => shade(theme.sequential, images[i * layout.inner + s] / 16));
  }
  drawHeading(pen, theme, 0, layout.places[0].y - 8, _("before"), scene.range);
  drawHeading(pen, theme, layout.places[1].x, layout.places[1].y - 8, _("after"), AFTER);
  for (const [index, side, range] of /** @type {[number, Scene["before"], number][]} */ ([[0, scene.before, scene.range], [1, scene.after, AFTER]])) {
    const place = layout.places[index];
    for (let c = 0; c < cells.channels; c++) drawRow(pen, scene, place, c, side, range);
    if (scene.norm.sharing === "item") drawColumns(pen, scene, place, side);
  }
}

/**
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {{ x: number, y: number }} place
 * @param {number} c
 * @param {Scene["before"]} side
 * @param {number} range
 */
function drawRow(pen, scene, place, c, side, range) {
  const { layout, theme, header, cells, norm, cursor } = scene;
  const top = place.y + HEAD + c * layout.row - TITLE;
  const own = c === cursor.channel;
  const values = norm.sharing === "channel" ? `   μ ${brief(side.moments.mean[c])}   σ ${brief(Math.sqrt(side.moments.variance[c]))}` : "";
  pen.text(place.x, top + 7, header.filters[c] + values, { color: own ? theme.text : theme.muted, size: 10, weight: own ? 600 : 400 });
  const { of } = groupsOf(norm.sharing, cells.items, cells.channels);
  const chosen = of(cursor.item, cursor.channel);
  for (let i = 0; i < cells.items; i++) {
    const left = place.x + i * layout.column;
    const at = (i * cells.channels + c) * layout.inner;
    drawMap(pen, scene, left, top + TITLE, i, (s) => shade(theme.diverging, 0.5 + side.x[at + s] / range / 2));
    const size = layout.cell * layout.side;
    if (of(i, c) !== chosen) pen.rect(left, top + TITLE, size, size, fade(theme.background, 0.4));
    else pen.rect(left - 1, top + TITLE - 1, size + 2, size + 2, null, theme.primary, { width: i === cursor.item && own ? 2.5 : 1 });
  }
}

/**
 * Statistics of every picture, over its column.
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {{ x: number, y: number }} place
 * @param {Scene["before"]} side
 */
function drawColumns(pen, { layout, theme, cells, cursor, alive }, place, { moments }) {
  if (layout.column < 30) return;
  for (let i = 0; i < cells.items; i++) {
    const style = { color: i === cursor.item ? theme.text : theme.muted, size: 9, weight: i === cursor.item ? 600 : 400 };
    const x = place.x + i * layout.column;
    if (!alive[i]) continue;
    pen.text(x, place.y + 4, `μ ${brief(moments.mean[i])}`, style);
    pen.text(x, place.y + 15, `σ ${brief(Math.sqrt(moments.variance[i]))}`, style);
  }
}

/**
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {number} left
 * @param {number} top
 * @param {number} item
 * @param {(s: number) => string} color of each pixel
 */
function drawMap(pen, { layout, alive }, left, top, item, color) {
  for (let s = 0; s < layout.inner; s++) {
    const [row, column] = [Math.floor(s / layout.side), s % layout.side];
    pen.rect(left + column * layout.cell, top + row * layout.cell, layout.cell, layout.cell, color(s), null, { alpha: alive[item] ? 1 : 0.12 });
  }
}
