// @ts-check
// Word by word: what each token takes with a cache and without, as areas.

import { takenBy } from "./counting.js";
import { TEXTS } from "./words.js";
import { amount, grouped } from "./written.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Spots} Spots */

export const COUNTS = { tokens: "tokens read", cells: TEXTS.pairsQueryKey, operations: "operations" };
const PANEL = 156;

/** What all tokens take: the prompt's pass, and each later token without a cache and with one. @param {State} state */
export function growthOf({ sizes, counted, prompt, steps }) {
  const taken = (/** @type {number} */ queries, /** @type {number} */ keys) => takenBy(sizes, queries, keys, counted);
  const places = Array.from({ length: steps }, (_, i) => prompt + 1 + i);
  const without = places.map((t) => taken(t, t));
  const cached = places.map((t) => taken(1, t));
  const sum = (/** @type {number[]} */ values) => values.reduce((all, value) => all + value, 0);
  return { prefill: taken(prompt, prompt), without, cached, totals: { without: sum(without), cached: sum(cached) } };
}

export function growthHeight() {
  return 2 * PANEL + 26;
}

/**
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {State} state
 * @param {number} width
 * @param {number} at a place in the text, from 1; 0 for none
 * @returns {Spots}
 */
export function drawGrowth(pen, theme, state, width, at) {
  const found = growthOf(state);
  const { prompt, steps } = state;
  const spot = { left: 8, right: width - 8, top: 0, bottom: 2 * PANEL, low: 0.5, high: prompt + steps + 0.5, log: false };
  const most = Math.max(found.prefill / prompt, ...found.without, ...found.cached);
  const panels = [
    { name: "without a cache", series: found.without, total: found.totals.without, color: theme.heads[1] },
    { name: "with a cache", series: found.cached, total: found.totals.cached, color: theme.heads[0] },
  ];
  const x = (/** @type {number} */ place) => spot.left + ((spot.right - spot.left) * (place - 0.5)) / (prompt + steps);
  panels.forEach(({ name, series, total, color }, k) => {
    const bottom = (k + 1) * PANEL;
    const y = (/** @type {number} */ value) => bottom - Math.max(1, (PANEL - 34) * (value / most));
    pen.rect(x(1), y(found.prefill / prompt), x(prompt + 1) - x(1), bottom - y(found.prefill / prompt), theme.heads[3]);
    const area = (/** @type {(value: number) => number} */ height) => `M${x(prompt + 1)} ${bottom}${series.map((value, i) => `V${height(value)}H${x(prompt + 2 + i)}`).join("")}V${bottom}Z`;
    const times = 10 ** Math.floor(Math.log10(most / Math.max(found.prefill / prompt, ...series)));
    if (times > 1) {
      const top = y((found.prefill / prompt) * times);
      pen.rect(x(1), top, x(prompt + 1) - x(1), bottom - top, theme.heads[3], null, { alpha: 0.3 });
      pen.shape(area((value) => y(value * times)), color, 0.3);
      pen.text(spot.right, bottom - PANEL + 14, TEXTS.faintTimesHigh(grouped(times)), { color: theme.muted, size: 11, align: "right" });
    }
    pen.shape(area(y), color);
    pen.line(spot.left, bottom, spot.right, bottom, theme.muted);
    pen.text(spot.left, bottom - PANEL + 14, `${name}: ${amount(total)}`, { color: theme.text, size: 13, weight: 600 });
    pen.text(spot.left, bottom - PANEL + 30, TEXTS.andForThe(amount(found.prefill)), { color: theme.muted, size: 11 });
    if (at) pen.rect(x(at), bottom - PANEL + 36, Math.max(1, x(at + 1) - x(at)), PANEL - 36, null, theme.primary);
  });
  pen.text(x(1), spot.bottom + 12, "1", { color: theme.muted, size: 10 });
  if (prompt > 1) pen.text(x(prompt + 1), spot.bottom + 12, `${grouped(prompt)} of the prompt`, { color: theme.muted, size: 10, align: prompt / (prompt + steps) > 0.3 ? "right" : "left" });
  pen.text(spot.right, spot.bottom + 12, `token ${grouped(prompt + steps)}`, { color: theme.muted, size: 10, align: "right" });
  return spot;
}

/**
 * The areas, or one token, in a sentence.
 * @param {State} state
 * @param {number} at
 */
export function growthSentence(state, at) {
  const found = growthOf(state);
  const { prompt, steps, counted } = state;
  const what = COUNTS[/** @type {keyof typeof COUNTS} */ (counted)];
  if (at > prompt) return TEXTS.tokenWithoutCache(grouped(at), amount(found.without[at - prompt - 1]), what, amount(found.cached[at - prompt - 1]));
  if (at) return TEXTS.tokensPromptRead(grouped(prompt), amount(found.prefill), what);
  const ratio = found.totals.without / found.totals.cached;
  return TEXTS.tokensAfterPrompt(grouped(steps), grouped(prompt), amount(found.totals.without), what, amount(found.totals.cached), ratio < 10 ? ratio.toFixed(1) : grouped(ratio));
}
