// @ts-check
// The panels, each drawn with a pen into a box: small maps, large matrix, eigenvalues, spread, course along the text.

import { round } from "#canvas/pens.js";
import { sums } from "#canvas/matrix.js";
import { digits } from "#canvas/text.js";
import { fade, inkOn, rgb, shade, textWidth } from "#canvas/theme.js";
import { coloured, matrixAt } from "./measures.js";
import { cellTexts, fixed, tick, tokenName, weight } from "./numbers.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").Box} Box */
/** @typedef {import("./types").CellPlan} CellPlan */
/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").View} View */

export const TITLE = 20; // pixels of a panel's title line
const NOISE = 1e-6; // standard deviation of an entry below which it is float32 rounding
const [READ, WRITTEN] = [2, 1]; // colours of H_pre and H_post among the heads' colours

/**
 * Fill of an entry: the sequential scale from 0 to 1 where entries are shares, the diverging one where they have a sign.
 * @param {View} v
 * @param {Theme} theme
 * @param {number} value
 * @param {number} i
 * @param {number} j
 */
function fill(v, theme, value, i, j) {
  if (!Number.isFinite(value)) return theme.missing;
  const change = v.state.colors === "change";
  if (!change && v.header.kind !== "hyper") return shade(theme.sequential, value);
  const part = change ? (value - (i === j ? 1 : 0)) / v.ranges.change : value / v.ranges.value;
  return shade(theme.diverging, 0.5 + part / 2);
}

/**
 * A panel's title, and a note after it.
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {{ x: number, y: number }} box
 * @param {string} text
 */
export function title(pen, theme, { x, y }, text, note = "") {
  pen.text(x, y + 8, text, { color: theme.text, weight: 600, size: 12 });
  if (note) pen.text(x + textWidth(theme, text, 12, 600) + 8, y + 8.5, note, { color: theme.muted, size: 10.5 });
}

/**
 * A bar from a base line, `length` pixels for a value of `most`; negative ones in the warning colour.
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {View} v
 * @param {{ x: number, y: number, across: number, length: number, side: "top" | "bottom" | "left" | "right" }} place
 * @param {number} value
 * @param {number} most
 * @param {string} color
 */
function bar(pen, theme, v, { x, y, across, length, side }, value, most, color) {
  const long = Math.min(1, Math.abs(value) / most) * length;
  const used = value < 0 ? v.header.warm[theme.dark ? "dark" : "light"] : color;
  if (side === "top") pen.rect(x, y - long, across, long, used);
  if (side === "bottom") pen.rect(x, y, across, long, used);
  if (side === "left") pen.rect(x - long, y, long, across, used);
  if (side === "right") pen.rect(x, y, long, across, used);
}

/**
 * A matrix with H_pre above, H_post to its left and the sums at the right and below; `cell` pixels an entry.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {CellPlan & { strip: number, gap: number }} plan
 * @param {number} sublayer
 * @param {number} token
 */
function drawMixing(pen, v, theme, { x, y, cell, strip, gap }, sublayer, token) {
  const { N, ranges } = v;
  const matrix = matrixAt(v, "res", sublayer, token);
  const [pre, post] = [matrixAt(v, "pre", sublayer, token), matrixAt(v, "post", sublayer, token)];
  const { rows, columns } = sums(matrix, N);
  const [side, inset] = [N * cell, Math.min(1.5, cell * 0.12)];
  const grey = fade(theme.text, 0.36);
  for (let i = 0; i < N; i++) {
    for (let j = 0; j < N; j++) pen.rect(x + j * cell, y + i * cell, cell, cell, fill(v, theme, matrix[i * N + j], i, j));
    const along = i * cell + inset, across = cell - 2 * inset;
    bar(pen, theme, v, { x: x + along, y: y - gap, across, length: strip, side: "top" }, pre[i], ranges.pre, theme.heads[READ]);
    bar(pen, theme, v, { x: x - gap, y: y + along, across, length: strip, side: "left" }, post[i], ranges.post, theme.heads[WRITTEN]);
    bar(pen, theme, v, { x: x + side + gap, y: y + along, across, length: strip, side: "right" }, rows[i], ranges.sum, grey);
    bar(pen, theme, v, { x: x + along, y: y + side + gap, across, length: strip, side: "bottom" }, columns[i], ranges.sum, grey);
  }
  pen.rect(x, y, side, side, null, theme.faint);
}

