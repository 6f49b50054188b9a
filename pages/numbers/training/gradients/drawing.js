// @ts-check
// The three pictures: gradients by size over a format's range, shares against the scale, and a cell for every tensor.

import { _ } from "#canvas/language.js";
import { fade } from "#canvas/theme.js";
import { barsAt, FATES, fatesAt } from "./fates.js";
import { powerOfTwo } from "./sentences.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").Sizes} Sizes */
/** @typedef {import("./types").Format} Format */
/** @typedef {import("./types").Grid} Grid */
/** @typedef {import("./types").Header} Header */

export const SIZES_HEIGHT = 214;
export const CURVE_HEIGHT = 122;
const [LEFT, RIGHT] = [38, 8];
const APART = 8; // from the blocks' rows to that of tensors outside them

/**
 * @param {Theme} theme
 * @returns {Record<import("./fates.js").Fate, string>}
 */
export function fateColors(theme) {
  return { lost: "#d32f22", subnormal: "#e0962a", normal: theme.primary, overflow: "#8a5fc0" };
}

/**
 * The range of exponents of the histogram's axis: what there is without a scale, and the format's own range.
 * @param {Sizes} whole
 * @param {Format} format
 */
export function range(whole, { limits }) {
  const high = whole.lowest + whole.counts.length / whole.columns;
  return { low: Math.min(limits.lost, whole.lowest) - 2, high: Math.max(limits.top, high) + 4 };
}

/**
 * Gradients times S by size. What lies beyond an end of the axis is counted at that end.
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {{ sizes: Sizes, whole: Sizes, format: Format, k: number, width: number }} what
 */
export function drawSizes(pen, theme, { sizes, whole, format, k, width }) {
  const { low, high } = range(whole, format);
  const { limits } = format;
  const colors = fateColors(theme);
  const [top, base, right] = [30, SIZES_HEIGHT - 32, width - RIGHT];
  const x = (/** @type {number} */ e) => LEFT + ((e - low) / (high - low)) * (right - LEFT);
  const bars = new Map();
  for (const bar of barsAt(sizes, limits, k)) {
    const at = Math.max(low, Math.min(high - 1, bar.exponent));
    const there = bars.get(at) ?? { lost: 0, subnormal: 0, normal: 0, overflow: 0 };
    for (const fate of FATES) there[fate] += bar[fate];
    bars.set(at, there);
  }
  const total = Math.max(1, fatesAt(sizes, limits, k).total);
  const most = Math.max(1e-9, ...[...bars.values()].map((bar) => FATES.reduce((sum, fate) => sum + bar[fate], 0)));
  const y = (/** @type {number} */ count) => base - (count / most) * (base - top);
  drawRange(pen, theme, { limits, x, low, high, top, base });
  const wide = Math.max(1, x(1) - x(0) - 1);
  for (const [exponent, bar] of bars) {
    let below = 0;
    for (const fate of FATES) {
      if (bar[fate]) pen.rect(x(exponent), y(below + bar[fate]), wide, Math.max(0.5, y(below) - y(below + bar[fate])), colors[fate]);
      below += bar[fate];
    }
  }
  pen.line(LEFT, base, right, base, theme.muted);
  const step = [2, 5, 10, 20, 50].find((each) => (right - LEFT) / ((high - low) / each) > 42) ?? 50;
  for (let e = Math.ceil(low / step) * step; e <= high; e += step) {
    pen.line(x(e), base, x(e), base + 4, theme.muted);
    pen.text(x(e), base + 12, powerOfTwo(e), { align: "center", color: theme.muted, size: 10 });
  }
  pen.text((LEFT + right) / 2, SIZES_HEIGHT - 7, k ? _("size of a gradient times S") : _("size of a gradient"), { align: "center", color: theme.muted });
  pen.text(LEFT - 4, y(most), `${((100 * most) / total).toFixed(0)}%`, { align: "right", color: theme.muted, size: 10 });
  pen.text(LEFT - 4, base, "0", { align: "right", color: theme.muted, size: 10 });
}

/**
 * The format's ranges as shaded spans with their names.
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {{ limits: import("./types").Limits, x: (e: number) => number, low: number, high: number, top: number, base: number }} place
 */
