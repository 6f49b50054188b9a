// @ts-check
// A head's map: a row for each word, the stronger a cell the more it looks there; whole, or cut into tiles.

import { mark } from "./marks.js";

/** @typedef {import("./marks.js").Hit} Hit */
/** @typedef {import("./marks.js").Mark} Mark */
/** @typedef {import("./marks.js").Ruler} Ruler */
/** @typedef {"now" | "made" | "gone" | "skipped"} TileState there now, made, forgotten or not there yet, and never made */
/**
 * `weights` are those of a row's words that it sees; with a `side` the map is cut into tiles of so many rows and columns, whose states
 * `tiles` has, row by row. `legend`: state and words.
 * @typedef {{ words: string[], weights: number[][], side: number, tiles: TileState[][], legend: [TileState, string][] }} Mapped
 */

/** @type {Record<TileState, { tone: string, o: number, cells: number }>} how a tile looks, and how much of its cells is seen */
const TILES = {
  now: { tone: "does", o: 0.3, cells: 1 },
  made: { tone: "line", o: 0.55, cells: 1 },
  gone: { tone: "line", o: 0.3, cells: 0.12 },
  skipped: { tone: "look", o: 0.28, cells: 0 },
};

/** @param {number} W @param {number} H @param {Mapped} options @param {Ruler} ruler */
export function tilemap(W, H, { words, weights, side, tiles, legend }, ruler) {
  const [big, tiny, count] = [W > 600, W < 260, words.length];
  const below = legend.length && !tiny ? (big ? 34 : 30) : 0;
  const room = (/** @type {number} */ type) => (tiny ? 0 : Math.max(...words.map((text) => ruler(text, type, true))) * 1.1 + 10);
  const split = side ? (big ? 10 : 6) : 0; // between tiles
  const splits = side ? split * (Math.ceil(count / side) - 1) : 0;
  const high = Math.min((H - below - (tiny ? 4 : 40) - splits) / count, big ? 40 : 34);
  const size = Math.min(big ? 18 : 15, high * 0.9);
  const wide = Math.min((W - room(size) - splits - 4) / count, big ? 66 : 40);
  const headed = !tiny && Math.max(...words.map((text) => ruler(text, size * 0.85, true))) * 1.05 < wide;
  const [x0, y0] = [(W - room(size) - wide * count - splits) / 2 + room(size), (H - below - high * count - splits + (headed ? 34 : 0)) / 2];
  const at = (/** @type {number} */ n, /** @type {number} */ step) => n * step + (side ? Math.floor(n / side) * split : 0);
  /** @type {Mark[]} */
  const marks = [];
  for (let row = 0; side && row * side < count; row++) {
    for (let column = 0; column * side < count; column++) {
      const { tone, o } = TILES[tiles[row][column]];
      const [x, y] = [x0 + at(column * side, wide) - 2, y0 + at(row * side, high) - 2];
      const [w, h] = [Math.min(side, count - column * side) * wide + 4, Math.min(side, count - row * side) * high + 4];
      marks.push(mark(`tile-${row}-${column}`, "rect", { x, y, w, h, rx: 6, o }, { tone, enter: { o: 0 } }));
    }
  }
  words.forEach((text, i) => {
    const y = y0 + at(i, high);
    weights[i].slice(0, i + 1).forEach((weight, j) => {
      const seen = side ? TILES[tiles[Math.floor(i / side)][Math.floor(j / side)]].cells : 1;
      const to = { x: x0 + at(j, wide) + 1, y: y + 1, w: wide - 2, h: high - 2, rx: 3, o: (0.1 + 0.9 * weight) * seen };
      marks.push(mark(`cell-${i}-${j}`, "rect", to, { tone: "does" }));
    });
    if (tiny) return;
    marks.push(mark(`row-${i}`, "text", { x: x0 - 8, y: y + high / 2 + size * 0.34, size }, { text, anchor: "end", story: true }));
    if (headed) marks.push(mark(`column-${i}`, "text", { x: x0 + at(i, wide) + wide / 2, y: y0 - 8, size: size * 0.85 },
      { text, anchor: "middle", story: true, tone: "soft" }));
  });
  if (!below) return { marks, hits: /** @type {Hit[]} */ ([]) };
  const small = big ? 16 : 13;
  const widths = legend.map(([, text]) => small * 1.6 + ruler(text, small, false));
  let x = Math.max(0, (W - widths.reduce((sum, w) => sum + w, 0) - (legend.length - 1) * small * 1.4) / 2);
  legend.forEach(([state, text], n) => {
    const y = y0 + high * count + splits + small * 1.5;
    marks.push(mark(`legend-${state}`, "rect", { x, y: y - small * 0.85, w: small, h: small, rx: 3, o: Math.max(0.35, TILES[state].o) },
      { tone: TILES[state].tone }));
    const [inset, { cells }] = [small * 0.22, TILES[state]]; // a cell, as it is seen in such a tile
    if (cells) marks.push(mark(`legend-${state}-cell`, "rect",
      { x: x + inset, y: y - small * 0.85 + inset, w: small - 2 * inset, h: small - 2 * inset, rx: 2, o: 0.8 * cells }, { tone: "does" }));
    marks.push(mark(`legend-${state}-says`, "text", { x: x + small * 1.5, y, size: small }, { text, tone: "soft" }));
    x += widths[n] + small * 1.4;
  });
  return { marks, hits: /** @type {Hit[]} */ ([]) };
}
