// @ts-check
// The panels, each drawn with a pen into a box: small maps, large matrix, eigenvalues, spread, course along the text.

import { _ } from "#canvas/language.js";
import { sums } from "#canvas/matrix.js";
import { round } from "#canvas/pens.js";
import { digits } from "#canvas/text.js";
import { fade, inkOn, rgb, shade, textWidth } from "#canvas/theme.js";
import { sublayerOf, tokenName, tokenOf, warmOf } from "../places.js";
import { coloured } from "./arithmetic.js";
import { cellTexts, fixed, tick, weight } from "./numbers.js";
import { matrixAt } from "./view.js";

/** @typedef {import("../places.js").Box} Box */
/** @typedef {{ x: number, y: number, cell: number }} CellPlan where N x N cells of a map lie */
/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./view.js").View} View */
/** @typedef {(pen: Pen, v: View, theme: Theme, box: Box) => void} Draw */

export const TITLE = 20; // pixels of a panel's title line
const NOISE = 1e-6; // standard deviation of an entry below which it is float32 rounding
const [READ, WRITTEN] = [2, 1]; // colours of H_pre and H_post among the heads' colours

/** Fill of an entry: the sequential scale from 0 to 1 where entries are shares, the diverging one where they have a sign. @param {View} v
 * @param {Theme} theme @param {number} value @param {number} k */
function fill(v, theme, value, k) {
  if (!Number.isFinite(value)) return theme.missing;
  const change = v.place.colors === "change";
  if (!change && v.header.kind !== "hyper") return shade(theme.sequential, value);
  const part = change ? (value - (k % (v.header.streams + 1) ? 0 : 1)) / v.ranges.change : value / v.ranges.value;
  return shade(theme.diverging, 0.5 + part / 2);
}

/** @param {Theme} theme @param {"left" | "center" | "right"} align @param {Partial<import("#canvas/pens.js").TextOptions>} more
 * @returns {import("#canvas/pens.js").TextOptions} */
const tiny = (theme, align = "left", more = {}) => ({ color: theme.muted, size: 10, align, ...more });

/** A panel's title, and a note after it. @param {Pen} pen @param {Theme} theme @param {{ x: number, y: number }} box @param {string} text */
export function writeTitle(pen, theme, { x, y }, text, note = "") {
  pen.text(x, y + 8, text, { color: theme.text, weight: 600, size: 12 });
  if (note) pen.text(x + textWidth(theme, text, 12, 600) + 8, y + 8.5, note, { color: theme.muted, size: 10.5 });
}

/**
 * A matrix with H_pre above, H_post to its left and the sums at the right and below; `cell` pixels an entry.
 * @param {Pen} pen @param {View} v @param {Theme} theme @param {CellPlan & { strip: number, gap: number }} plan @param {number} sublayer @param {number} token
 */
function drawMixing(pen, v, theme, { x, y, cell, strip, gap }, sublayer, token) {
  const { ranges, header: { streams: N } } = v;
  const matrix = matrixAt(v, "res", sublayer, token);
  const [pre, post] = [matrixAt(v, "pre", sublayer, token), matrixAt(v, "post", sublayer, token)];
  const { rows, columns } = sums(matrix, N);
  const [side, inset, grey] = [N * cell, Math.min(1.5, cell * 0.12), fade(theme.text, 0.36)];
  const [thick, long] = [cell - 2 * inset, (/** @type {number} */ value, /** @type {number} */ most) => Math.min(1, Math.abs(value) / most) * strip];
  const color = (/** @type {number} */ value, /** @type {string} */ own) => (value < 0 ? warmOf(v, theme) : own);
  for (let k = 0; k < N * N; k++) pen.rect(x + (k % N) * cell, y + Math.floor(k / N) * cell, cell, cell, fill(v, theme, matrix[k], k));
  for (let i = 0; i < N; i++) {
    const along = i * cell + inset;
    const [above, before] = [long(pre[i], ranges.pre), long(post[i], ranges.post)];
    pen.rect(x + along, y - gap - above, thick, above, color(pre[i], theme.heads[READ]));
    pen.rect(x - gap - before, y + along, before, thick, color(post[i], theme.heads[WRITTEN]));
    pen.rect(x + side + gap, y + along, long(rows[i], ranges.sum), thick, color(rows[i], grey));
    pen.rect(x + along, y + side + gap, thick, long(columns[i], ranges.sum), color(columns[i], grey));
  }
  pen.rect(x, y, side, side, null, theme.faint);
}

