// @ts-check
// The picture of a batch of sentences: tokens by channels, before and after, with statistics at the edges they belong to.

import { _ } from "#canvas/language.js";
import { digits } from "#canvas/text.js";
import { fade, shade } from "#canvas/theme.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("./types").Layout} Layout */
/** @typedef {import("./types").Scene} Scene */

const LABEL = 78; // pixels for tokens' names
const EDGE = 78; // for two numbers beside a row
const TOP = 58; // for a heading and two strips of bars over the columns
const GAP = 16; // between sentences' blocks and the two pictures
const CELL = 8;
export const NARROW = 640;
const MOST = 270; // height of all rows
const BAR = 96; // pixels that the colours of all values take
export const AFTER = 3; // where the colours after a norm end

/**
 * @param {number} width
 * @param {import("./statistics.js").Cells} cells
 * @param {number} first channel that is shown
 * @returns {Layout}
 */
export function tokensLayout(width, cells, first) {
  const stacked = width < NARROW;
  const room = stacked ? width - LABEL - EDGE : (width - LABEL - GAP - 2 * EDGE) / 2;
  const shown = Math.max(1, Math.min(cells.channels, Math.floor(room / CELL)));
  const cell = Math.min(16, Math.floor(room / shown));
  const row = Math.max(5, Math.min(13, Math.floor(MOST / cells.items)));
  const height = row * cells.items;
  const start = Math.max(0, Math.min(first, cells.channels - shown));
  const side = LABEL + cell * shown + EDGE;
  const places = [
    { x: LABEL, y: TOP },
    stacked ? { x: LABEL, y: 2 * TOP + height } : { x: side + GAP, y: TOP },
  ];
  return { width, height: places[1].y + height + 4, stacked, shown, first: start, cell, row, places, inner: 1, side: 0 };
}

/**
 * The cell at a point: item and channel; null beside the pictures.
 * @param {Layout} layout
 * @param {import("./statistics.js").Cells} cells
 * @param {number} x
 * @param {number} y
 */
export function tokensAt(layout, cells, x, y) {
  for (const place of layout.places) {
    const item = Math.floor((y - place.y) / layout.row);
    const channel = Math.floor((x - place.x) / layout.cell);
    if (item >= 0 && item < cells.items && channel >= 0 && channel < layout.shown) return { item, channel: channel + layout.first };
  }
  return null;
}

/**
 * @param {Pen} pen
 * @param {Scene} scene
 */
export function drawTokens(pen, scene) {
  const { layout, before, after } = scene;
  drawHeat(pen, scene, 0, before, scene.range, _("before"));
  drawHeat(pen, scene, 1, after, AFTER, _("after"));
  for (const [index, place] of layout.places.entries()) {
    if (index && !layout.stacked) continue;
    drawLabels(pen, scene, place);
  }
}

/**
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {{ x: number, y: number }} place
 */
function drawLabels(pen, { layout, cells, theme, header, cursor, alive }, place) {
  let sentence = -1;
  for (let i = 0; i < cells.items; i++) {
    const y = place.y + i * layout.row;
    if (cells.unit[i] !== sentence) {
      sentence = cells.unit[i];
      if (i) pen.line(place.x - LABEL, y, place.x + layout.cell * layout.shown, y, theme.text);
    }
    if (layout.row < 9 && i !== cursor.item) continue;
    const color = alive[i] ? (i === cursor.item ? theme.text : theme.muted) : theme.faint;
    pen.text(place.x - 6, y + layout.row / 2, header.tokens[i],
      { align: "right", token: LABEL - 10, color, size: Math.min(10, layout.row), weight: i === cursor.item ? 600 : 400 });
  }
}

/**
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {number} index 0 before, 1 after
 * @param {Scene["before"]} side
 * @param {number} range
 * @param {string} heading
 */
function drawHeat(pen, scene, index, side, range, heading) {
  const { layout, cells, theme, norm, alive } = scene;
  const { x: left, y: top } = layout.places[index];
  drawHeading(pen, theme, left, top - TOP + 8, heading, range);
  for (let i = 0; i < cells.items; i++) {
    for (let k = 0; k < layout.shown; k++) {
      const value = side.x[i * cells.channels + layout.first + k];
      pen.rect(left + k * layout.cell, top + i * layout.row, layout.cell, layout.row, shade(theme.diverging, 0.5 + value / range / 2), null,
        { alpha: alive[i] ? 1 : 0.12 });
    }
  }
  if (norm.sharing === "item") drawRowEdge(pen, scene, left + layout.cell * layout.shown, top, side);
  else drawColumnEdge(pen, scene, left, top, side);
  drawShared(pen, scene, left, top);
}

/**
 * A picture's name, and its colours with the numbers at their ends.
 * @param {Pen} pen
 * @param {import("#canvas/theme.js").Theme} theme
 * @param {number} left
 * @param {number} y
 * @param {string} heading
 * @param {number} range
 */
