// @ts-check
// The overview as a file, on white paper: the heads that are shown, in their order, with what stands on their tiles.

import { figureOf } from "#canvas/pens.js";
import { inkOn, paperTheme, shadeRgb } from "#canvas/theme.js";
import { headColor } from "./arcs.js";
import { isMuted } from "./muting.js";
import { paintTiles } from "./overview.js";
import { overlaid } from "./state.js";
import { tagsOf } from "./tags.js";
import { legendOf, signed } from "./written.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").View} View */

const SHEET = { pitch: 54, tile: 50, left: 34, top: 56, caption: 13, line: 16, foot: 34 }; // pixels

/**
 * Where a tile lies on the sheet.
 * @param {View} v
 * @param {number} place
 */
function cornerOf({ plan }, place) {
  const { pitch, left, top, caption } = SHEET;
  return { x: left + (place % plan.columns) * pitch, y: top + Math.floor(place / plan.columns) * (pitch + (plan.sorted ? caption : 0)) };
}

/**
 * One head: its map, or what it adds to a word; its name where the place does not say it; overlaid, chosen, muted.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {HTMLCanvasElement} tiles
 * @param {number} place
 */
function drawTile(pen, v, theme, tiles, place) {
  const { header, plan, state } = v;
  const index = plan.order[place];
  const [layer, head] = [Math.floor(index / header.heads), index % header.heads];
  const { x, y } = cornerOf(v, place);
  const { tile } = SHEET;
  const n = header.overview_size;
  pen.image(tiles, x, y, tile, tile, { x: 0, y: index * n, size: n });
  if (header.written) drawShare(pen, v, theme, header.written.heads[index], x, y);
  else pen.text(x + tile - 2, y + 6, tagsOf(header, index)[0]?.tag.short ?? "", { align: "right", color: theme.text, size: 9, weight: 600 });
  if (plan.sorted) pen.text(x, y + tile + 7, `L${layer}H${head}`, { color: theme.text, size: 10 });
  if (isMuted(v, layer, head)) {
    pen.line(x, y, x + tile, y + tile, theme.text);
    pen.line(x + tile, y, x, y + tile, theme.text);
  }
  const lane = overlaid(v).findIndex(([l, h]) => l === layer && h === head);
  if (lane >= 0) pen.rect(x - 1, y - 1, tile + 2, tile + 2, null, state.overlay.length ? headColor(v, lane) : theme.text, { width: 2 });
  else pen.rect(x, y, tile, tile, null, theme.faint);
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {number} value
 * @param {number} x
 * @param {number} y
 */
function drawShare(pen, { header }, theme, value, x, y) {
  const { heads, mlps } = /** @type {import("./types").Written} */ (header.written);
  const most = Math.max(...[...heads, ...mlps].map(Math.abs)) || 1;
  const color = shadeRgb(theme.diverging, 0.5 + (0.5 * value) / most);
  pen.rect(x, y, SHEET.tile, SHEET.tile, `rgb(${color})`, null, { alpha: 0.9 });
  pen.text(x + SHEET.tile / 2, y + SHEET.tile / 2, signed(value), { align: "center", color: inkOn(color), size: 11, weight: 600 });
}

/**
 * Names of layers, heads and MLPs, where the place says which head a tile is.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 */
function drawNames(pen, { header, plan }, theme) {
  if (plan.sorted) return;
  const { pitch, tile, left, top } = SHEET;
  for (let h = 0; h < header.heads; h++) pen.text(left + h * pitch + tile / 2, top - 9, `H${h}`, { align: "center", color: theme.muted });
  for (let l = 0; l < header.layers; l++) pen.text(left - 6, top + l * pitch + tile / 2, `L${l}`, { align: "right", color: theme.muted });
  if (plan.mlps) pen.text(left + header.heads * pitch + tile / 2, top - 9, "MLP", { align: "center", color: theme.muted });
}

/**
 * The heads whose tiles have a coloured frame, a line each; none while no head is overlaid.
 * @param {View} v
 */
function framed(v) {
  return v.state.overlay.length ? overlaid(v) : [];
}

/**
 * Save the overview.
 * @param {View} v
 */
export function savedOverview(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  const { pitch, left, top, caption, line, foot } = SHEET;
  const { plan, header } = v;
  const tiles = document.createElement("canvas");
  paintTiles(v, theme, tiles);
  const bottom = top + plan.rows * (pitch + (plan.sorted ? caption : 0)) + 8;
  const names = framed(v);
  const width = Math.max(left + (plan.columns + (plan.mlps ? 1 : 0)) * pitch + 12, header.written ? 520 : 300);
  return figureOf("tlmviz-overview", { width, height: bottom + names.length * line + foot, theme }, (pen) => {
    pen.text(12, 18, `${header.model}: ${plan.order.length} of ${header.layers * header.heads} heads`, { color: theme.text, weight: 600, size: 13 });
    drawNames(pen, v, theme);
    plan.order.forEach((_, place) => drawTile(pen, v, theme, tiles, place));
    if (plan.mlps) header.written?.mlps.forEach((value, layer) => drawShare(pen, v, theme, value, left + header.heads * pitch, top + layer * pitch));
    names.forEach(([layer, head], i) => {
      pen.rect(12, bottom + i * line, 10, 10, headColor(v, i), null);
      pen.text(28, bottom + i * line + 5, `L${layer}H${head}`, { color: theme.text });
    });
    if (header.written) legendOf(header.written).forEach(
      (text, i) => pen.text(12, bottom + names.length * line + 8 + 14 * i, text, { color: theme.muted, size: 10 }));
  });
}