function drawRange(pen, theme, { limits, x, low, high, top, base }) {
  const colors = fateColors(theme);
  const spans = /** @type {[import("./fates.js").Fate, string, number, number][]} */ (
    [["lost", _("lost"), low, limits.lost], ["subnormal", _("subnormal"), limits.lost, limits.normal + 1],
    ["normal", _("normal"), limits.normal + 1, limits.top + 1], ["overflow", _("too large"), limits.top + 1, high]]);
  for (const [fate, name, from, to] of spans) {
    pen.rect(x(from), top - 16, x(to) - x(from), base - top + 16, fade(colors[fate], fate === "normal" ? 0.05 : 0.11));
    if (x(to) - x(from) > 6.2 * name.length) pen.text((x(from) + x(to)) / 2, top - 8, name, { align: "center", color: theme.muted, size: 11 });
  }
  for (const [e, name] of /** @type {[number, string][]} */ ([[limits.lost + 1, _("smallest")], [limits.normal + 1, _("smallest normal")]])) {
    pen.line(x(e), top - 16, x(e), base, theme.muted, { dash: "3 3" });
    pen.text(x(e), 6, `${name} ${powerOfTwo(e)}`, { align: e === limits.normal + 1 ? "left" : "right", color: theme.muted, size: 10 });
  }
}

/**
 * The scale at a place of the curve.
 * @param {number} x
 * @param {number} width
 * @param {[number, number]} scales
 */
export function scaleAt(x, width, [first, last]) {
  const k = Math.round(first + ((x - LEFT) / (width - RIGHT - LEFT)) * (last - first));
  return Math.max(first, Math.min(last, k));
}

/**
 * Shares lost, subnormal and too large for every scale, and the scale that is chosen.
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {{ sizes: Sizes, format: Format, k: number, width: number, scales: [number, number], safe: [number, number] | null }} what
 */
export function drawCurve(pen, theme, { sizes, format, k, width, scales, safe }) {
  const [first, last] = scales;
  const [top, base, right] = [8, CURVE_HEIGHT - 30, width - RIGHT];
  const x = (/** @type {number} */ at) => LEFT + ((at - first) / (last - first)) * (right - LEFT);
  const y = (/** @type {number} */ share) => base - share * (base - top);
  if (safe) {
    pen.rect(x(safe[0]) - 1, top, x(safe[1]) - x(safe[0]) + 2, base - top, fade(theme.primary, 0.14));
    if (x(safe[1]) - x(safe[0]) > 30) pen.text((x(safe[0]) + x(safe[1])) / 2, top + 8, _("safe"), { align: "center", color: theme.muted, size: 10 });
  }
  const colors = fateColors(theme);
  const found = Array.from({ length: last - first + 1 }, (_k, i) => fatesAt(sizes, format.limits, first + i));
  for (const fate of FATES) {
    if (fate === "normal") continue;
    const d = found.map((each, i) => `${i ? "L" : "M"}${x(first + i)} ${y(each.total ? each[fate] / each.total : 0)}`).join("");
    pen.path(d, colors[fate], 2);
  }
  pen.line(LEFT, base, right, base, theme.muted);
  for (const share of [0, 0.5, 1]) pen.text(LEFT - 4, y(share), `${100 * share}%`, { align: "right", color: theme.muted, size: 10 });
  for (let at = Math.ceil(first / 8) * 8; at <= last; at += 8) {
    pen.line(x(at), base, x(at), base + 4, theme.muted);
    pen.text(x(at), base + 12, powerOfTwo(at), { align: "center", color: theme.muted, size: 10 });
  }
  pen.text((LEFT + right) / 2, CURVE_HEIGHT - 6, _("scale S of the loss"), { align: "center", color: theme.muted });
  pen.line(x(k), top - 4, x(k), base, theme.text, { width: 1.5 });
  pen.shape(`M${x(k) - 5} ${top - 8}H${x(k) + 5}L${x(k)} ${top + 1}Z`, theme.text);
}

/**
 * The figure that is saved: both panels at the left, and the grid of tensors beside them.
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {{ header: Header, sizes: Sizes, whole: Sizes, parts: Sizes[], format: Format, k: number, part: string, safe: [number, number] | null,
 *   width: number }} what
 */