/** How the small maps are laid out: as large as they can be, attention and MLP in pairs. @param {number} P @param {number} width @param {number} height */
function planMaps(P, width, height) {
  const plans = [2, 4, 6, 8, 12, 16].map((columns) => {
    const rows = Math.ceil(P / columns);
    const size = Math.min(width / columns - 6, height / rows - 20, 112);
    return { columns, rows, size, width: Math.min(width / columns, size + 40), height: Math.min(height / rows, size + 34) };
  });
  return plans.reduce((best, plan) => (plan.size > best.size + 0.5 ? plan : best));
}

/** @type {Draw} */
export function drawMaps(pen, v, theme, box) {
  const { names, streams } = v.header;
  writeTitle(pen, theme, box, _("H_res of {count} sublayers", { count: names.length }), box.width < 330 ? "" : _("at {token}", { token: tokenName(v) }));
  drawScale(pen, v, theme, box.x + box.width, box.y + 8);
  const plan = planMaps(names.length, box.width, box.height - TITLE);
  const strip = (plan.size < 50 ? 0.13 : 0.17) * plan.size;
  v.plans.maps = { ...plan, x: box.x, y: box.y + TITLE };
  names.forEach((name, p) => {
    const [x, y] = [box.x + (p % plan.columns) * plan.width, box.y + TITLE + Math.floor(p / plan.columns) * plan.height];
    const inner = { x: x + (plan.width - plan.size) / 2 + strip + 2, y: y + 14 + strip + 2, cell: (plan.size - 2 * strip - 4) / streams, strip, gap: 2 };
    const current = p === sublayerOf(v);
    if (current) pen.rect(x + 1.5, y + 0.5, plan.width - 3, plan.height - 2, fade(theme.primary, 0.09), theme.primary);
    const written = plan.width < 62 ? name.replace("attention", "attn") : name;
    pen.text(x + plan.width / 2, y + 8, written, tiny(theme, "center", current ? { color: theme.text, weight: 600 } : {}));
    drawMixing(pen, v, theme, inner, p, tokenOf(v));
  });
}

/** The colours of the maps from their least to their largest value, ending at x = `right`. @param {Pen} pen @param {View} v @param {Theme} theme
 * @param {number} right @param {number} y */
function drawScale(pen, v, theme, right, y) {
  const change = v.place.colors === "change";
  const shares = !change && v.header.kind !== "hyper";
  const most = change ? v.ranges.change : v.ranges.value;
  const [high, low] = shares ? ["1", "0"] : [`+${tick(most)}`, `−${tick(most)}`];
  const [steps, width] = [24, 48];
  const left = right - textWidth(theme, high, 10) - 4 - width;
  pen.text(right, y, high, tiny(theme, "right"));
  for (let k = 0; k < steps; k++) pen.rect(left + (k * width) / steps, y - 4, width / steps + 0.3, 8,
    shade(shares ? theme.sequential : theme.diverging, k / (steps - 1)));
  pen.rect(left, y - 4, width, 8, null, theme.faint);
  pen.text(left - 4, y, low, tiny(theme, "right"));
}

