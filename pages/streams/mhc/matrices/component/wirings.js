// @ts-check
// H_res as wirings of the streams: every permutation as N lines from left (before) to right (after), as wide as its weight.

import { round } from "#canvas/pens.js";
import { small, wrapped } from "./numbers.js";
import { TITLE, title } from "./panels.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").Box} Box */
/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").View} View */
/** @typedef {[from: number, to: number, weight: number]} Line */

const WIDEST = 8; // pixels of a line of weight 1
export const LIGHTEST = 5e-4; // weight below which a permutation is only counted
const MOST = 20; // permutations that are drawn

/**
 * What is drawn: the matrix itself first, then its permutations. Lines are [from, to, weight].
 * @param {View} v
 */
function wirings(v) {
  const { N, result } = v;
  /** @type {Line[]} */
  const whole = [];
  for (let i = 0; i < N; i++) for (let j = 0; j < N; j++) whole.push([j, i, result.matrix[i * N + j]]);
  const terms = result.parts?.terms ?? [];
  const heavy = terms.filter((term) => term.weight >= LIGHTEST).slice(0, MOST);
  return {
    whole,
    terms: heavy.map(({ weight, columns }) => ({ weight, lines: columns.map((from, to) => /** @type {Line} */ ([from, to, weight])) })),
    lighter: terms.slice(heavy.length),
  };
}

const ROW = 92; // pixels of one line of wirings
const NARROWEST = 50; // pixels from one wiring to the next

/**
 * Where each wiring stands: as many in a line as the width allows, in one line if that is possible.
 * @param {View} v
 * @param {number} width
 */
function planWirings(v, width) {
  const parts = wirings(v);
  const count = 1 + parts.terms.length;
  const columns = Math.max(1, Math.floor((width + 14) / NARROWEST));
  const step = Math.max(NARROWEST, Math.min(86, (width + 14) / Math.min(columns, count)));
  return { ...parts, columns, step, rows: Math.ceil(count / columns), most: Math.ceil(((v.N - 1) ** 2 + 2) / columns) };
}

/**
 * Room for as many permutations as there can be, up to two lines, so that the page keeps its height from token to token.
 * @param {View} v
 * @param {number} width
 */
export function wiringsHeight(v, width) {
  const { rows, most } = planWirings(v, width);
  return TITLE + (v.header.kind === "hyper" ? 1.25 : Math.max(rows, Math.min(2, most))) * ROW;
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {Box} box
 */
export function drawWirings(pen, v, theme, box) {
  const { result, header } = v;
  const plan = planWirings(v, box.width);
  const light = plan.lighter.reduce((sum, term) => sum + term.weight, 0);
  if (result.parts) {
    const more = plan.lighter.length ? ` · ${plan.lighter.length} more hold ${small(light)}` : "";
    const long = box.width < 480 ? "Permutations" : "H_res as permutations (Birkhoff–von Neumann)";
    title(pen, theme, box, long, `residual ${small(result.parts.residual)}${more}`);
  } else {
    title(pen, theme, box, TEXTS.hResWiring);
  }
  const width = plan.step - (plan.step < 60 ? 15 : 20);
  wiring(pen, v, theme, { x: box.x, y: box.y + TITLE, width }, plan.whole, "H_res");
  if (!result.parts) {
    wrapped(theme, refusal(v), box.width - width - 34, 12).forEach((line, k) => pen.text(box.x + width + 24, box.y + TITLE + 18 + 17 * k, line, { color: theme.muted, size: 12 }));
    return;
  }
  plan.terms.forEach(({ weight, lines }, k) => {
    const place = k + 1;
    const x = box.x + (place % plan.columns) * plan.step;
    const y = box.y + TITLE + Math.floor(place / plan.columns) * ROW;
    if (place % plan.columns) pen.text(x - (plan.step - width) / 2, y + 32, k ? "+" : "=", { align: "center", color: theme.muted, size: 13 });
    wiring(pen, v, theme, { x, y, width }, lines, weight.toFixed(weight < 0.1 && plan.step > 56 ? 4 : 3));
  });
}

/**
 * Why there is no sum of permutations.
 * @param {View} v
 */
export function refusal({ header, result }) {
  if (header.kind === "hyper") {
    return TEXTS.matricesModelFree;
  }
  const off = Math.max(...[...result.rows, ...result.columns].map((x) => Math.abs(x - 1)));
  return TEXTS.rowsColumnsOff(small(off));
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {{ x: number, y: number, width: number }} box
 * @param {Line[]} lines
 * @param {string} label
 */
function wiring(pen, v, theme, { x, y, width }, lines, label) {
  const { N } = v;
  const at = (/** @type {number} */ k) => y + 8 + (N === 1 ? 24 : (k * 48) / (N - 1));
  const [from, to] = [x + 5, x + width - 5];
  const ordered = [...lines].sort((a, b) => Math.abs(a[2]) - Math.abs(b[2]));
  for (const [source, target, weight] of ordered) {
    if (!Number.isFinite(weight) || Math.abs(weight) < LIGHTEST) continue;
    const signed = v.header.kind === "hyper";
    const color = signed ? (weight < 0 ? v.header.warm[theme.dark ? "dark" : "light"] : theme.heads[0]) : theme.heads[source % theme.heads.length];
    const bend = (to - from) * 0.45;
    const d = `M${round(from)} ${round(at(source))}C${round(from + bend)} ${round(at(source))} ${round(to - bend)} ${round(at(target))} ${round(to)} ${round(at(target))}`;
    pen.path(d, color, Math.max(0.7, Math.min(WIDEST * 1.5, WIDEST * Math.abs(weight)) * Math.min(1, 5 / N)), 0.85);
  }
  for (let k = 0; k < N; k++) for (const side of [x + 2, x + width - 2]) pen.circle(side, at(k), 2, theme.muted, 0.8);
  pen.text(x + width / 2, y + 70, label, { align: "center", color: theme.text, size: 11, weight: label === "H_res" ? 600 : 400 });
}