/**
 * How the small maps are laid out in a width and height: as large as they can be, attention and MLP in pairs.
 * @param {number} P
 * @param {number} width
 * @param {number} height
 */
function planMaps(P, width, height) {
  const plans = [2, 4, 6, 8, 12, 16].map((columns) => {
    const rows = Math.ceil(P / columns);
    const size = Math.min(width / columns - 6, height / rows - 20, 112);
    return { columns, rows, size, width: Math.min(width / columns, size + 40), height: Math.min(height / rows, size + 34) };
  });
  return plans.reduce((best, plan) => (plan.size > best.size + 0.5 ? plan : best));
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {Box} box
 */
export function drawMaps(pen, v, theme, box) {
  const { N, P, header, state } = v;
  title(pen, theme, box, `H_res of ${P} sublayers`, box.width < 330 ? "" : `at ${tokenName(v)}`);
  drawScale(pen, v, theme, box.x + box.width, box.y + 8);
  const plan = planMaps(P, box.width, box.height - TITLE);
  const strip = (plan.size < 50 ? 0.13 : 0.17) * plan.size;
  const cell = (plan.size - 2 * strip - 4) / N;
  v.plans.maps = { ...plan, x: box.x, y: box.y + TITLE };
  for (let p = 0; p < P; p++) {
    const x = box.x + (p % plan.columns) * plan.width, y = box.y + TITLE + Math.floor(p / plan.columns) * plan.height;
    const inner = { x: x + (plan.width - plan.size) / 2 + strip + 2, y: y + 14 + strip + 2, cell, strip, gap: 2 };
    const name = plan.width < 62 ? header.names[p].replace("attention", "attn") : header.names[p];
    const current = p === state.sublayer;
    if (current) pen.rect(x + 1.5, y + 0.5, plan.width - 3, plan.height - 2, fade(theme.primary, 0.09), theme.primary);
    pen.text(x + plan.width / 2, y + 8, name, { align: "center", color: current ? theme.text : theme.muted, weight: current ? 600 : 400, size: 10 });
    drawMixing(pen, v, theme, inner, p, state.token);
  }
}

/**
 * The colours of the maps from their least to their largest value, ending at x = `right`.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {number} right
 * @param {number} y
 */
function drawScale(pen, v, theme, right, y) {
  const change = v.state.colors === "change";
  const shares = !change && v.header.kind !== "hyper";
  const most = shares ? 1 : change ? v.ranges.change : v.ranges.value;
  const [colors, steps, width] = [shares ? theme.sequential : theme.diverging, 24, 48];
  const [high, low] = [shares ? "1" : `+${tick(most)}`, shares ? "0" : `−${tick(most)}`];
  const small = { color: theme.muted, size: 10, align: /** @type {const} */ ("right") };
  const left = right - textWidth(theme, high, 10) - 4 - width;
  pen.text(right, y, high, small);
  for (let k = 0; k < steps; k++) pen.rect(left + (k * width) / steps, y - 4, width / steps + 0.3, 8, shade(colors, k / (steps - 1)));
  pen.rect(left, y - 4, width, 8, null, theme.faint);
  pen.text(left - 4, y, low, small);
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {Box} box
 */
export function drawMatrix(pen, v, theme, box) {
  const { N, header, state, result } = v;
  title(pen, theme, box, header.names[state.sublayer], `${state.colors === "change" ? "H − I " : ""}at ${tokenName(v)}`);
  const [left, top, right, bottom] = [51, 38, 62, 34];
  const cell = Math.min((box.width - left - right) / N, (box.height - TITLE - top - bottom) / N, 64);
  const [x, y] = [box.x + left, box.y + TITLE + top];
  const side = N * cell;
  drawMixing(pen, v, theme, { x, y, cell, strip: 20, gap: 3 }, state.sublayer, state.token);
  v.plans.matrix = { x, y, cell };
  const [pre, post] = [matrixAt(v, "pre"), matrixAt(v, "post")];
  const small = { color: theme.muted, size: 10 };
  const texts = cellTexts(theme, coloured(v, result.matrix), cell, 11);
  for (let i = 0; i < N; i++) {
    const middle = (i + 0.5) * cell;
    for (let j = 0; j < N; j++) {
      const value = result.matrix[i * N + j];
      const text = texts[i * N + j];
      if (text) pen.text(x + (j + 0.5) * cell, y + middle, text, { align: "center", color: inkOn(rgb(fill(v, theme, value, i, j))), size: 11 });
    }
    if (cell < 11) continue;
    pen.text(x + side + 26, y + middle, fixed(result.rows[i]), small);
    pen.text(x - 27, y + middle, fixed(post[i], 2), { ...small, align: "right" });
    if (cell < 25) continue;
    pen.text(x + middle, y - 29, weight(pre[i]), { ...small, align: "center" });
    pen.text(x + middle, y + side + 29, fixed(result.columns[i], cell >= 38 ? 4 : cell >= 30 ? 3 : 2), { ...small, align: "center" });
  }
  pen.text(x - 6, y - 29, "read", { ...small, align: "right", color: theme.heads[READ], weight: 600 });
  pen.text(x - 3, y - 10, "write", { ...small, align: "right", color: theme.heads[WRITTEN], weight: 600 });
  pen.text(x + side + 5, y - 10, "sums", { ...small, weight: 600 });
  pen.rect(x + state.col * cell + 1, y + state.row * cell + 1, cell - 2, cell - 2, null, theme.primary);
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {Box} box
 */
export function drawPlane(pen, v, theme, box) {
  const { result } = v;
  title(pen, theme, box, "Eigenvalues");
    const reach = Math.max(1.12, 1.06 * [...result.roots, ...result.allRoots].reduce((most, root) => Math.max(most, Math.hypot(...root) || 0), 0));
  const side = Math.min(box.width, box.height - TITLE - 14) - 4;
  const [cx, cy, unit] = [box.x + box.width / 2, box.y + TITLE + 2 + side / 2, side / 2 / reach];
  const end = side / 2;
  pen.line(cx - end, cy, cx + end, cy, theme.faint);
  pen.line(cx, cy - end, cx, cy + end, theme.faint);
  pen.path(`M${round(cx - unit)} ${round(cy)}a${round(unit)} ${round(unit)} 0 1 0 ${round(2 * unit)} 0a${round(unit)} ${round(unit)} 0 1 0 ${round(-2 * unit)} 0`, theme.muted, 1.2, 0.9);
  const small = { color: theme.muted, size: 10 };
  pen.text(cx + unit - 3, cy + 9, "1", { ...small, align: "right" });
  pen.text(cx - unit + 3, cy + 9, "−1", small);
  pen.text(cx + 4, cy - unit + 9, "i", small);
  for (const [a, b] of result.allRoots) pen.circle(cx + a * unit, cy - b * unit, 1.6, theme.primary, Math.min(0.3, 0.04 + 6 / v.T));
  for (const [a, b] of result.roots) {
    pen.circle(cx + a * unit, cy - b * unit, 4.6, theme.background, 1);
    pen.circle(cx + a * unit, cy - b * unit, 3.6, theme.heads[4], 1);
  }
  pen.text(cx, cy + end + 9, `${v.T > 1 ? "all tokens faint, " : ""}reach ${reach.toPrecision(3)}`, { ...small, align: "center" });
  v.plans.plane = { cx, cy, unit };
}

/**
 * The standard deviation over tokens of every entry, from 0 to the sublayer's largest.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {Box} box
 */
export function drawSpread(pen, v, theme, box) {
  const { N, result, state } = v;
  const largest = Math.max(0, ...result.spread.filter(Number.isFinite));
  const most = largest < NOISE ? 0 : largest;
  title(pen, theme, box, v.header.maths ? "Std over tokens" : "Spread over tokens");
  const cell = Math.min((box.width - 4) / N, (box.height - TITLE - 4) / N, 48);
  const [x, y] = [box.x + 2, box.y + TITLE + 2];
  for (let i = 0; i < N; i++) {
    for (let j = 0; j < N; j++) {
      const value = result.spread[i * N + j];
      const color = Number.isFinite(value) ? shade(theme.sequential, most ? value / most : 0) : theme.missing;
      pen.rect(x + j * cell, y + i * cell, cell, cell, color);
    }
  }
  const small = { color: theme.muted, size: 10 };
  const words = most ? ["largest", tick(most)] : ["the same at", "all tokens"];
  words.forEach((word, k) => pen.text(x + N * cell + 6, y + 8 + 13 * k, word, small));
  pen.rect(x, y, N * cell, N * cell, null, theme.faint);
  pen.rect(x + state.col * cell + 1, y + state.row * cell + 1, cell - 2, cell - 2, null, theme.primary);
  v.plans.spread = { x, y, cell };
}

/**
 * The chosen entry along the text on an axis of its own, with its mean and the token looked at.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {Box} box
 */
export function drawCourse(pen, v, theme, box) {
  const { N, T, state, result } = v;
  const k = state.row * N + state.col;
  const values = Array.from({ length: T }, (_, t) => matrixAt(v, "res", state.sublayer, t)[k]);
  const from = box.width < 380 ? "" : TEXTS.streamIntoStream(state.col, state.row);
  title(pen, theme, box, TEXTS.entryAlongText(state.row, state.col, box.width), from + digits(values[state.token], 4));
  let [low, high] = [Math.min(...values), Math.max(...values)];
  const room = Math.max(0.12 * (high - low), 1e-6, 0.002 * Math.abs(high));
  [low, high] = [low - room, high + room];
  const [x, y] = [box.x + 46, box.y + TITLE + 4];
  const [width, height] = [box.width - 54, box.height - TITLE - 20];
  const px = (/** @type {number} */ t) => x + (T === 1 ? 0.5 : t / (T - 1)) * width;
  const py = (/** @type {number} */ value) => y + (1 - (value - low) / (high - low)) * height;
  for (const value of [low + room, high - room]) {
    pen.line(x, py(value), x + width, py(value), theme.faint);
    pen.text(x - 5, py(value), tick(value), { align: "right", color: theme.muted, size: 10 });
    if (py(low + room) - py(high - room) < 13) break; // both would stand in one place
  }
  pen.path(`M${round(x)} ${round(py(result.mean[k]))}h${round(width)}`, theme.muted, 1, 0.6);
  if (T > 1) pen.path(values.map((value, t) => `${t ? "L" : "M"}${round(px(t))} ${round(py(value))}`).join(""), theme.primary, 1.5, 1);
  if (T <= 64) values.forEach((value, t) => pen.circle(px(t), py(value), 1.8, theme.primary, 1));
  pen.line(px(state.token), y - 3, px(state.token), y + height + 3, theme.muted);
  pen.circle(px(state.token), py(values[state.token]), 4, theme.heads[4], 1);
  pen.text(x, box.y + box.height - 5, "0", { color: theme.muted, size: 10, align: "center" });
  pen.text(x + width, box.y + box.height - 5, `token ${T - 1}`, { color: theme.muted, size: 10, align: "right" });
  v.plans.course = { x, width };
}
