// @ts-check
// A picture of nine handwritten digits, once or several times: where somebody looks in it, what is marked, and what is said of its cells.

import { mark } from "./marks.js";

/** @typedef {import("./marks.js").Hit} Hit */
/** @typedef {import("./marks.js").Mark} Mark */
/** @typedef {import("./marks.js").Ruler} Ruler */
/** @typedef {import("./marks.js").Look} Look */
/**
 * The picture once: `shades` of its 9 cells or 36 patches, from 0 to 1; by cell `shares` that are written, and what is said in it, loud or not;
 * the cells that are `lit`.
 * @typedef {{ id: string, label: string, shades: number[], shares: [number, number][], says: [number, string, boolean][], lit: number[], tone: string }} Panel
 */
/**
 * Nine `cells` as 64 letters each, from paper to ink, or "" where one is empty; their `names` for who hears them. Cells to `press` say what they
 * `offer`; `picked` is the one that was pressed.
 * @typedef {{ cells: string[], panels: Panel[], names: string[], press: number[], offer: string, picked?: number | null, verb: string }} Handwritten
 */

const [LEVELS, SIDE, STEPS] = ["0123456789abcdefg", 8, 4]; // letters of a pixel, pixels of a side, and shades of ink that are drawn

/** The pixels of each shade of ink as an outline, in pixels from the middle. @param {string} cell */
function outlines(cell) {
  const found = Array.from({ length: STEPS }, () => "");
  [...cell].forEach((letter, at) => {
    const shade = Math.ceil((LEVELS.indexOf(letter) * STEPS) / (LEVELS.length - 1)) - 1;
    if (shade >= 0) found[shade] += `M${(at % SIDE) - SIDE / 2} ${Math.floor(at / SIDE) - SIDE / 2}h1.03v1.03h-1.03z`;
  });
  return found;
}

/** As large as they fit, in so many columns. @param {number} count @param {number} W @param {number} H @param {number} below what a label takes */
function fitted(count, W, H, below) {
  const side = (/** @type {number} */ columns) => Math.min(W / columns - (count > 1 ? 14 : 0), H / Math.ceil(count / columns) - below, 400);
  const columns = Array.from({ length: count }, (_, n) => n + 1).reduce((best, one) => (side(one) > side(best) ? one : best), 1);
  return { columns, side: side(columns) };
}

/** @param {number} W @param {number} H @param {Handwritten} options @param {Ruler} ruler */
export function handwritten(W, H, { cells, panels, names, press = [], offer, picked = null, verb }, ruler) {
  const tiny = W < 260;
  const size = tiny ? 0 : W > 600 && panels.length < 4 ? 20 : 15;
  const edge = tiny ? 4 : 10;
  const below = panels.some(({ label }) => label) && !tiny ? size * 1.7 : 0;
  const { columns, side } = fitted(panels.length, W, H - 2 * edge, below);
  const [cell, high] = [side / 3, (H - 2 * edge) / Math.ceil(panels.length / columns)];
  const type = Math.max(12, Math.min(size * 0.9, cell * 0.24));
  /** @type {Mark[]} */
  const marks = [];
  /** @type {Hit[]} */
  const hits = [];
  panels.forEach(({ id, label, shades, shares, says, lit, tone }, n) => {
    const line = Math.floor(n / columns);
    const left = (W - Math.min(columns, panels.length - line * columns) * (side + 14) + 14) / 2 + (n % columns) * (side + 14);
    const top = edge + high * line + Math.max(0, (high - side - below) / 2);
    const place = (/** @type {number} */ at, /** @type {number} */ of) =>
      ({ x: left + (at % of) * (side / of), y: top + Math.floor(at / of) * (side / of), wide: side / of });
    const say = (/** @type {string} */ key, /** @type {string} */ text, /** @type {number} */ x, /** @type {number} */ y, /** @type {Look} */ look) => {
      if (!tiny) marks.push(mark(`${id}-${key}`, "text", { x, y, size: type }, { text, weight: 600, ...look }));
    };
    const box = (/** @type {string} */ key, /** @type {number} */ at, /** @type {number} */ grow, /** @type {number} */ o, /** @type {string} */ colour) => {
      const { x, y, wide } = place(at, 3);
      marks.push(mark(`${id}-${key}-${at}`, "rect", { x: x - grow, y: y - grow, w: wide + 2 * grow, h: wide + 2 * grow, rx: 4, o }, { tone: colour }));
    };
    const plate = (/** @type {string} */ key, /** @type {string} */ text, /** @type {number} */ x, /** @type {number} */ y) => {
      if (!tiny) marks.push(mark(`${id}-${key}-plate`, "rect", { x, y, w: ruler(text, type, false) + type * 0.6, h: type * 1.3, rx: 4, o: 0.85 },
        { tone: "paper" }));
    };
    for (let at = 0; at < cells.length; at++) {
      if (lit.includes(at)) box("lit", at, tiny ? 1 : 3, 1, "does");
      else if (at === picked) box("picked", at, 2, 0.5, "soft");
      box("paper", at, -1, 1, "paper");
      box("cell", at, -1, 0.09, press.includes(at) ? "does" : "ink");
    }
    const parts = Math.sqrt(shades.length);
    shades.forEach((shade, at) => {
      if (shade < 0.02) return;
      const { x, y, wide } = place(at, parts);
      marks.push(mark(`${id}-shade-${at}`, "rect", { x: x + 1.5, y: y + 1.5, w: wide - 3, h: wide - 3, rx: 3, o: 0.75 * shade }, { tone, enter: { o: 0 } }));
    });
    /** @type {Map<string, number>} */
    const seen = new Map();
    cells.forEach((ink, at) => {
      const [{ x, y, wide }, again] = [place(at, 3), seen.get(ink) ?? 0];
      seen.set(ink, again + 1);
      if (ink) outlines(ink).forEach((path, shade) => path
        && marks.push(mark(`${id}-${ink}-${again}-${shade}`, "ink", { x: x + wide / 2, y: y + wide / 2, size: (wide - 6) / SIDE, o: (shade + 0.7) / STEPS },
        { tone: "ink", path })));
      else if (press.includes(at) && offer) say(`offer-${at}`, offer, x + wide / 2, y + wide / 2 + type * 0.35, { tone: "soft", anchor: "middle" });
      if (press.includes(at) && !n) hits.push({ key: String(at), label: `${verb} ${names[at]}`, x, y, w: wide, h: wide });
    });
    for (const [at, share] of shares) {
      const { x, y } = place(at, 3);
      plate(`share-${at}`, "100%", x + 4, y + 4);
      if (!tiny) marks.push(mark(`${id}-share-${at}`, "text", { x: x + 4 + type * 0.3, y: y + 4 + type, size: type, share },
        { tone, weight: 650, enter: { share: 0 } }));
    }
    for (const [at, text, loud] of says) {
      const { x, y, wide } = place(at, 3);
      plate(`says-${at}`, text, x + wide - 4 - type * 0.6 - ruler(text, type, false), y + wide - 4 - type * 1.3);
      say(`says-${at}`, text, x + wide - 4 - type * 0.3, y + wide - 4 - type * 0.3, { anchor: "end", tone: loud ? tone : "soft", weight: loud ? 700 : 400 });
    }
    if (below) marks.push(mark(`${id}-label`, "text", { x: left + side / 2, y: top + side + size * 1.25,
      size: Math.min(size, (size * side) / Math.max(1, ruler(label, size, true) * 1.1)) }, { text: label, anchor: "middle", story: true }));
  });
  return { marks, hits };
}
