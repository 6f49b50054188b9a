// @ts-check
// Bars from 0 to 100%, and the way from a word's score to its share.

import { _ } from "#canvas/language.js";
import { mark, percent } from "./marks.js";

/** @typedef {import("./marks.js").Mark} Mark */
/** @typedef {import("./marks.js").Ruler} Ruler */
/** @typedef {{ id: string, label: string, share: number | null, tone: string, guess?: number | null,
 * says?: string }} Row a `share` that is not told yet is null; `says` stands in place of its per cent */
/** @typedef {{ score: number, rest: number, value: number, scored: string, sure: string }} Odds a word's score, log-sum-exp of all others',
 * and where the slider is, from 0 to 100 */

/** @param {number} W @param {number} H @param {{ rows: Row[], step?: number, head?: string }} options @param {Ruler} ruler */
export function bars(W, H, { rows, step: most = 50, head = "" }, ruler) {
  const [big, tiny] = [W > 600, W < 260];
  const size = tiny ? 13 : big ? 22 : 17;
  const left = tiny ? 2 : Math.max(...rows.map((row) => ruler(row.label, size, true))) + 16;
  const right = tiny ? 2 : Math.max(big ? 102 : 68, ...rows.map(({ says }) => 24 + 1.08 * ruler(says ?? "", size, false)));
  const wide = Math.min(760, W - left - right - (big ? 80 : 0));
  const x0 = (W - left - wide - right) / 2 + left;
  const above = head ? (tiny ? 18 : 1.3 * size) : 0;
  const step = Math.min(big ? most : 0.88 * most, (H - above) / rows.length);
  const thick = tiny ? 7 : 14;
  /** @type {Mark[]} */
  const marks = [];
  let range;
  const top = (H + above - rows.length * step) / 2; // of the rows
  if (head) marks.push(mark("head", "text", { x: x0, y: top - (tiny ? 5 : 3), size: tiny ? 13 : size * 0.8 }, { text: head, tone: "soft" }));
  rows.forEach(({ id, label, share, tone, guess, says }, n) => {
    const y = (H + above) / 2 + (n - (rows.length - 1) / 2) * step + (tiny ? 8 : 0);
    const base = tiny ? y - 9 : y + size * 0.34; // of the words: where there is no room beside a bar, above it
    marks.push(mark(`${id}-rail`, "rect", { x: x0, y: y - 1, w: wide, h: 2, rx: 1 }, { tone: "line" }));
    const beside = tiny ? (wide - ruler(says ?? "100%", size, false) - 8) / Math.max(1, ruler(label, size, true)) : 1; // no label runs into what is said
    marks.push(mark(`${id}-name`, "text", { x: tiny ? x0 : x0 - 14, y: base, size: size * Math.min(1, beside) },
      { text: label, anchor: tiny ? "start" : "end", story: true }));
    const end = { x: tiny ? x0 + wide : x0 + wide + 20, y: base, size };
    const anchor = tiny ? "end" : "start";
    if (share === null) marks.push(mark(`${id}-none`, "text", end, { text: "?", weight: 600, tone: "soft", anchor }));
    else {
      marks.push(mark(id, "rect", { x: x0, y: y - thick / 2, w: Math.max(3, wide * share), h: thick, rx: thick / 2 },
        { tone, enter: { w: 0 }, delay: 90 * n, time: 900 }));
      marks.push(says === undefined
        ? mark(`${id}-share`, "text", { ...end, share }, { weight: 600, tone, anchor, enter: { share: 0 }, delay: 90 * n, time: 900 })
        : mark(`${id}-says`, "text", end, { weight: 600, tone, anchor, text: says }));
    }
    range ??= { x: x0, y, w: wide };
    if (guess === null || guess === undefined) return;
    marks.push(mark(`${id}-guess`, "rect", { x: x0 + wide * guess - 1.5, y: y - 16, w: 3, h: 32, rx: 1.5 }, { tone: "soft" }));
    const said = _("you: {share}", { share: percent(guess) });
    marks.push(mark(`${id}-guessed`, "text", { x: x0 + wide * guess, y: y - 26, size: big ? 17 : 15 }, { text: said, anchor: "middle", tone: "soft" }));
  });
  return { marks, hits: /** @type {import("./marks.js").Hit[]} */ ([]), range };
}

/** The share of a word with this score among words whose log-sum-exp is `rest`. @param {number} score @param {number} rest */
export const shareOf = (score, rest) => 1 / (1 + Math.exp(rest - score));

/** The score at which the slider stands. @param {Odds} odds */
export const scoreAt = ({ score, value }) => (score * value) / 100;

/** @param {number} W @param {number} H @param {Odds} odds @param {Ruler} ruler */
export function odds(W, H, odds, ruler) {
  const score = scoreAt(odds);
  const sure = shareOf(score, odds.rest);
  return bars(W, H, { step: 100, rows: [
    { id: "score", label: odds.scored, share: odds.value / 100, tone: "soft", says: score.toFixed(1) },
    { id: "sure", label: odds.sure, share: sure, tone: "ink" },
  ] }, ruler);
}
