// @ts-check
// A model as a tower: blocks one above another, what each is made of, and what is guessed at its height.

import { mark } from "./marks.js";

/** @typedef {import("./marks.js").Hit} Hit */
/** @typedef {import("./marks.js").Mark} Mark */
/** @typedef {import("./marks.js").Ruler} Ruler */
/**
 * A floor: `parts` by name, of which some are silent; the whole of it may be `off`, or `idle`, as it has not worked yet. What is guessed
 * behind it `says`, with its share; null is not told yet.
 * @typedef {{ id: string, label: string, parts: [string, boolean][], off?: boolean, idle?: boolean, says: string | null, share: number | null,
 *   tone: string }} Floor
 */

/** Floors from the bottom up; `stream` names the line through them. @param {number} W @param {number} H
 * @param {{ floors: Floor[], stream: string, press: string[], verb: string }} options @param {Ruler} ruler */
export function tower(W, H, { floors, stream, press, verb }, ruler) {
  const big = W > 600;
  const size = big ? 20 : 15;
  const step = Math.min(H / floors.length, 62);
  const [wide, guess] = big ? [440, 220] : [W * 0.72, W * 0.28];
  const x0 = (W - wide - guess) / 2;
  const base = (H + step * floors.length) / 2;
  const [up, high] = [x0 + size * 0.9, step * 0.76];
  const middle = (/** @type {number} */ n) => base - step * (n + 0.5);
  /** @type {Mark[]} */
  const marks = [mark("stream", "line", { x1: up, y1: middle(0), x2: up, y2: middle(floors.length - 1) - high / 2, b1: 0, b2: 0, dx: 0, w: big ? 7 : 5,
    o: 0.4 }, { tone: "look" })];
  const beside = up + size * 1.6 + ruler(floors[0].label, size, true) * 1.1; // in the line's colour, on the ground
  if (stream) marks.push(mark("named", "text", { x: beside, y: middle(0) + size * 0.34, size }, { text: stream, tone: "look", weight: 600 }));
  /** @type {Hit[]} */
  const hits = [];
  floors.forEach(({ id, label, parts, off, idle, says, share, tone }, n) => {
    const [y, o] = [middle(n), off ? 0.3 : idle ? 0.4 : 1];
    const text = { y: y + size * 0.34, size };
    if (n || parts.length) marks.push(mark(`${id}-box`, "rect", { x: x0, y: y - high / 2, w: wide, h: high, rx: 10, o: off || idle ? 0.04 : 0.1 },
      { tone: "ink" }));
    marks.push(mark(`${id}-label`, "text", { ...text, x: up + size * 0.8, o }, { text: label, story: true }));
    let x = x0 + wide - size * 0.6;
    for (const [name, on] of [...parts].reverse()) {
      const [type, pad] = [size * (big ? 0.8 : 0.74), size * (big ? 0.45 : 0.36)];
      const w = ruler(name, type) + 2 * pad;
      x -= w;
      marks.push(mark(`${id}-${name}-part`, "rect", { x, y: y - high * 0.32, w, h: high * 0.64, rx: 7, o: on ? 0.16 * o : 0.05 }, { tone: "does" }));
      marks.push(mark(`${id}-${name}`, "text", { x: x + pad, y: y + type * 0.34, size: type, o: on ? o : 0.6 }, { text: name, tone: on ? "does" : "soft" }));
      if (!on) marks.push(mark(`${id}-${name}-cross`, "line", { x1: x + 2, y1: y + high * 0.26, x2: x + w - 2, y2: y - high * 0.26, b1: 0, b2: 0, dx: 0, w: 2 },
        { tone: "soft" }));
      x -= size * 0.4;
    }
    if (off) marks.push(mark(`${id}-cross`, "line", { x1: up + size * 0.9, y1: y + high * 0.3, x2: x0 + wide - size, y2: y - high * 0.3, b1: 0, b2: 0, dx: 0,
      w: 2.5 }, { tone: "soft" }));
    if (says !== null) {
      const at = x0 + wide + size * 0.7;
      const room = Math.min(1, (W - at - 3 * size) / Math.max(1, ruler(says, size, true) * 1.1));
      marks.push(mark(`${id}-says`, "text", { ...text, size: size * room, x: at }, { text: says, story: true, weight: 600, tone, delay: 60 * n }));
      if (share !== null) marks.push(mark(`${id}-share`, "text",
        { ...text, x: at + (ruler(says, size * room, true) * 1.1 + size * 0.5), share, size: size * 0.85 },
        { tone, weight: 600, enter: { share: 0 }, delay: 60 * n }));
    }
    if (press.includes(id)) hits.push({ key: id, label: `${verb} ${label}`, pressed: !!off, x: x0, y: y - high / 2, w: wide, h: high });
  });
  return { marks, hits };
}
