// @ts-check
// Heads: rings that show a share each, and cards with the words that each brings.

import { mark, points } from "./marks.js";

/** @typedef {import("./marks.js").Hit} Hit */
/** @typedef {import("./marks.js").Mark} Mark */
/** @typedef {{ name: string, share: number, tone: string, off?: boolean, says?: string }} Head a ring: `share` of it is drawn; `says` stands below */
/** @typedef {{ name: string, tone: string, rows: [string, number][] }} Card */

/** @param {number} W @param {number} H @param {{ heads: Head[], press: string[], chosen: string[], verb: string }} options */
export function rings(W, H, { heads, press, chosen, verb }) {
  const columns = W < 600 ? (heads.length > 4 ? 3 : Math.min(2, heads.length)) : heads.length;
  const lines = Math.ceil(heads.length / columns);
  const [cell, high] = [Math.min(W / columns, 210), H / lines];
  const r = Math.min(cell * 0.32, high * 0.26);
  const small = W < 600 ? 14 : 17;
  /** @type {Mark[]} */
  const marks = [];
  /** @type {Hit[]} */
  const hits = [];
  heads.forEach(({ name, share, tone, off, says }, n) => {
    const line = Math.floor(n / columns);
    const row = Math.min(columns, heads.length - line * columns);
    const x = W / 2 + ((n % columns) - (row - 1) / 2) * cell;
    const y = high * (line + 0.4);
    const size = r * 0.62;
    marks.push(mark(`${name}-rail`, "ring", { x, y, r, w: r * 0.16, share: 1 }, { tone: "line" }));
    marks.push(mark(name, "ring", { x, y, r, w: r * 0.16, share: share || 0.0001, o: off ? 0.15 : 1 }, { tone, enter: { share: 0 }, delay: 70 * n }));
    if (chosen.includes(name)) marks.push(mark(`${name}-chosen`, "ring", { x, y, r: r * 1.22, w: 3, share: 1 }, { tone: "ink" }));
    marks.push(mark(`${name}-name`, "text", { x, y: y + size * 0.36, size, o: off ? 0.35 : 1 }, { text: name, anchor: "middle", story: true, weight: 600, tone }));
    if (off) marks.push(mark(`${name}-cross`, "line", { x1: x - r * 0.8, y1: y + r * 0.8, x2: x + r * 0.8, y2: y - r * 0.8, b1: 0, b2: 0, dx: 0, w: 3 }, { tone: "soft" }));
    (says ?? "").split("\n").forEach((text, at) => marks.push(mark(`${name}-says-${at}`, "text", { x, y: y + r * 1.22 + 20 + at * (small + 6), size: small }, { text, anchor: "middle", tone: at ? "ink" : "soft", weight: at ? 600 : 400 })));
    if (press.includes(name)) hits.push({ key: name, round: true, pressed: !!off || chosen.includes(name), label: `${verb} ${name}: ${(says ?? "").split("\n").join(", ")}`, x: x - r * 1.15, y: y - r * 1.15, w: r * 2.3, h: r * 2.3 });
  });
  return { marks, hits };
}

/** What each head adds to the words' scores. @param {number} W @param {number} H @param {{ cards: Card[] }} options */
export function cards(W, H, { cards: all }) {
  const cell = Math.min(W / all.length, 330);
  const rows = Math.max(...all.map((card) => card.rows.length));
  const size = Math.min(30, cell / 9, H / (rows + 3) / 1.5);
  const step = size * 1.6;
  /** @type {Mark[]} */
  const marks = [];
  all.forEach(({ name, tone, rows: lines }, n) => {
    const x = W / 2 + (n - (all.length - 1) / 2) * cell;
    const top = (H - (rows + 1.4) * step) / 2;
    const wide = cell * 0.86;
    marks.push(mark(`${n}-card`, "rect", { x: x - wide / 2, y: top - step * 0.5, w: wide, h: (rows + 2.1) * step, rx: 14, o: 0.07 }, { tone }));
    marks.push(mark(`${n}-name`, "text", { x, y: top + step * 0.6, size: size * 1.25 }, { text: name, anchor: "middle", story: true, weight: 700, tone }));
    lines.forEach(([word, value], at) => {
      const y = top + step * (at + 2);
      marks.push(mark(`${n}-${at}-word`, "text", { x: x - wide / 2 + size * 0.8, y, size }, { text: word, story: true, delay: 120 * at }));
      marks.push(mark(`${n}-${at}-points`, "text", { x: x + wide / 2 - size * 0.8, y, size }, { text: points(value), anchor: "end", weight: 600, tone, delay: 120 * at }));
    });
  });
  return { marks, hits: /** @type {Hit[]} */ ([]) };
}
