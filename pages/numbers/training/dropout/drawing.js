// @ts-check
// Three tables of cells (as it is, under a mask, the mean of masks) and the error of that mean.

import { _ } from "#canvas/language.js";
import { digits } from "#canvas/text.js";
import { fade, shade } from "#canvas/theme.js";
import { expected } from "./masks.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("./types").Scene} Scene */
/** @typedef {import("./types").Layout} Layout */

const NAMES = 66; // pixels for tokens
const HEADING = 22;
const APART_BY = 14;
const SMALL = 640; // pixels: below, all stands in one column
const CHART = 250;
const MOST_SHOWN = 26; // channels
const MOST_ROWS = 24; // tokens
const MOST_MASKS = 1000;

/**
 * @param {number} width
 * @param {number} tokens
 * @param {number} channels
 * @returns {Layout}
 */
export function panelsOf(width, tokens, channels) {
  const narrow = width < SMALL;
  const room = narrow ? width - NAMES : (width - NAMES - CHART - 3 * APART_BY) / 3;
  const shown = Math.min(MOST_SHOWN, channels);
  const cell = Math.max(3, Math.min(10, Math.floor(room / shown)));
  const rows = Math.min(MOST_ROWS, tokens);
  const row = narrow ? 9 : 11;
  const block = HEADING + row * rows;
  const panels = [0, 1, 2].map((i) => (narrow ? { x: NAMES, y: HEADING + i * (block + APART_BY) } : { x: NAMES + i * (cell * shown + APART_BY), y: HEADING }));
  const left = narrow ? 40 : panels[2].x + cell * shown + APART_BY + 36;
  const chart = { x: left, y: narrow ? 3 * (block + APART_BY) + HEADING : HEADING, width: width - left - 18,
    height: Math.max(150, narrow ? 170 : row * rows - 26) };
  return { width, height: Math.max(panels[2].y + row * rows, chart.y + chart.height + 30) + 4, shown, rows, cell, row, panels, chart };
}

/**
 * @param {Pen} pen
 * @param {Scene} scene
 */
export function drawDropout(pen, scene) {
  const { layout, theme, header, panels, range } = scene;
  panels.forEach(({ name, x }, index) => {
    const { x: left, y: top } = layout.panels[index];
    pen.text(left, top - 10, name, { color: theme.text, weight: 600, size: 11 });
    for (let i = 0; i < layout.rows; i++) {
      if (!index || layout.panels[index].y > HEADING) pen.text(
        left - 5, top + (i + 0.5) * layout.row, header.tokens[i], { align: "right", token: NAMES - 8, color: theme.muted, size: Math.min(10, layout.row) });
      for (let k = 0; k < layout.shown; k++) {
        const value = x[i * header.channels + header.first + k];
        const zero = value === 0 && index === 1;
        pen.rect(left + k * layout.cell, top + i * layout.row, layout.cell - 0.5, layout.row - 0.5,
          zero ? fade(theme.text, 0.5) : shade(theme.diverging, 0.5 + value / range / 2));
      }
    }
  });
  drawErrors(pen, scene);
}

/**
 * @param {Pen} pen
 * @param {Scene} scene
 */
function drawErrors(pen, { layout, theme, state, errors, size }) {
  const { x: left, y: top, width, height } = layout.chart;
  pen.text(left - 30, top - 10, _("error of the mean (RMS)"), { color: theme.text, weight: 600, size: 11 });
  const curve = (/** @type {number} */ n) => expected(size, state.p / 100, n, !state.raw);
  const values = [...errors.map(({ error }) => error), curve(1), curve(MOST_MASKS)].filter((value) => value > 0);
  if (!values.length) {
    pen.text(left + width / 2, top + height / 2, _("nothing is dropped: no error"), { align: "center", color: theme.muted });
    return;
  }
  const [low, high] = [Math.log10(Math.min(...values)) - 0.15, Math.log10(Math.max(...values)) + 0.15];
  const xOf = (/** @type {number} */ n) => left + (Math.log10(n) / Math.log10(MOST_MASKS)) * width;
  const yOf = (/** @type {number} */ value) => top + height - ((Math.log10(value) - low) / (high - low)) * height;
  for (const n of [1, 10, 100, MOST_MASKS]) {
    pen.line(xOf(n), top, xOf(n), top + height, theme.faint);
    pen.text(xOf(n), top + height + 9, n, { align: "center", color: theme.muted, size: 10 });
  }
  pen.text(left + width / 2, top + height + 22, _("masks"), { align: "center", color: theme.muted, size: 10 });
  const steps = high - low > 1.2 ? [1] : [1, 2, 5];
  for (let power = Math.floor(low); power <= high; power++) {
    for (const value of steps.map((m) => m * 10 ** power).filter((each) => Math.log10(each) > low && Math.log10(each) < high)) {
      pen.line(left, yOf(value), left + width, yOf(value), theme.faint);
      pen.text(left - 5, yOf(value), digits(value, 1), { align: "right", color: theme.muted, size: 10 });
    }
  }
  const path = (/** @type {[number, number][]} */ points) =>
    points.map(([n, value], i) => `${i ? "L" : "M"}${xOf(n).toFixed(1)} ${yOf(value).toFixed(1)}`).join("");
  pen.path(path(Array.from({ length: 40 }, (_point, i) => [MOST_MASKS ** (i / 39), curve(MOST_MASKS ** (i / 39))])), theme.muted, 1.5, 1, "5 4");
  const points = /** @type {[number, number][]} */ (errors.filter(({ error }) => error > 0).map(({ n, error }) => [n, error]));
  if (points.length > 1) pen.path(path(points), theme.heads[1], 2.5);
  const last = points.at(-1);
  if (last) pen.circle(xOf(last[0]), yOf(last[1]), 4, theme.heads[1]);
}
