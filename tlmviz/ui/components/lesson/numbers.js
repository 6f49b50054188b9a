// @ts-check
// Many numbers at once: rows of them as bars above and below zero, and as dots, to see how wide they lie.

import { mark } from "./marks.js";

/** @typedef {import("./marks.js").Hit} Hit */
/** @typedef {import("./marks.js").Mark} Mark */
/** @typedef {import("./marks.js").Ruler} Ruler */
/** @typedef {{ id: string, label: string, values: (number | null)[], says: string, tone: string, top: number, names?: string[] }} Line of numbers,
 * of which those not told yet are null; `top` is drawn as one whole height, `names` stand below columns */
/** @typedef {{ id: string, label: string, values: number[] | null, says: string, tone: string }} Cloud of dots, null where it is not told yet */

const LEAST_NAME = 13; // size of the names below bars

/**
 * Where rows stand: on a wide window the label beside its row, on a phone above it, in the margin of an end none.
 * @param {number} W @param {number} H @param {{ id: string, label: string, says: string, tone: string }[]} rows @param {Ruler} ruler
 */
export function placedRows(W, H, rows, ruler) {
  const [big, tiny] = [W > 600, W < 260];
  const size = big ? 20 : 16;
  const room = (/** @type {string[]} */ texts) => (big ? Math.max(...texts.map((text) => ruler(text, size, true))) * 1.1 + 24 : 4);
  const [left, right] = [room(rows.map(({ label }) => label)), room(["× −0.00", ...rows.map(({ says }) => says)])]; // what is said of a column changes
  const [wide, step] = [Math.min(W - left - right, 760), Math.min(H / rows.length, 150)];
  const x = (W - left - right - wide) / 2 + left;
  return rows.map((row, n) => {
    const top = (H - step * rows.length) / 2 + n * step;
    const head = big || tiny ? 0 : size * 1.4; // room for the words above
    const [y, high] = [top + head + step * 0.06, step * 0.88 - head];
    const base = big ? y + high / 2 + size * 0.34 : top + size;
    const words = /** @type {Mark[]} */ (tiny ? [] : [
      mark(`${row.id}-label`, "text", { x: big ? x - 18 : x, y: base, size }, { text: row.label, anchor: big ? "end" : "start", story: true }),
      mark(`${row.id}-says`, "text", { x: big ? x + wide + 18 : x + wide, y: base, size },
        { text: row.says, anchor: big ? "start" : "end", weight: 600, tone: row.says === "?" ? "soft" : row.tone }),
    ]);
    return { x, y, wide, high, words };
  });
}

/** Bars above and below zero, alike high for alike parts of `top`; the column `at` is marked. @param {number} W @param {number} H
 * @param {{ rows: Line[], at: number | null }} options @param {Ruler} ruler */
export function numbers(W, H, { rows, at }, ruler) {
  const shares = rows.map(({ values, top }) => values.map((value) => (value ?? 0) / top));
  const [up, down] = [1, -1].map((sign) => Math.max(0.05, ...shares.flat().map((share) => sign * share)));
  /** @type {Mark[]} */
  const marks = [];
  placedRows(W, H, rows, ruler).forEach(({ x, y, wide, high: whole, words }, n) => {
    const { id, values, tone, names = [] } = rows[n];
    const cell = wide / values.length;
    const [gap, thick] = cell < 3 ? [0, cell + 0.6] : [cell * 0.14, cell * 0.72]; // thin ones touch: gaps would make their tone paler
    const widest = Math.max(1, ...names.map((name) => ruler(name, 18, true) * 1.05));
    const fitting = (/** @type {number} */ room) => Math.min(18, (18 * (room - 4)) / widest);
    const lines = fitting(cell) < LEAST_NAME ? 2 : 1; // too long to stand beside one another: by turns on two lines
    const size = names.length && W > 260 ? (lines > 1 ? Math.min(14, fitting(2 * cell)) : fitting(cell)) : 0;
    const high = whole - size * 1.3 * lines;
    if (size) names.forEach((name, i) => {
      const at = { x: x + cell * (i + 0.5), y: y + whole - size * (lines > 1 && i % 2 === 0 ? 1.35 : 0.2), size };
      if (name) marks.push(mark(`${id}-name-${i}`, "text", at, { text: name, anchor: "middle", story: true }));
    });
    const zero = y + (high * up) / (up + down);
    if (at !== null) marks.push(mark(`${id}-at`, "rect", { x: x + cell * at, y: y - 3, w: cell, h: high + 6, rx: 3, o: 0.16 }, { tone: "soft" }));
    marks.push(mark(`${id}-zero`, "rect", { x, y: zero - 0.75, w: wide, h: 1.5, rx: 0 }, { tone: "line" }));
    values.forEach((value, i) => {
      if (value === null) return;
      const h = Math.max(1.5, (Math.abs(shares[n][i]) * high) / (up + down));
      marks.push(mark(`${id}-${i}`, "rect", { x: x + cell * i + gap, y: value < 0 ? zero : zero - h, w: thick, h, rx: Math.min(2, cell * 0.2) },
        { tone, enter: { y: zero, h: 0 }, delay: 12 * i }));
    });
    marks.push(...words);
  });
  return { marks, hits: /** @type {Hit[]} */ ([]) };
}

/** Dots on both sides of zero, from −`span` to `span` in every row. @param {number} W @param {number} H @param {{ rows: Cloud[], span: number }} options
 * @param {Ruler} ruler */
export function dots(W, H, { rows, span }, ruler) {
  /** @type {Mark[]} */
  const marks = [];
  placedRows(W, H, rows, ruler).forEach(({ x, y, wide, high, words }, n) => {
    const { id, values, tone } = rows[n];
    const [r, middle, centre] = [W > 600 ? 5 : 3.5, x + wide / 2, y + high / 2];
    marks.push(mark(`${id}-rail`, "rect", { x, y: centre - 0.75, w: wide, h: 1.5, rx: 0 }, { tone: "line" }));
    marks.push(mark(`${id}-zero`, "rect", { x: middle - 0.75, y, w: 1.5, h: high, rx: 0 }, { tone: "line" }));
    (values ?? []).forEach((value, i) => {
      const along = (((i * 7) % 11) - 5) / 5; // dots alike far from zero stand one above another
      const to = { x: middle + (wide / 2 - r) * (value / span) - r, y: centre + along * (high / 2 - r) * 0.8 - r };
      marks.push(mark(`${id}-${i}`, "rect", { ...to, w: 2 * r, h: 2 * r, rx: r, o: 0.6 }, { tone, enter: { x: middle - r }, time: 1000 }));
    });
    marks.push(...words);
  });
  return { marks, hits: /** @type {Hit[]} */ ([]) };
}
