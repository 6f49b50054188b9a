// @ts-check
// Word by word: what each token takes with a cache and without, as areas.

import { takenBy } from "./counting.js";
import { _ } from "#canvas/language.js";
import { amount, grouped } from "./written.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./view.js").State} State */
/** @typedef {import("./view.js").Spots} Spots */

export const countNames = () => ({ tokens: _("tokens read"), cells: _("pairs of query and key"), operations: _("operations") });
const PANEL = 156;

/** What all tokens take: the prompt's pass, and each later token without a cache and with one. @param {State} state */
export function growthOf({ sizes, counted, prompt, steps }) {
  const taken = (/** @type {number} */ queries, /** @type {number} */ keys) => takenBy(sizes, queries, keys, counted);
  const places = Array.from({ length: steps }, (_none, i) => prompt + 1 + i);
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
    { name: _("without a cache"), series: found.without, total: found.totals.without, color: theme.heads[1] },
    { name: _("with a cache"), series: found.cached, total: found.totals.cached, color: theme.heads[0] },
  ];
  const x = (/** @type {number} */ place) => spot.left + ((spot.right - spot.left) * (place - 0.5)) / (prompt + steps);
  panels.forEach(({ name, series, total, color }, k) => {
    const bottom = (k + 1) * PANEL;
    const y = (/** @type {number} */ value) => bottom - Math.max(1, (PANEL - 34) * (value / most));
    pen.rect(x(1), y(found.prefill / prompt), x(prompt + 1) - x(1), bottom - y(found.prefill / prompt), theme.heads[3]);
    const area = (/** @type {(value: number) => number} */ height) =>
      `M${x(prompt + 1)} ${bottom}${series.map((value, i) => `V${height(value)}H${x(prompt + 2 + i)}`).join("")}V${bottom}Z`;
    const times = 10 ** Math.floor(Math.log10(most / Math.max(found.prefill / prompt, ...series)));
    if (times > 1) {
      const top = y((found.prefill / prompt) * times);
      pen.rect(x(1), top, x(prompt + 1) - x(1), bottom - top, theme.heads[3], null, { alpha: 0.3 });
      pen.shape(area((value) => y(value * times)), color, 0.3);
      pen.text(spot.right, bottom - PANEL + 14, _("faint: drawn {times} times as high", { times: grouped(times) }),
        { color, size: 12, weight: 600, align: "right" });
    }
    pen.shape(area(y), color);
    pen.line(spot.left, bottom, spot.right, bottom, theme.muted);
    pen.text(spot.left, bottom - PANEL + 14, `${name}: ${amount(total)}`, { color: theme.text, size: 13, weight: 600 });
    pen.text(spot.left, bottom - PANEL + 30, _("and {prefill} for the prompt", { prefill: amount(found.prefill) }), { color: theme.muted, size: 11 });
    if (at) pen.rect(x(at), bottom - PANEL + 36, Math.max(1, x(at + 1) - x(at)), PANEL - 36, null, theme.primary);
  });
  pen.text(x(1), spot.bottom + 12, "1", { color: theme.muted, size: 10 });
  if (prompt > 1) pen.text(x(prompt + 1), spot.bottom + 12, _("{prompt} of the prompt", { prompt: grouped(prompt) }),
    { color: theme.muted, size: 10, align: prompt / (prompt + steps) > 0.3 ? "right" : "left" });
  pen.text(spot.right, spot.bottom + 12, _("token {at}", { at: grouped(prompt + steps) }), { color: theme.muted, size: 10, align: "right" });
  return spot;
}

/**
 * One token in a sentence; what all come to is said above the picture.
 * @param {State} state
 * @param {number} at
 */
export function growthSentence(state, at) {
  const found = growthOf(state);
  const { prompt, counted } = state;
  const what = /** @type {Record<string, string>} */ (countNames())[counted];
  if (at > prompt) return _("Token {at}: {without} {what} without a cache, {cached} with one.",
    { at: grouped(at), without: amount(found.without[at - prompt - 1]), what, cached: amount(found.cached[at - prompt - 1]) });
  if (at) return _("Tokens 1 to {prompt} are the prompt, read at once in either case: {prefill} {what}.",
    { prompt: grouped(prompt), prefill: amount(found.prefill), what });
  return "";
}
