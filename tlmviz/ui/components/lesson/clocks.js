// @ts-check
// Clocks: pairs of numbers as hands, which turn.

import { mark } from "./marks.js";

/** @typedef {import("./marks.js").Hit} Hit */
/** @typedef {import("./marks.js").Mark} Mark */
/** @typedef {import("./marks.js").Ruler} Ruler */
/** @typedef {{ name: string, angle: number, length: number, tone: string, broad: boolean }} Hand its angle in degrees, clockwise from the right,
 * and its length, of the clock's */
/** @typedef {{ id: string, label: string, says: string, hands: Hand[] }} Clock `label` stands below it, `says` below that */

const ROOM = 2.9; // of a clock with its words, in radii
const MOST = 106; // a radius in pixels

/** The least lines in which clocks are largest. @param {number} n @param {number} W @param {number} H @param {number} below */
function best(n, W, H, below) {
  const radius = (/** @type {number} */ lines) => Math.min(W / Math.ceil(n / lines) / ROOM, (H / lines - below) / 2.3, MOST);
  const ways = Array.from({ length: Math.min(n, 3) }, (_, at) => at + 1);
  const lines = ways.reduce((one, other) => (radius(other) > radius(one) * 1.1 ? other : one));
  return { lines, r: radius(lines) };
}

/** What the hands are, in one line. @param {number} W @param {number} y @param {number} size @param {[string, string][]} legend @param {Ruler} ruler */
function named(W, y, size, legend, ruler) {
  const gap = size * 1.6;
  const widths = legend.map(([text]) => ruler(text, size) * 1.1);
  let x = (W - widths.reduce((sum, w) => sum + w, 0) - gap * (legend.length - 1)) / 2;
  return legend.map(([text, tone], n) => {
    const one = mark(`legend-${n}`, "text", { x, y, size }, { text, tone, weight: 600 });
    x += widths[n] + gap;
    return one;
  });
}

/** @param {number} W @param {number} H @param {{ clocks: Clock[], legend: [string, string][] }} options @param {Ruler} ruler */
export function clocks(W, H, { clocks: all, legend }, ruler) {
  const [big, tiny] = [W > 600, W < 260];
  const size = big ? 20 : 15;
  const top = tiny || !legend.length ? 0 : size * 1.8;
  const rows = tiny ? 0 : Math.max(...all.map(({ label, says }) => (label ? 1 : 0) + (says ? 1 : 0)));
  const { lines, r } = best(all.length, W, H - top, rows * size * 1.35 + (tiny ? 0 : 4));
  const [columns, high] = [Math.ceil(all.length / lines), (H - top) / lines];
  const cell = Math.min(W / columns, r * 3.4);
  const tall = 2 * r + rows * size * 1.35;
  /** @type {Mark[]} */
  const marks = tiny ? [] : named(W, top + (high - tall) / 2 - size, size, legend, ruler);
  all.forEach(({ id, label, says, hands }, n) => {
    const line = Math.floor(n / columns);
    const x = W / 2 + ((n % columns) - (Math.min(columns, all.length - line * columns) - 1) / 2) * cell;
    const y = top + high * line + (high - tall) / 2 + r;
    marks.push(mark(`${id}-face`, "ring", { x, y, r, w: 2, share: 1 }, { tone: "line" }));
    for (const { name, angle, length, tone, broad } of hands) {
      const [turn, far] = [(angle * Math.PI) / 180, r * 0.88 * length];
      const to = { x1: x, y1: y, x2: x + far * Math.cos(turn), y2: y + far * Math.sin(turn), b1: 0, b2: 0, dx: 0, w: Math.max(2, r * (broad ? 0.2 : 0.07)) };
      marks.push(mark(`${id}-${name}`, "line", { ...to, o: broad ? 0.6 : 1 }, { tone, enter: { x2: x, y2: y }, time: 900 }));
    }
    if (!hands.length) marks.push(mark(`${id}-none`, "text", { x, y: y + r * 0.25, size: r * 0.7 },
      { text: "?", anchor: "middle", tone: "soft", weight: 600 }));
    if (tiny) return;
    if (label) marks.push(mark(`${id}-label`, "text", { x, y: y + r + size * 1.2, size }, { text: label, anchor: "middle", story: true }));
    if (says) marks.push(mark(`${id}-says`, "text", { x, y: y + r + size * (label ? 2.5 : 1.2), size },
      { text: says, anchor: "middle", weight: 600, tone: says === "?" ? "soft" : "ink" }));
  });
  return { marks, hits: /** @type {Hit[]} */ ([]) };
}
