// @ts-check
// A table of numbers, the darker the larger, with what stands right of its rows and below its columns.

import { mark } from "./marks.js";

/** @typedef {import("./marks.js").Mark} Mark */
/** @typedef {import("./marks.js").Ruler} Ruler */
/**
 * `right` and `below` are written at rows and columns under titles of their own, empty where nothing is; the row `lit` is framed.
 * @typedef {{ rows: string[], columns: string[], values: number[][], right: string[], below: string[], titles: [string, string], lit: number | null }} Matrix
 */

/** @param {number} W @param {number} H @param {Matrix} options @param {Ruler} ruler */
export function matrix(W, H, { rows, columns, values, right, below, titles, lit }, ruler) {
  const [big, tiny] = [W > 600, W < 260];
  const size = big ? 20 : 15;
  const room = (/** @type {string[]} */ texts) => (tiny || !texts.some(Boolean)
    ? 0 : Math.max(...texts.map((text) => ruler(text, size, true))) * 1.1 + size * 0.8);
  const [before, after] = [room([...rows, titles[1]]), room([...right, titles[0]])];
  const [head, foot] = tiny ? [0, 0] : [size * 1.8, below.length ? size * 1.9 : 0];
  const wide = Math.min((W - before - after) / columns.length, big ? 110 : 68);
  const high = Math.min((H - head - foot) / rows.length, big ? 62 : 50);
  const x0 = (W - before - after - wide * columns.length) / 2 + before;
  const y0 = (H - head - foot - high * rows.length) / 2 + head;
  const top = Math.max(...values.flat().map(Math.abs));
  /** @type {Mark[]} */
  const marks = [];
  const say = (/** @type {string} */ key, /** @type {string} */ text, /** @type {number} */ x, /** @type {number} */ y,
    /** @type {import("./marks.js").Look} */ look) => {
    if (!tiny && text) marks.push(mark(key, "text", { x, y: y + size * 0.34, size }, { text, ...look }));
  };
  values.forEach((row, i) => {
    const y = y0 + high * (i + 0.5);
    row.forEach((value, j) => {
      const [x, gap] = [x0 + wide * j, tiny ? 1 : 2];
      marks.push(mark(`${i}-${j}`, "rect", { x: x + gap, y: y0 + high * i + gap, w: wide - 2 * gap, h: high - 2 * gap, rx: tiny ? 2 : 6,
        o: 0.06 + (0.5 * Math.abs(value)) / top }, { tone: value < 0 ? "look" : "does" }));
      say(`${i}-${j}-says`, value.toFixed(2).replace("-", "−"), x + wide / 2, y, { anchor: "middle" });
    });
    say(`row-${i}`, rows[i], x0 - size * 0.6, y, { anchor: "end", story: true });
    if (right.length) say(`right-${i}`, right[i], x0 + wide * columns.length + size * 0.7, y, { weight: 600, tone: right[i] === "?" ? "soft" : "ink" });
  });
  columns.forEach((text, j) => {
    say(`column-${j}`, text, x0 + wide * (j + 0.5), y0 - size * 0.8, { anchor: "middle", story: true });
    if (below.length) say(`below-${j}`, below[j], x0 + wide * (j + 0.5), y0 + high * rows.length + size, { anchor: "middle", weight: 600 });
  });
  if (right.length) say("right", titles[0], x0 + wide * columns.length + size * 0.7, y0 - size * 0.8, { tone: "soft", story: true });
  if (below.length) say("below", titles[1], x0 - size * 0.6, y0 + high * rows.length + size, { anchor: "end", tone: "soft", story: true });
  if (lit !== null && !tiny) marks.unshift(mark("lit", "rect",
    { x: x0 - 3, y: y0 + high * lit - 3, w: wide * columns.length + 6, h: high + 6, rx: 10, o: 0.16 }, { tone: "ink" }));
  return { marks, hits: /** @type {import("./marks.js").Hit[]} */ ([]) };
}