/** @type {Draw} */
export function drawMatrix(pen, v, theme, box) {
  const { header: { streams: N, names }, result } = v;
  const [sublayer, token, change] = [sublayerOf(v), tokenOf(v), v.place.colors === "change"];
  writeTitle(pen, theme, box, names[sublayer], `${change ? "H − I " : ""}${_("at {token}", { token: tokenName(v) })}`);
  const [left, top, right, bottom] = [51, 38, 62, 34];
  const cell = Math.min((box.width - left - right) / N, (box.height - TITLE - top - bottom) / N, 64);
  const [x, y, side] = [box.x + left, box.y + TITLE + top, N * cell];
  drawMixing(pen, v, theme, { x, y, cell, strip: 20, gap: 3 }, sublayer, token);
  v.plans.matrix = { x, y, cell };
  const [pre, post] = [matrixAt(v, "pre"), matrixAt(v, "post")];
  cellTexts(theme, coloured(result.matrix, N, v.place.colors), cell, 11).forEach((text, k) => {
    const ink = inkOn(rgb(fill(v, theme, result.matrix[k], k)));
    if (text) pen.text(x + ((k % N) + 0.5) * cell, y + (Math.floor(k / N) + 0.5) * cell, text, { align: "center", color: ink, size: 11 });
  });
  for (let i = 0; i < N && cell >= 11; i++) {
    const middle = (i + 0.5) * cell;
    pen.text(x + side + 26, y + middle, fixed(result.rows[i]), tiny(theme));
    pen.text(x - 27, y + middle, fixed(post[i], 2), tiny(theme, "right"));
    if (cell < 25) continue;
    pen.text(x + middle, y - 29, weight(pre[i]), tiny(theme, "center"));
    pen.text(x + middle, y + side + 29, fixed(result.columns[i], cell >= 38 ? 4 : cell >= 30 ? 3 : 2), tiny(theme, "center"));
  }
  pen.text(x - 6, y - 29, _("read"), tiny(theme, "right", { color: theme.heads[READ], weight: 600 }));
  pen.text(x - 3, y - 10, _("write"), tiny(theme, "right", { color: theme.heads[WRITTEN], weight: 600 }));
  pen.text(x + side + 5, y - 10, _("sums"), tiny(theme, "left", { weight: 600 }));
  outlineEntry(pen, v, theme, v.plans.matrix);
}

/** @param {Pen} pen @param {View} v @param {Theme} theme @param {CellPlan} plan */
function outlineEntry(pen, v, theme, { x, y, cell }) {
  const [row, col] = v.entry;
  pen.rect(x + col * cell + 1, y + row * cell + 1, cell - 2, cell - 2, null, theme.primary);
}

/** @type {Draw} */
export function drawPlane(pen, v, theme, box) {
  const { result, header: { tokens } } = v;
  writeTitle(pen, theme, box, _("Eigenvalues"));
  const reach = Math.max(1.12, 1.06 * [...result.roots, ...result.allRoots].reduce((most, root) => Math.max(most, Math.hypot(...root) || 0), 0));
  const end = Math.min(box.width, box.height - TITLE - 14) / 2 - 2;
  const [cx, cy, unit] = [box.x + box.width / 2, box.y + TITLE + 2 + end, end / reach];
  pen.line(cx - end, cy, cx + end, cy, theme.faint);
  pen.line(cx, cy - end, cx, cy + end, theme.faint);
  pen.path(
    `M${round(cx - unit)} ${round(cy)}a${round(unit)} ${round(unit)} 0 1 0 ${round(2 * unit)} 0a${round(unit)} ${round(unit)} 0 1 0 ${round(-2 * unit)} 0`,
    theme.muted, 1.2, 0.9);
  pen.text(cx + unit - 3, cy + 9, "1", tiny(theme, "right"));
  pen.text(cx - unit + 3, cy + 9, "−1", tiny(theme));
  pen.text(cx + 4, cy - unit + 9, "i", tiny(theme));
  for (const [a, b] of result.allRoots) pen.circle(cx + a * unit, cy - b * unit, 1.6, theme.primary, Math.min(0.3, 0.04 + 6 / tokens.length));
  for (const [a, b] of result.roots) {
    pen.circle(cx + a * unit, cy - b * unit, 4.6, theme.background, 1);
    pen.circle(cx + a * unit, cy - b * unit, 3.6, theme.heads[4], 1);
  }
  const reading = { reach: reach.toPrecision(3) };
  pen.text(cx, cy + end + 9, tokens.length > 1 ? _("all tokens faint, reach {reach}", reading) : _("reach {reach}", reading), tiny(theme, "center"));
}

