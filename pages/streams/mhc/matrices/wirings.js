// @ts-check
// H_res as wirings of the streams: every permutation as N lines from left (before) to right (after), as wide as its weight.

import { _ } from "#canvas/language.js";
import { round } from "#canvas/pens.js";
import { warmOf } from "../places.js";
import { small, wrapped } from "./numbers.js";
import { TITLE, writeTitle } from "./panels.js";

/** @typedef {import("./panels.js").Draw} Draw */
/** @typedef {import("./view.js").View} View */
/** @typedef {[from: number, to: number, weight: number]} Line */

const WIDEST = 8; // pixels of a line of weight 1
export const LIGHTEST = 5e-4; // weight below which a permutation is only counted
const MOST = 20; // permutations that are drawn
const ROW = 92; // pixels of one line of wirings
const NARROWEST = 50; // pixels from one wiring to the next

/** What is drawn, and where: as many in a line as the width allows, in one line if that is possible. @param {View} v @param {number} width */
function planWirings(v, width) {
  const N = v.header.streams;
  const terms = v.result.parts?.terms ?? [];
  const heavy = terms.filter((term) => term.weight >= LIGHTEST).slice(0, MOST);
  const columns = Math.max(1, Math.floor((width + 14) / NARROWEST));
  const count = 1 + heavy.length;
  return {
    heavy, lighter: terms.slice(heavy.length), columns, rows: Math.ceil(count / columns), most: Math.ceil(((N - 1) ** 2 + 2) / columns),
    step: Math.max(NARROWEST, Math.min(86, (width + 14) / Math.min(columns, count))),
  };
}

/** Room for as many permutations as there can be, up to two lines, so that the page keeps its height from token to token. @param {View} v
 * @param {number} width */
export function wiringsHeight(v, width) {
  const { rows, most } = planWirings(v, width);
  return TITLE + (v.header.kind === "hyper" ? 1.25 : Math.max(rows, Math.min(2, most))) * ROW;
}

/** @type {Draw} */
export function drawWirings(pen, v, theme, box) {
  const { result, header: { streams: N } } = v;
  const plan = planWirings(v, box.width);
  const width = plan.step - (plan.step < 60 ? 15 : 20);
  const y = box.y + TITLE;
  const whole = Array.from(result.matrix, (value, k) => /** @type {Line} */ ([k % N, Math.floor(k / N), value]));
  wiring(pen, v, theme, { x: box.x, y, width }, whole, "H_res");
  if (!result.parts) {
    writeTitle(pen, theme, box, _("H_res as a wiring of the streams"));
    wrapped(theme, refusal(v), box.width - width - 34, 12).forEach(
      (line, k) => pen.text(box.x + width + 24, y + 18 + 17 * k, line, { color: theme.muted, size: 12 }));
    return;
  }
  const values = { residual: small(result.parts.residual), count: plan.lighter.length,
    weight: small(plan.lighter.reduce((sum, term) => sum + term.weight, 0)) };
  const note = plan.lighter.length ? _("residual {residual} · {count} more hold {weight}", values) : _("residual {residual}", values);
  writeTitle(pen, theme, box, box.width < 480 ? _("Permutations") : _("H_res as permutations (Birkhoff–von Neumann)"), note);
  plan.heavy.forEach(({ weight, columns }, k) => {
    const x = box.x + ((k + 1) % plan.columns) * plan.step;
    const line = y + Math.floor((k + 1) / plan.columns) * ROW;
    if ((k + 1) % plan.columns) pen.text(x - (plan.step - width) / 2, line + 32, k ? "+" : "=", { align: "center", color: theme.muted, size: 13 });
    const lines = columns.map((from, to) => /** @type {Line} */ ([from, to, weight]));
    wiring(pen, v, theme, { x, y: line, width }, lines, weight.toFixed(weight < 0.1 && plan.step > 56 ? 4 : 3));
  });
}

/** Why there is no sum of permutations. @param {View} v */
export function refusal({ header, result }) {
  if (header.kind === "hyper")
    return _(
    "The matrices of this model are free: entries may be negative and sums differ from 1, so they are no average of permutations. Blue lines are positive " +
    "entries, orange ones negative.");
  const off = Math.max(...[...result.rows, ...result.columns].map((x) => Math.abs(x - 1)));
  return _("Rows or columns are off 1 by {off} here: too far from doubly stochastic for an average of permutations.", { off: small(off) });
}

/** @param {import("#canvas/pens.js").Pen} pen @param {View} v @param {import("#canvas/theme.js").Theme} theme
 * @param {{ x: number, y: number, width: number }} box @param {Line[]} lines @param {string} label */
function wiring(pen, v, theme, { x, y, width }, lines, label) {
  const N = v.header.streams;
  const at = (/** @type {number} */ k) => y + 8 + (N === 1 ? 24 : (k * 48) / (N - 1));
  const [from, to, bent] = [x + 5, x + width - 5, (width - 10) * 0.45];
  for (const [source, target, weight] of [...lines].sort((a, b) => Math.abs(a[2]) - Math.abs(b[2]))) {
    if (!Number.isFinite(weight) || Math.abs(weight) < LIGHTEST) continue;
    const color = v.header.kind !== "hyper" ? theme.heads[source % theme.heads.length] : weight < 0 ? warmOf(v, theme) : theme.heads[0];
    const d =
      `M${round(from)} ${round(at(source))}C${round(from + bent)} ${round(at(source))} ${round(to - bent)} ${round(at(target))} ${round(to)} ` +
      `${round(at(target))}`;
    pen.path(d, color, Math.max(0.7, Math.min(WIDEST * 1.5, WIDEST * Math.abs(weight)) * Math.min(1, 5 / N)), 0.85);
  }
  for (let k = 0; k < N; k++) for (const side of [x + 2, x + width - 2]) pen.circle(side, at(k), 2, theme.muted, 0.8);
  pen.text(x + width / 2, y + 70, label, { align: "center", color: theme.text, size: 11, weight: label === "H_res" ? 600 : 400 });
}
