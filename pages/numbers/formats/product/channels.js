// @ts-check
// Channels as dots, and what one scale for a whole matrix does: to sizes, and to the error.

import { _ } from "#canvas/language.js";
import { digits, minus } from "#canvas/text.js";
import { fade } from "#canvas/theme.js";
import { decibels, heading } from "./map.js";
import { bySize } from "./rounding.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Box} Box */

const BINS = 64; // of sizes, four to a doubling
const MOST_DB = 100; // drawn where nothing is lost

/**
 * Where the dots of channels lie: sizes in doublings across, decibels up.
 * @param {View} v
 * @param {Box} box
 */
function dotPlaces(v, box) {
  const [loud, kept, plain] = ["loud", "kept", "plain"].map((name) => v.arrays[`${v.place.see}_${name}`]);
  const sizes = Array.from(loud, (value) => Math.log2(value));
  const there = sizes.filter(Number.isFinite);
  const [low, high] = [Math.min(...there, 0) === 0 && !there.length ? -1 : Math.min(...there), there.length ? Math.max(...there) : 1];
  const levels = [...kept, ...plain].filter(Number.isFinite);
  const bottom = Math.min(0, ...levels.map((level) => Math.max(level, -20)));
  const top = Math.max(20, ...levels.map((level) => Math.min(level, MOST_DB))) + 3;
  const across = (/** @type {number} */ size) => box.x + ((size - low + 0.3) / (high - low + 0.6)) * box.w;
  const up = (/** @type {number} */ level) => box.y + box.h - ((Math.max(bottom, Math.min(level, top)) - bottom) / (top - bottom)) * box.h;
  return { loud, kept, plain, sizes, low, high, bottom, top, across, up };
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Box} box
 * @param {Theme} theme
 */
export function drawDots(pen, v, box, theme) {
  const at = dotPlaces(v, box);
  const { per } = v.header;
  heading(pen, box, theme, v.place.see === "x" ? _("SQNR of each channel, by its loudest number") : _("SQNR of each output, by its loudest number"));
  const every = at.top - at.bottom > 60 ? 20 : 10;
  for (let level = Math.ceil(at.bottom / every) * every; level < at.top; level += every) {
    pen.line(box.x, at.up(level), box.x + box.w, at.up(level), theme.faint);
    pen.text(box.x - 4, at.up(level), axisNumber(level), { color: theme.muted, align: "right" });
  }
  const span = at.high - at.low;
  const step = span < 2.5 ? 0.5 : Math.max(1, Math.ceil(span / 7));
  for (let size = Math.ceil(at.low / step) * step; size <= at.high; size += step)
    pen.text(at.across(size), box.y + box.h + 12, axisNumber(2 ** size), { color: theme.muted, align: "center" });
  const [one, chosen] = [theme.muted, theme.primary];
  at.sizes.forEach((size, i) => {
    if (!Number.isFinite(size)) return;
    if (!Number.isNaN(at.plain[i])) pen.circle(at.across(size), at.up(at.plain[i]), 2, per === "tensor" ? chosen : one, 0.55);
    if (per !== "tensor" && !Number.isNaN(at.kept[i])) pen.circle(at.across(size), at.up(at.kept[i]), 2, chosen, 0.75);
  });
  const { block } = v.header;
  const name = { tensor: "", channel: { x: _("per token"), w: _("per output"), o: _("per channel") }[v.place.see], block: _("per {block}", { block }),
    mx: _("per {block}, powers of 2", { block }) }[per];
  const y = box.y + box.h + 26;
  pen.circle(box.x + 4, y, 3, per === "tensor" ? chosen : one);
  pen.text(box.x + 12, y, _("one scale for all"), { color: theme.muted });
  if (!name) return;
  pen.circle(box.x + 114, y, 3, chosen);
  pen.text(box.x + 122, y, name, { color: theme.muted });
}

/** @param {View} v */
export function sampleOf(v) {
  const name = v.place.see === "o" ? "x" : v.place.see;
  const { tail, weight, scale } = v.header.sides[name];
  return { name, values: v.arrays[`${name}_sample`], tail, weight, scale };
}

// --- one scale for all: sizes and error -----------------------------------------------------------

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Box} box
 * @param {Theme} theme
 */
