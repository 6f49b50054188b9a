// @ts-check
// Words as points of a plane, and arrows from one place to another.

import { mark } from "./marks.js";

/** @typedef {import("./marks.js").Hit} Hit */
/** @typedef {import("./marks.js").Mark} Mark */
/** @typedef {import("./marks.js").Ruler} Ruler */
/** @typedef {{ id: string, x: number, y: number, tone: string, strong: boolean }} Point named by its id, from −1 to 1 both ways, y upwards */
/** @typedef {{ id: string, from: [number, number], to: [number, number], says: string, tone: string }} Way from one place to another,
 * where it `says` something */

/** @param {number} W @param {number} H @param {{ points: Point[], ways: Way[] }} options @param {Ruler} ruler */
export function plane(W, H, { points, ways }, ruler) {
  const [big, tiny] = [W > 600, W < 260];
  const [size, r] = [tiny ? 11 : big ? 21 : 16, tiny ? 3 : big ? 7 : 5];
  const room = tiny ? 0 : Math.max(...points.map(({ id }) => ruler(id, size, true))) + 2 * r;
  const [left, wide] = [r + 4, Math.min(W - 2 * r - 8 - room, 900)];
  const shift = (W - wide - room - 2 * left) / 2;
  const at = (/** @type {[number, number]} */ [x, y]) => ({ x: shift + left + ((x + 1) / 2) * wide, y: size + ((1 - y) / 2) * (H - 2 * size) });
  /** @type {Mark[]} */
  const marks = [];
  for (const { id, from, to, says, tone } of ways) {
    const [a, b] = [at(from), at(to)];
    marks.push(mark(`way-${id}`, "line", { x1: a.x, y1: a.y, x2: b.x, y2: b.y, b1: 0, b2: 0, dx: 0, w: tiny ? 2 : 3 },
      { tone, enter: { x2: a.x, y2: a.y }, time: 900 }));
    const [turn, tip] = [Math.atan2(b.y - a.y, b.x - a.x), tiny ? 6 : 3 * r];
    for (const side of [-1, 1]) {
      const back = turn + Math.PI - side * 0.45;
      marks.push(mark(`way-${id}-tip${side}`, "line", { x1: b.x, y1: b.y, x2: b.x + tip * Math.cos(back), y2: b.y + tip * Math.sin(back), b1: 0, b2: 0, dx: 0,
        w: tiny ? 2 : 3 }, { tone, delay: 700 }));
    }
    if (says && !tiny) marks.push(mark(`way-${id}-says`, "text", { x: b.x + 2 * r, y: b.y + size * 0.35, size: size * 1.2 },
      { text: says, weight: 600, tone: "soft" }));
  }
  /** @type {{ x: number, y: number, w: number }[]} */
  const named = [];
  for (const { id, x, y, tone, strong } of [...points].sort((a, b) => Number(b.strong) - Number(a.strong) || b.y - a.y)) {
    const to = at([x, y]);
    marks.push(mark(`dot-${id}`, "rect", { x: to.x - r, y: to.y - r, w: 2 * r, h: 2 * r, rx: r }, { tone, time: 1400 }));
    if (tiny) continue;
    const name = { x: to.x + 1.7 * r, y: to.y + size * (ways.some(({ from, to: end }) => [from, end].some(([a, b]) => Math.hypot(a - x, b - y) < 0.001))
      ? -0.6 : 0.34), w: ruler(id, size, true) * 1.1 };
    const lies = () => named.some((other) => other.x < name.x + name.w && name.x < other.x + other.w && Math.abs(other.y - name.y) < size);
    const places = [[1.7 * r, 0], [-1.7 * r - name.w, 0], [1.7 * r, size], [1.7 * r, -size], [-1.7 * r - name.w, size], [-1.7 * r - name.w, -size]];
    const [right, y0] = [to.x, name.y]; // beside its point on either side, or a line lower or higher
    if (!places.some(([dx, dy]) => (Object.assign(name, { x: right + dx, y: y0 + dy }), name.x >= 0 && !lies()))) continue; // in a heap names wait for room
    named.push(name);
    marks.push(mark(`name-${id}`, "text", { x: name.x, y: name.y, size },
      { text: id, story: true, weight: strong ? 700 : 400, tone: strong ? tone : "ink", time: 1400 }));
  }
  return { marks, hits: /** @type {Hit[]} */ ([]) };
}
