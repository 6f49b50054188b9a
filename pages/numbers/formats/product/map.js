// @ts-check
// A matrix as a map: every cell's colour, the key to them, and a cell in words.

import { _ } from "#canvas/language.js";
import { clip, digits, visibleAll } from "#canvas/text.js";
import { shade, shadeRgb } from "#canvas/theme.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Box} Box */

const DOUBLINGS = 12; // that colours of sizes tell apart

/**
 * The colour of every cell, as [r, g, b].
 * @param {View} v
 * @param {Theme} theme
 * @returns {(i: number) => number[]}
 */
function cellColors(v, theme) {
  const { see, color } = v.place;
  const [values, errors] = [v.arrays[`${see}_values`], v.arrays[`${see}_errors`]];
  if (color === "size") {
    const top = values.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-30);
    return (i) => shadeRgb(theme.sequential, 1 + Math.log2(Math.abs(values[i]) / top + 1e-12) / DOUBLINGS);
  }
  if (color === "relative") return (i) => shadeRgb(theme.sequential, values[i] === 0 ? 0 : Math.min(1, Math.abs(errors[i] / values[i])));
  const most = errors.reduce((found, error) => Math.max(found, Math.abs(error)), 1e-30);
  return (i) => shadeRgb(theme.diverging, 0.5 + errors[i] / most / 2);
}

/**
 * Rows and columns of cells.
 * @param {View} v
 */
function gridOf(v) {
  const { shape, cell } = v.header.sides[v.place.see];
  return [Math.ceil(shape[0] / cell[0]), Math.ceil(shape[1] / cell[1])];
}

/**
 * @param {View} v
 * @param {Theme} theme
 */
function mapImage(v, theme) {
  const key = [v.place.see, v.place.color, theme.id].join();
  if (v.image?.key === key) return v.image.canvas;
  const [rows, columns] = gridOf(v);
  const canvas = document.createElement("canvas");
  Object.assign(canvas, { width: columns, height: rows });
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const data = context.createImageData(columns, rows);
  const color = cellColors(v, theme);
  for (let i = 0; i < rows * columns; i++) data.data.set([...color(i), 255], 4 * i);
  context.putImageData(data, 0, 0);
  v.image = { key, canvas };
  return canvas;
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Box} box
 * @param {Theme} theme
 */
export function drawMap(pen, v, box, theme) {
  const { see, color } = v.place;
  const { shape, cell, sqnr } = v.header.sides[see];
  const said = { size: _("size of every number"), error: _("error, signed"), relative: _("error as a share of the number") }[color];
  const name = box.w < 420 ? see.toUpperCase() : { x: _("X, what is read"), w: _("W, the weights"), o: "O = X Wᵀ" }[see];
  heading(pen, box, theme, `${name}: ${said}`, `${shape[0]} × ${shape[1]}, ${decibels(sqnr)}`);
  pen.image(mapImage(v, theme), box.x, box.y, box.w, box.h);
  pen.rect(box.x, box.y, box.w, box.h, null, theme.faint);
  const [down, across] = { x: [_("tokens"), _("channels")], w: [_("outputs"), _("inputs")], o: [_("tokens"), _("outputs")] }[see];
  pen.text(box.x - 10, box.y + box.h / 2, down, { color: theme.muted, align: "center", rotate: -Math.PI / 2 });
  const pooled = cell[0] * cell[1] > 1 ? _("; a cell is the largest of {rows} × {columns}", { rows: cell[0], columns: cell[1] }) : "";
  pen.text(box.x, box.y + box.h + 12, across + pooled, { color: theme.muted });
  drawKey(pen, v, box, theme);
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Box} box
 * @param {Theme} theme
 */
function drawKey(pen, v, box, theme) {
  const { color } = v.place;
  const table = color === "error" ? theme.diverging : theme.sequential;
  const [low, high] = { size: [`1/${2 ** DOUBLINGS}`, _("largest")], error: [_("too small"), _("too large")], relative: [_("exact"), _("all lost")] }[color];
  const [wide, y] = [70, box.y + box.h + 22];
  const x = box.x + box.w - wide - 58;
  pen.text(x - 4, y + 4, low, { color: theme.muted, align: "right" });
  for (let i = 0; i < wide; i += 2) pen.rect(x + i, y, 2, 8, shade(table, i / wide));
  pen.text(x + wide + 4, y + 4, high, { color: theme.muted });
}

/**
 * @param {View} v
 * @param {number} right share of the map's width
 * @param {number} down share of its height
 */
export function cellSentence(v, right, down) {
  const { see } = v.place;
  const { shape, cell } = v.header.sides[see];
  const [rows, columns] = gridOf(v);
  const [row, column] = [Math.min(rows - 1, Math.floor(down * rows)), Math.min(columns - 1, Math.floor(right * columns))];
  const at = row * columns + column;
  const [value, error] = [v.arrays[`${see}_values`][at], v.arrays[`${see}_errors`][at]];
  const token = cell[0] === 1 && v.header.tokens.length ? ` · ${clip(visibleAll(v.header.tokens)[row], 14)}` : "";
  const values = { row: range(row * cell[0], cell[0], shape[0]) + (see === "w" ? "" : token), column: range(column * cell[1], cell[1], shape[1]),
    value: digits(value), kept: digits(value + error), error: digits(error, 3) };
  const where = { x: _("token {row}, channel {column}", values), w: _("output {row}, input {column}", values), o: _("token {row}, output {column}", values) }[
    see];
  if (cell[0] * cell[1] > 1) return _("{where}: largest number {value}, largest error {error}", { where, ...values });
  return _("{where}: {value} becomes {kept}, error {error}", { where, ...values });
}

/**
 * @param {number} first
 * @param {number} count
 * @param {number} end
 */
function range(first, count, end) {
  const last = Math.min(end, first + count) - 1;
  return last > first ? _("{first} to {last}", { first, last }) : String(first);
}

/** @param {number | null} value */
export function decibels(value) {
  return value === null || value === Infinity ? _("nothing lost") : Number.isNaN(value) ? "–" : `${digits(value, 3)} dB`;
}

/**
 * @param {Pen} pen
 * @param {Box} box
 * @param {Theme} theme
 * @param {string} text
 * @param {string} right
 */
export function heading(pen, box, theme, text, right = "") {
  pen.text(box.x, box.y - 10, text, { color: theme.text, size: 12, weight: 600 });
  if (right) pen.text(box.x + box.w, box.y - 10, right, { color: theme.muted, align: "right" });
}
