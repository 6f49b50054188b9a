// @ts-check
// Heads: rings that show a share each, a fan between two measures, and cards with the words that each brings.

import { mark, points } from "./marks.js";

/** @typedef {import("./marks.js").Hit} Hit */
/** @typedef {import("./marks.js").Mark} Mark */
/** @typedef {{ name: string, share: number, tone: string, off?: boolean, says?: string }} Head a ring: `share` of it is drawn; `says` stands below */
/** @typedef {{ name: string, left: number, right: number, tone: string, strong?: boolean, lefts: string,
 * rights: string }} Line of a fan: two measures from 0 to 1, and how they are written */
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
    marks.push(mark(`${name}-name`, "text", { x, y: y + size * 0.36, size, o: off ? 0.35 : 1 },
      { text: name, anchor: "middle", story: true, weight: 600, tone }));
    if (off) marks.push(mark(`${name}-cross`, "line", { x1: x - r * 0.8, y1: y + r * 0.8, x2: x + r * 0.8, y2: y - r * 0.8, b1: 0, b2: 0, dx: 0, w: 3 },
      { tone: "soft" }));
    (says ?? "").split("\n").forEach((text, at) => marks.push(
      mark(`${name}-says-${at}`, "text", { x, y: y + r * 1.22 + 20 + at * (small + 6), size: small },
      { text, anchor: "middle", tone: at ? "ink" : "soft", weight: at ? 600 : 400 })));
    if (press.includes(name)) hits.push({ key: name, round: true, pressed: !!off || chosen.includes(name),
      label: `${verb} ${name}: ${(says ?? "").split("\n").join(", ")}`, x: x - r * 1.15, y: y - r * 1.15, w: r * 2.3, h: r * 2.3 });
  });
  return { marks, hits };
}

/** Heights that keep their distance, their order, and nearly their place. @param {number[]} ys @param {number} least */
export function spread(ys, least) {
  const order = ys.map((y, n) => ({ y, n })).sort((a, b) => a.y - b.y);
  /** @type {number[]} */
  const found = [];
  order.forEach(({ y, n }, at) => (found[n] = at ? Math.max(y, found[order[at - 1].n] + least) : y));
  const over = Math.max(0, Math.max(...found) - Math.max(...ys));
  return found.map((y) => y - over / 2);
}

/** Up is more, on both sides. @param {number} W @param {number} H @param {{ lines: Line[], titles: [string, string] }} options
 * @param {import("./marks.js").Ruler} ruler */
export function fan(W, H, { lines, titles }, ruler) {
  const [big, tiny] = [W > 600, W < 260];
  const size = tiny ? 11 : big ? 21 : 16;
  const widest = Math.max(...lines.map(({ name, lefts, rights }) => 1.1 * Math.max(ruler(`${name}  ${lefts}`, size), ruler(`${rights}  ${name}`, size)))) + 16;
  const x1 = tiny ? W * 0.12 : Math.max(W * 0.27, Math.min(widest, W * 0.4));
  const x2 = W - x1;
  const [top, base] = tiny ? [6, H - 6] : [70, H - 24];
  /** @type {Mark[]} */
  const marks = [];
  const ends = /** @type {["left" | "right", number][]} */ ([["left", x1], ["right", x2]]);
  ends.forEach(([side, x], at) => {
    marks.push(mark(`${side}-axis`, "line", { x1: x, y1: top - 14, x2: x, y2: base, b1: 0, b2: 0, dx: 0, w: 1.5 }, { tone: "line" }));
    if (!tiny) marks.push(mark(`${side}-title`, "text", { x, y: top - 32, size: big ? 18 : 14 }, { text: titles[at], anchor: "middle", tone: "soft" }));
  });
  const height = (/** @type {number} */ share) => base - (base - top) * share;
  const [lefts, rights] = [spread(lines.map((line) => height(line.left)), size * 1.25), spread(lines.map((line) => height(line.right)), size * 1.25)];
  lines.forEach(({ name, left, right, tone, strong, lefts: one, rights: other }, n) => {
    marks.push(mark(`${name}-line`, "line", { x1, y1: height(left), x2, y2: height(right), b1: 0, b2: 0, dx: (x2 - x1) * 0.45,
      w: (strong ? 7 : 3.5) * (tiny ? 0.6 : 1), o: strong ? 1 : 0.6 }, { tone, enter: { x2: x1, y2: height(left) }, time: 1300, delay: 140 * n }));
    if (tiny) return;
    marks.push(mark(`${name}-left`, "text", { x: x1 - 14, y: lefts[n] + size * 0.35, size }, { text: `${name}  ${one}`, anchor: "end", weight: 600, tone }));
    marks.push(mark(`${name}-right`, "text", { x: x2 + 14, y: rights[n] + size * 0.35, size },
      { text: `${other}  ${name}`, weight: 600, tone, delay: 700 + 100 * n }));
  });
  return { marks, hits: /** @type {Hit[]} */ ([]) };
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
      marks.push(mark(`${n}-${at}-points`, "text", { x: x + wide / 2 - size * 0.8, y, size },
        { text: points(value), anchor: "end", weight: 600, tone, delay: 120 * at }));
    });
  });
  return { marks, hits: /** @type {Hit[]} */ ([]) };
}