export function drawHeading(pen, theme, left, y, heading, range) {
  pen.text(left, y, heading, { color: theme.text, weight: 600, size: 11 });
  const [start, wide] = [left + 108, BAR / 32];
  for (let k = 0; k < 32; k++) pen.rect(start + k * wide, y - 5, wide, 10, shade(theme.diverging, (k + 0.5) / 32));
  pen.text(start - 5, y, `≤ −${brief(range)}`, { align: "right", color: theme.muted, size: 10 });
  pen.text(start + BAR + 5, y, `≥ ${brief(range)}`, { color: theme.muted, size: 10 });
}

/**
 * Mean and deviation of every token, beside its row.
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {number} left
 * @param {number} top
 * @param {Scene["before"]} side
 */
function drawRowEdge(pen, { layout, cells, theme, norm, cursor, alive }, left, top, { moments }) {
  const [first, second] = [left + 38, left + EDGE - 2];
  if (norm.centred) pen.text(first, top - 7, "μ", { align: "right", color: theme.muted, size: 10 });
  pen.text(second, top - 7, norm.centred ? "σ" : "RMS", { align: "right", color: theme.muted, size: 10 });
  for (let i = 0; i < cells.items; i++) {
    if (!alive[i] || (layout.row < 9 && i !== cursor.item)) continue;
    const style = { align: /** @type {"right"} */ ("right"), color: i === cursor.item ? theme.text : theme.muted, size: Math.min(10, layout.row),
      weight: i === cursor.item ? 600 : 400 };
    const y = top + (i + 0.5) * layout.row;
    if (norm.centred) pen.text(first, y, brief(moments.mean[i]), style);
    pen.text(second, y, brief(Math.sqrt(moments.variance[i])), style);
  }
}

/**
 * Mean and deviation of every channel, as bars over its column.
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {number} left
 * @param {number} top
 * @param {Scene["before"]} side
 */
function drawColumnEdge(pen, { layout, theme, cursor, norm }, left, top, { moments }) {
  const deviations = moments.variance.map(Math.sqrt);
  const most = Math.max(1e-9, ...deviations, ...moments.mean.map(Math.abs));
  for (const [row, name, values] of /** @type {[number, string, Float64Array][]} */ ([[0, "μ", moments.mean], [1, "σ", deviations]])) {
    const middle = top - 32 + row * 28;
    pen.text(left - 6, middle - 4, name, { align: "right", color: theme.muted, size: 10 });
    for (let k = 0; k < layout.shown; k++) {
      const channel = layout.first + k;
      const size = ((row ? 22 : 11) * values[channel]) / most;
      const color = channel === cursor.channel ? theme.primary : norm.running ? theme.heads[1] : theme.muted;
      pen.rect(left + k * layout.cell, size < 0 ? middle : middle - size, layout.cell - 1, Math.abs(size), color);
    }
    pen.text(left + layout.cell * layout.shown + 4, middle - 4, brief(values[cursor.channel]), { color: theme.text, size: 10, weight: 600 });
  }
}

/**
 * The cells that share the statistic of the one under the cursor stay bright, the others fade.
 * @param {Pen} pen
 * @param {Scene} scene
 * @param {number} left
 * @param {number} top
 */
function drawShared(pen, { layout, cells, theme, norm, cursor }, left, top) {
  const veil = fade(theme.background, 0.45);
  const [width, height] = [layout.cell * layout.shown, layout.row * cells.items];
  if (norm.sharing === "item") {
    const [from, to] = [layout.row * cursor.item, layout.row * (cursor.item + 1)];
    pen.rect(left, top, width, from, veil);
    pen.rect(left, top + to, width, height - to, veil);
    pen.rect(left - 1, top + from - 1, width + 2, layout.row + 2, null, theme.primary, { width: 2 });
  } else {
    const k = cursor.channel - layout.first;
    const there = k >= 0 && k < layout.shown;
    const [from, to] = there ? [layout.cell * k, layout.cell * (k + 1)] : [width, width];
    pen.rect(left, top, from, height, veil);
    pen.rect(left + to, top, width - to, height, veil);
    if (there) pen.rect(left + from - 1, top - 1, layout.cell + 2, height + 2, null, theme.primary, { width: 2 });
  }
  const k = cursor.channel - layout.first;
  if (k >= 0 && k < layout.shown) pen.rect(left + k * layout.cell, top + cursor.item * layout.row, layout.cell, layout.row, null, theme.text, { width: 1.5 });
}

/**
 * A number in at most six signs.
 * @param {number} value
 */
export function brief(value) {
  const size = Math.abs(value);
  if (size >= 1000) return digits(value, 1);
  return (size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(2)).replace("-", "−").replace(/^−(0(?:\.0+)?)$/, "$1");
}