export function drawSizes(pen, v, box, theme) {
  const sample = sampleOf(v);
  const { format } = v.header;
  const { top, shares } = bySize(sample, BINS);
  const low = top - BINS / 4;
  const right = top + 1.6;
  const across = (/** @type {number} */ size) => box.x + ((Math.max(low, Math.min(size, right)) - low) / (right - low)) * box.w;
  heading(pen, box, theme, _("Sizes in {name} under one scale for all", { name: sample.name.toUpperCase() }));
  const scale = Math.log2(sample.scale) + v.place.factor;
  const [zero, normal, most] = [format.smallest / 2, format.smallest_normal, format.largest].map((limit) => Math.log2(limit) - scale);
  const span = (/** @type {number} */ from, /** @type {number} */ to, /** @type {string} */ color, /** @type {string} */ name) => {
    const [a, b] = [across(from), across(to)];
    if (b - a < 1) return;
    pen.rect(a, box.y, b - a, box.h, fade(color, 0.16));
    if (b - a > 6.5 * name.length) pen.text((a + b) / 2, box.y + 9, name, { color: theme.muted, align: "center" });
  };
  span(low, zero, ALARM, _("rounded to 0"));
  if (!format.integer) span(zero, normal, WARM, _("few bits"));
  span(most, right, ALARM, _("cut"));
  const tallest = Math.max(...shares);
  shares.forEach((share, i) => {
    const a = across(low + i / 4);
    const height = (share / tallest) * (box.h - 16);
    pen.rect(a, box.y + box.h - height, across(low + (i + 1) / 4) - a - 0.5, height, theme.primary, null, { alpha: 0.8 });
  });
  pen.line(box.x, box.y + box.h, box.x + box.w, box.y + box.h, theme.muted);
  for (let size = Math.ceil(low / 3) * 3; size < right; size += 3)
    pen.text(across(size), box.y + box.h + 12, axisNumber(2 ** size), { color: theme.muted, align: "center" });
}

const ALARM = "#d32f22";
const WARM = "#c77700";

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Box} box
 * @param {Theme} theme
 */
export function drawCurve(pen, v, box, theme) {
  const curve = v.curves.get(v.place.see === "o" ? "x" : v.place.see);
  if (!curve) return;
  const [least, most] = v.header.range;
  const known = curve.sqnr.filter(Number.isFinite);
  const [bottom, top] = [Math.min(0, ...known), Math.max(...known, 10) * 1.12];
  const across = (/** @type {number} */ factor) => box.x + ((factor - least) / (most - least)) * box.w;
  const up = (/** @type {number} */ level) => box.y + box.h - ((Math.min(level, top) - bottom) / (top - bottom)) * box.h;
  heading(pen, box, theme, _("SQNR by that scale"), _("best {level}", { level: decibels(curve.sqnr[curve.best]) }));
  const every = top > 60 ? 20 : 10;
  for (let level = Math.ceil(bottom / every) * every; level < top; level += every) {
    pen.line(box.x, up(level), box.x + box.w, up(level), theme.faint);
    pen.text(box.x - 4, up(level), axisNumber(level), { color: theme.muted, align: "right" });
  }
  const path = curve.doublings.map((factor, i) => `${i ? "L" : "M"}${across(factor)} ${up(curve.sqnr[i])}`).join("");
  pen.path(path, theme.primary, 2);
  pen.circle(across(curve.doublings[curve.best]), up(curve.sqnr[curve.best]), 4, theme.primary);
  pen.line(across(v.place.factor), box.y, across(v.place.factor), box.y + box.h, theme.text, { width: 1.5, dash: "4 3" });
  for (let factor = least; factor <= most; factor += 2) pen.text(
    across(factor), box.y + box.h + 12, factor === 0 ? _("none cut") : factor > 0 ? `×${2 ** factor}` : `÷${2 ** -factor}`,
    { color: theme.muted, align: factor === most ? "right" : "center" });
}

/**
 * @param {View} v
 * @param {number} x
 * @param {number} y
 */
export function dotSentence(v, x, y) {
  const at = dotPlaces(v, v.layout.dots);
  let [best, near] = [-1, 100];
  at.sizes.forEach((size, i) => {
    if (!Number.isFinite(size) || Number.isNaN(at.kept[i])) return;
    const distance = (at.across(size) - x) ** 2 + (at.up(at.kept[i]) - y) ** 2;
    if (distance < near) [best, near] = [i, distance];
  });
  if (best < 0) return "";
  const beside = v.header.per === "tensor" ? "" : _(", {plain} with one scale for all", { plain: decibels(at.plain[best]) });
  const values = { at: v.arrays[`${v.place.see}_numbers`][best], largest: digits(at.loud[best], 3), level: decibels(at.kept[best]), beside };
  return v.place.see === "x" ? _("channel {at}: largest {largest}, {level}{beside}", values) : _("output {at}: largest {largest}, {level}{beside}", values);
}

/**
 * A number beneath an axis, in two digits: 0.13, 20, 4100.
 * @param {number} value
 */
function axisNumber(value) {
  return minus(String(Number(value.toPrecision(2))));
}
