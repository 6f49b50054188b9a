// @ts-check
// The pictures of lessons by their names. Each is a pure function from width, height and options to marks and hit areas.

import { bars, odds } from "./bars.js";
import { clocks } from "./clocks.js";
import { grid } from "./grid.js";
import { handwritten } from "./handwritten.js";
import { cards, fan, rings } from "./heads.js";
import { tilemap } from "./map.js";
import { placed } from "./marks.js";
import { matrix } from "./matrix.js";
import { dots, numbers } from "./numbers.js";
import { pair } from "./pair.js";
import { plane } from "./plane.js";
import { steps } from "./steps.js";
import { strip } from "./strip.js";
import { tower } from "./tower.js";
import { tree } from "./tree.js";

/** @typedef {import("./marks.js").Picture} Picture */
/** @typedef {import("./marks.js").Ruler} Ruler */
/** @typedef {{ kind: string, share: number, options: any }} Part of a picture, which stand one above another: `share` of the height */

/** A page of the app, live. @param {number} _W @param {number} _H @param {{ link: string }} options @returns {Picture} */
const page = (_W, _H, { link }) => ({ marks: [], hits: [], frame: link });

/** @type {Record<string, (W: number, H: number, options: any, ruler: Ruler) => Picture>} */
const KINDS = { bars, cards, clocks, dots, fan, grid, handwritten, map: tilemap, matrix, numbers, odds, page, pair, plane, rings, steps, strip, tower, tree };

/**
 * All parts of a picture, one above another.
 * @param {number} W
 * @param {number} H
 * @param {Part[]} parts
 * @param {Ruler} ruler
 * @returns {Picture}
 */
export function composed(W, H, parts, ruler) {
  const whole = parts.reduce((sum, part) => sum + part.share, 0);
  /** @type {Picture} */
  const picture = { marks: [], hits: [] };
  let y = 0;
  parts.forEach(({ kind, share, options }, n) => {
    const height = (H * share) / whole;
    const before = parts.slice(0, n).filter((part) => part.kind === kind).length; // the second of a kind has keys of its own
    const { marks, hits, range, frame } = placed(KINDS[kind](W, height, options, ruler), before ? `${kind}-${before + 1}` : kind, y);
    picture.marks.push(...marks);
    picture.hits.push(...hits);
    picture.range ??= range;
    picture.frame ??= frame;
    y += height;
  });
  return picture;
}