export function drawAll(pen, theme, what) {
  const wide = Math.round(0.58 * what.width);
  drawSizes(pen, theme, { ...what, width: wide });
  pen.shifted(0, SIZES_HEIGHT + 6, () => drawCurve(pen, theme, { ...what, scales: what.header.scales, width: wide }));
  const grid = gridOf(what.header, what.width - wide - 20, SIZES_HEIGHT + CURVE_HEIGHT - 20);
  pen.shifted(wide + 20, 0, () => drawGrid(pen, theme, { ...what, grid, hover: -1 }));
}

/**
 * Where the cells of the grid lie.
 * @param {Header} header
 * @param {number} width
 * @param {number} tall pixels that it should fill
 * @returns {Grid}
 */
export function gridOf(header, width, tall) {
  const left = Math.max(...header.rows.map((row) => row.length)) * 6.2 + 6;
  const along = (/** @type {string[]} */ names) => Math.max(0, ...names.map((name) => name.length)) * 4.4 + 12; // of names that lie aslant
  const top = along(header.names);
  const below = header.outside.length ? APART + along(header.outside) : 0;
  const cell = Math.min(34, (width - left - 34) / Math.max(1, header.names.length));
  const high = Math.max(9, Math.min(34, (tall - top - below) / header.rows.length));
  return { left, top, cell, tall: high, width, height: top + high * header.rows.length + below + 4 };
}

/**
 * Where a row begins.
 * @param {Header} header
 * @param {Grid} grid
 * @param {number} row
 */
function rowTop(header, grid, row) {
  return grid.top + row * grid.tall + (header.outside.length && row === header.rows.length - 1 ? APART : 0);
}

/**
 * The part at a point, or −1.
 * @param {Header} header
 * @param {Grid} grid
 * @param {number} x
 * @param {number} y
 */
export function partAt(header, grid, x, y) {
  const column = Math.floor((x - grid.left) / grid.cell);
  const row = header.rows.findIndex((_name, each) => y >= rowTop(header, grid, each) && y < rowTop(header, grid, each) + grid.tall);
  return header.parts.findIndex((part) => part.row === row && part.column === column);
}

/**
 * A cell for every tensor: red from below what is lost, then subnormal, normal and too large.
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {{ header: Header, grid: Grid, parts: Sizes[], format: Format, k: number, part: string, hover: number }} what
 */
export function drawGrid(pen, theme, { header, grid, parts, format, k, part, hover }) {
  const colors = fateColors(theme);
  const place = (/** @type {number} */ row, /** @type {number} */ column) => [grid.left + column * grid.cell, rowTop(header, grid, row)];
  header.names.forEach((name, column) => pen.text(grid.left + (column + 0.5) * grid.cell, grid.top - 4, name, { rotate: -0.9, color: theme.muted, size: 10 }));
  const under = rowTop(header, grid, header.rows.length - 1) + grid.tall;
  header.outside.forEach((name, column) => pen.text(grid.left + (column + 0.3) * grid.cell, under + 6, name, { rotate: 0.9, color: theme.muted, size: 10 }));
  pen.text(grid.left - 5, grid.top - 7, _("layer"), { align: "right", color: theme.muted, size: 10 });
  const every = Math.ceil(11 / grid.tall);
  header.rows.forEach((name, row) => (row % every === 0 || place(row, 0)[1] > grid.top + row * grid.tall)
    && pen.text(grid.left - 5, place(row, 0)[1] + grid.tall / 2, name, { align: "right", color: theme.muted, size: 10 }));
  header.parts.forEach((each, i) => {
    const [x, y] = place(each.row, each.column);
    const [wide, tall] = [grid.cell - 2, grid.tall - 2];
    const fates = fatesAt(parts[i], format.limits, k);
    let at = y + tall + 1;
    for (const fate of FATES) {
      const high = fates.total ? (tall * fates[fate]) / fates.total : 0;
      at -= high;
      if (high) pen.rect(x + 1, at, wide, high, colors[fate], null, { alpha: fate === "normal" ? 0.35 : 1 });
    }
    const chosen = each.name === part;
    pen.rect(x + 1, y + 1, wide, tall, null, chosen || i === hover ? theme.text : theme.faint, { width: chosen ? 2 : 1 });
  });
}