/** The standard deviation over tokens of every entry, from 0 to the sublayer's largest. @type {Draw} */
export function drawSpread(pen, v, theme, box) {
  const { result, header: { streams: N, maths } } = v;
  const largest = Math.max(0, ...result.spread.filter(Number.isFinite));
  const most = largest < NOISE ? 0 : largest;
  writeTitle(pen, theme, box, maths ? _("Std over tokens") : _("Spread over tokens"));
  const cell = Math.min((box.width - 4) / N, (box.height - TITLE - 4) / N, 48);
  const [x, y] = [box.x + 2, box.y + TITLE + 2];
  result.spread.forEach((value, k) => {
    const color = Number.isFinite(value) ? shade(theme.sequential, most ? value / most : 0) : theme.missing;
    pen.rect(x + (k % N) * cell, y + Math.floor(k / N) * cell, cell, cell, color);
  });
  const words = most ? [_("largest"), tick(most)] : [_("the same at"), _("all tokens")];
  words.forEach((word, k) => pen.text(x + N * cell + 6, y + 8 + 13 * k, word, tiny(theme)));
  pen.rect(x, y, N * cell, N * cell, null, theme.faint);
  outlineEntry(pen, v, theme, (v.plans.spread = { x, y, cell }));
}

/** The chosen entry along the text on an axis of its own, with its mean and the token looked at. @type {Draw} */
export function drawCourse(pen, v, theme, box) {
  const { header: { streams: N, tokens }, entry: [row, col], result } = v;
  const [T, token] = [tokens.length, tokenOf(v)];
  const values = tokens.map((__, t) => matrixAt(v, "res", sublayerOf(v), t)[row * N + col]);
  const name = box.width < 240 ? _("Entry ({row}, {col})", { row, col }) : _("Entry ({row}, {col}) along the text", { row, col });
  const value = digits(values[token], 4);
  writeTitle(pen, theme, box, name, box.width < 380 ? value : _("from stream {col} into stream {row}: {value}", { row, col, value }));
  const room = Math.max(0.12 * (Math.max(...values) - Math.min(...values)), 1e-6, 0.002 * Math.abs(Math.max(...values)));
  const [low, high] = [Math.min(...values) - room, Math.max(...values) + room];
  const [x, y, width, height] = [box.x + 46, box.y + TITLE + 4, box.width - 54, box.height - TITLE - 20];
  const px = (/** @type {number} */ t) => x + (T === 1 ? 0.5 : t / (T - 1)) * width;
  const py = (/** @type {number} */ at) => y + (1 - (at - low) / (high - low)) * height;
  for (const at of [low + room, high - room]) {
    pen.line(x, py(at), x + width, py(at), theme.faint);
    pen.text(x - 5, py(at), tick(at), tiny(theme, "right"));
    if (py(low + room) - py(high - room) < 13) break; // both would stand in one place
  }
  pen.path(`M${round(x)} ${round(py(result.mean[row * N + col]))}h${round(width)}`, theme.muted, 1, 0.6);
  if (T > 1) pen.path(values.map((at, t) => `${t ? "L" : "M"}${round(px(t))} ${round(py(at))}`).join(""), theme.primary, 1.5, 1);
  if (T <= 64) values.forEach((at, t) => pen.circle(px(t), py(at), 1.8, theme.primary, 1));
  pen.line(px(token), y - 3, px(token), y + height + 3, theme.muted);
  pen.circle(px(token), py(values[token]), 4, theme.heads[4], 1);
  pen.text(x, box.y + box.height - 5, "0", tiny(theme, "center"));
  pen.text(x + width, box.y + box.height - 5, _("token {last}", { last: T - 1 }), tiny(theme, "right"));
  v.plans.course = { x, width };
}
