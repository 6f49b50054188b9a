// @ts-check
// A grid of cells: rows are steps, people or heads, columns words or steps; a cell is new, kept, shared, done again, or empty.

import { mark } from "./marks.js";

/** @typedef {import("./marks.js").Hit} Hit */
/** @typedef {import("./marks.js").Mark} Mark */
/** @typedef {import("./marks.js").Ruler} Ruler */
/** @typedef {"new" | "kept" | "shared" | "again" | "none"} State */
/** @typedef {[number, number, State, string]} Cell its first column, how many it is wide, its state, and what it says where there is room */
/** @typedef {{ id: string, label: string, says: string, cells: Cell[] }} Row */
/**
 * `heads` stand above columns where there is room, `legend` below: state and words. `press` are cells that can be pressed, by
 * row times columns and column.
 * @typedef {{ rows: Row[], columns: number, heads?: string[], legend?: [State, string][], press?: number[], verb?: string }} Grid
 */

/** @type {Record<State, { tone: string, o: number, ink: string }>} */
const LOOKS = {
  new: { tone: "does", o: 1, ink: "paper" },
  kept: { tone: "does", o: 0.28, ink: "ink" },
  shared: { tone: "note", o: 0.75, ink: "paper" },
  again: { tone: "look", o: 0.75, ink: "paper" },
  none: { tone: "line", o: 0.7, ink: "soft" },
};

/** @param {number} W @param {number} H @param {Grid} options @param {Ruler} ruler */
export function grid(W, H, { rows, columns, heads = [], legend = [], press = [], verb = "" }, ruler) {
  const [big, tiny] = [W > 600, W < 260];
  const size = big ? 19 : 15;
  const room = (/** @type {string[]} */ texts) => (tiny ? 2 : Math.max(0, ...texts.map((text) => (text ? ruler(text, size, true) * 1.08 + 14 : 0))));
  const [left, right] = [room(rows.map(({ label }) => label)), room(rows.map(({ says }) => says))];
  const wide = Math.min(W - left - right, big ? 820 : W);
  const below = legend.length && !tiny ? size * 2 : 0;
  const cell = wide / columns;
  const type = size * 0.85;
  const headed = !tiny && heads.length && Math.max(...heads.map((text) => ruler(text, type, false))) < cell - 2;
  const above = headed ? size * 1.5 : tiny ? 0 : 6;
  const step = Math.min((H - above - below) / rows.length, big ? 62 : 52);
  const [x0, y0] = [(W - left - wide - right) / 2 + left, (H - above - below - step * rows.length) / 2 + above];
  const gap = Math.min(3, cell * 0.12, step * 0.12);
  /** @type {Mark[]} */
  const marks = [];
  /** @type {Hit[]} */
  const hits = [];
  if (headed) heads.forEach((text, n) => marks.push(mark(
    `head-${n}`, "text", { x: x0 + cell * (n + 0.5), y: y0 - size * 0.5, size: type }, { text, anchor: "middle", tone: "soft" })));
  rows.forEach(({ id, label, says, cells }, n) => {
    const [y, h] = [y0 + step * n + gap, step - 2 * gap];
    const base = y + h / 2 + size * 0.34;
    for (const [at, span, state, text] of cells) {
      const { tone, o, ink } = LOOKS[state];
      const [x, w] = [x0 + cell * at + gap, cell * span - 2 * gap];
      marks.push(mark(`${id}-${at}`, "rect", { x, y, w, h, rx: Math.min(5, w / 4, h / 4), o }, { tone, delay: 12 * at }));
      const small = Math.min(type, (type * (w - 3)) / Math.max(1, ruler(text, type, false) * 1.08)); // bold
      if (text && !tiny && small > 8) marks.push(mark(`${id}-${at}-says`, "text", { x: x + w / 2, y: y + h / 2 + small * 0.35, size: small },
        { text, anchor: "middle", tone: ink, weight: 600 }));
      const key = n * columns + at;
      if (press.includes(key)) hits.push({ key: String(key), label: `${verb} ${label} ${text}`.trim(), x: x - gap, y: y - gap, w: Math.max(24, w + 2 * gap),
        h: Math.max(24, h + 2 * gap) });
    }
    if (tiny) return;
    marks.push(mark(`${id}-label`, "text", { x: x0 - 10, y: base, size: Math.min(size, step * 0.9) }, { text: label, anchor: "end", story: true }));
    if (says) marks.push(mark(`${id}-row-says`, "text", { x: x0 + wide + 10, y: base, size: Math.min(size, step * 0.9) },
      { text: says, weight: 600, tone: says === "?" ? "soft" : "ink" }));
  });
  if (!below) return { marks, hits };
  const small = big ? 16 : 13;
  const widths = legend.map(([, text]) => small * 1.6 + ruler(text, small, false));
  let x = Math.max(0, (W - widths.reduce((sum, w) => sum + w, 0) - (legend.length - 1) * small * 1.4) / 2);
  legend.forEach(([state, text], n) => {
    const y = y0 + step * rows.length + size * 1.35;
    marks.push(mark(`legend-${state}`, "rect", { x, y: y - small * 0.85, w: small, h: small, rx: 3, o: LOOKS[state].o }, { tone: LOOKS[state].tone }));
    marks.push(mark(`legend-${state}-says`, "text", { x: x + small * 1.5, y, size: small }, { text, tone: "soft" }));
    x += widths[n] + small * 1.4;
  });
  return { marks, hits };
}
