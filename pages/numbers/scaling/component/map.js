// @ts-check
// A matrix as a map: every cell's colour, the key to them, and a cell in words.

import { clip, digits, visibleAll } from "#canvas/text.js";
import { shade, shadeRgb } from "#canvas/theme.js";
import { TEXTS } from "./words.js";
import { decibels, heading } from "./writing.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Box} Box */

const NAMES = { x: TEXTS.xWhatRead, w: "W, the weights", o: "O = X Wᵀ" };
const DOUBLINGS = 12; // that colours of sizes tell apart

/**
 * The colour of every cell, as [r, g, b].
 * @param {View} v
 * @param {Theme} theme
 * @returns {(i: number) => number[]}
 */
function cellColors(v, theme) {
  const [values, errors] = [v.arrays[`${v.see}_values`], v.arrays[`${v.see}_errors`]];
  if (v.color === "size") {
    const top = values.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-30);
    return (i) => shadeRgb(theme.sequential, 1 + Math.log2(Math.abs(values[i]) / top + 1e-12) / DOUBLINGS);
  }
  if (v.color === "relative") return (i) => shadeRgb(theme.sequential, values[i] === 0 ? 0 : Math.min(1, Math.abs(errors[i] / values[i])));
  const most = errors.reduce((found, error) => Math.max(found, Math.abs(error)), 1e-30);
  return (i) => shadeRgb(theme.diverging, 0.5 + errors[i] / most / 2);
}

/**
 * @param {View} v
 * @param {Theme} theme
 */
function mapImage(v, theme) {
  const key = [v.see, v.color, theme.id].join();
  if (v.image?.key === key) return v.image.canvas;
  const { shape, cell } = v.header.sides[v.see];
  const [rows, columns] = [Math.ceil(shape[0] / cell[0]), Math.ceil(shape[1] / cell[1])];
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
  const { shape, cell, sqnr } = v.header.sides[v.see];
  const said = { size: TEXTS.sizeEveryNumber, error: "error, signed", relative: TEXTS.errorShareNumber }[v.color];
  const name = box.w < 420 ? v.see.toUpperCase() : NAMES[v.see];
  heading(pen, box, theme, `${name}: ${said}`, `${shape[0]} × ${shape[1]}, ${decibels(sqnr)}`);
  pen.image(mapImage(v, theme), box.x, box.y, box.w, box.h);
  pen.rect(box.x, box.y, box.w, box.h, null, theme.faint);
  const [down, across] = { x: ["tokens", "channels"], w: ["outputs", "inputs"], o: ["tokens", "outputs"] }[v.see];
  pen.text(box.x - 10, box.y + box.h / 2, down, { color: theme.muted, align: "center", rotate: -Math.PI / 2 });
  const pooled = cell[0] * cell[1] > 1 ? TEXTS.cellLargest(cell[0], cell[1]) : "";
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
  const table = v.color === "error" ? theme.diverging : theme.sequential;
  const [low, high] = { size: [`1/${2 ** DOUBLINGS}`, "largest"], error: ["too small", "too large"], relative: ["exact", "all lost"] }[v.color];
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
  const { shape, cell } = v.header.sides[v.see];
  const [rows, columns] = [Math.ceil(shape[0] / cell[0]), Math.ceil(shape[1] / cell[1])];
  const [row, column] = [Math.min(rows - 1, Math.floor(down * rows)), Math.min(columns - 1, Math.floor(right * columns))];
  const at = row * columns + column;
  const [value, error] = [v.arrays[`${v.see}_values`][at], v.arrays[`${v.see}_errors`][at]];
  const first = row * cell[0];
  const where = v.see === "w" ? `output ${range(first, cell[0], shape[0])}` : `token ${range(first, cell[0], shape[0])}${cell[0] === 1 && v.header.tokens.length ? ` · ${clip(visibleAll(v.header.tokens)[first], 14)}` : ""}`;
  const axis = { x: "channel", w: "input", o: "output" }[v.see];
  const named = `${where}, ${axis} ${range(column * cell[1], cell[1], shape[1])}`;
  if (cell[0] * cell[1] > 1) return TEXTS.largestNumberLargest(named, digits(value), digits(error, 3));
  return `${named}: ${digits(value)} becomes ${digits(value + error)}, error ${digits(error, 3)}`;
}

/**
 * @param {number} first
 * @param {number} count
 * @param {number} end
 */
function range(first, count, end) {
  const last = Math.min(end, first + count) - 1;
  return last > first ? `${first} to ${last}` : String(first);
}
