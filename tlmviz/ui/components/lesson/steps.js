// @ts-check
// Number lines with the steps of a format on them, and numbers as dots, which go to their steps.

import { mark } from "./marks.js";
import { placedRows } from "./numbers.js";

/** @typedef {import("./marks.js").Hit} Hit */
/** @typedef {import("./marks.js").Mark} Mark */
/** @typedef {import("./marks.js").Ruler} Ruler */
/** @typedef {{ id: string, label: string, says: string, tone: string, ticks: number[], dots: number[] }} Line of numbers: its steps, and dots on them */

/** Lines from `low` to `high`, all alike; `named` are values that are written below the last. @param {number} W @param {number} H
 * @param {{ rows: Line[], low: number, high: number, named: [number, string][] }} options @param {Ruler} ruler */
export function steps(W, H, { rows, low, high, named }, ruler) {
  const [big, tiny] = [W > 600, W < 260];
  const below = tiny || !named.length ? 0 : 34;
  /** @type {Mark[]} */
  const marks = [];
  placedRows(W, H - below, rows, ruler).forEach(({ x, y, wide, high: tall, words }, n) => {
    const { id, ticks, dots, tone } = rows[n];
    const at = (/** @type {number} */ value) => x + (wide * (value - low)) / (high - low);
    const most = Math.min(tall, 150);
    const [r, base, room] = [tiny ? 3.5 : big ? 6 : 5, y + most * 0.86 + (tall - most) / 2, most * 0.7]; // room above the line, for dots
    const many = ticks.length > 60;
    marks.push(mark(`${id}-rail`, "rect", { x, y: base - 0.75, w: wide, h: 1.5, rx: 0 }, { tone: "line" }));
    ticks.forEach((value, i) => marks.push(mark(`${id}-tick-${i}`, "rect",
      { x: at(value) - (many ? 0.5 : 0.75), y: base - room, w: many ? 1 : 1.5, h: room + 6, rx: 0, o: many ? 0.45 : 0.75 }, { tone: "soft" })));
    dots.forEach((value, i) => {
      const along = dots.length > 1 ? ((i * 7) % 11) / 10 : 0.3; // dots of like value stand one above another
      marks.push(mark(`${id}-dot-${i}`, "rect", { x: at(value) - r, y: base - r - along * (room - r), w: 2 * r, h: 2 * r, rx: r, o: dots.length > 1 ? 0.8 : 1 },
        { tone, time: 1000 }));
    });
    marks.push(...words);
    if (below && n === rows.length - 1) for (const [value, text] of named)
      marks.push(mark(`named-${text}`, "text", { x: at(value), y: base + 26, size: big ? 16 : 14 }, { text, anchor: "middle", tone: "soft" }));
  });
  return { marks, hits: /** @type {Hit[]} */ ([]) };
}
