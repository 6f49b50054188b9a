// @ts-check
// The Sinkhorn dial: a matrix of a model or of one's own made doubly stochastic, half step by half step.

import { makeAxis, placeOn } from "#canvas/axis.js";
import { make, makeButton } from "#canvas/dom.js";
import { _, ngettext } from "#canvas/language.js";
import { ask, cells, go, live, penOf, saving, widthOf } from "#canvas/live.js";
import { sums } from "#canvas/matrix.js";
import { scientific } from "#canvas/text.js";
import { sublayerAxis, sublayerOf, tokenAxis, tokenOf } from "../places.js";
import { drawDialMatrix, drawGains, drawResidual, matrixPlan } from "./drawing.js";
import { fitCells, makeEditor } from "./editor.js";
import { ITERATIONS, brief, decimal, depthGains, entries, errors, halfSteps, logitsOf, rateOf } from "./sinkhorn.js";

/** @typedef {{ kind: "total" | "partial" | "none", blocks: number, pattern: string }} Support */
/** @typedef {import("../places.js").Walked & { iterations: number | null, own: { words: string[][], support: Support, verdict: string } | null }} Header */
/** @typedef {import("../places.js").Place & { step: number, temperature: number, source: string, kind: string, matrix: string }} Place */
/**
 * `words` are the cells of an own matrix, `cursor` the entry read by keys; `found` is what the pictures show.
 * @typedef {import("#canvas/live.js").View<Header, { logits?: Float32Array }, Place> & { words?: string[][], cursor: number | null, distance: boolean,
 *   found: ReturnType<typeof compute>, key?: string }} View
 */

const CURVES = 306; // pixels: the height of the charts
const [SIDE, ASIDE] = [380, 24]; // of one picture in a file
const LOGARITHMIC = 100; // steps of the temperature's axis for a factor of 10

/** @param {View} v @returns {import("#canvas/axis.js").Axis} */
const halves = (v) => ({
  end: () => 2 * ITERATIONS, step: () => 1, read: () => v.place.step, write: (step) => ({ step }), says: () => stepName(stepOf(v)),
  label: _("Half steps of Sinkhorn-Knopp"), lasts: () => 260 * 2 * ITERATIONS,
});

/** @param {View} v @returns {import("#canvas/axis.js").Axis} */
const heat = (v) => ({
  end: () => 2.6 * LOGARITHMIC, step: () => 1, read: () => 1.3 * LOGARITHMIC + Math.round(LOGARITHMIC * Math.log10(v.place.temperature)),
  write: (at) => ({ temperature: 10 ** (at / LOGARITHMIC - 1.3) }), says: () => decimal(v.place.temperature, 2), label: _("Temperature"), lasts: () => 5000,
});

/** @param {View} v */
const stepOf = (v) => Math.floor(placeOn(v, halves(v)));

/** @param {number} step */
function stepName(step) {
  const k = Math.floor(step / 2);
  if (step === 0) return _("0 iterations: largest entry set to 1");
  return step % 2 ? _("Iteration {k}: rows scaled", { k: k + 1 }) : _("Iteration {k}: columns scaled too", { k });
}

/** The logits of one sublayer at the chosen token, as doubles. @param {View} v @param {number} sublayer */
function modelLogits(v, sublayer) {
  const { header: { names, tokens }, arrays } = v;
  const size = arrays.logits.length / (names.length * tokens.length);
  const start = (sublayer * tokens.length + tokenOf(v)) * size;
  return Float64Array.from(arrays.logits.subarray(start, start + size));
}

/** Everything the pictures show; null where the cells cannot be read, and what was shown stays. @param {View} v */
function compute(v) {
  const { own, names } = v.header;
  const raw = own ? logitsOf(v.words, v.place.kind) : modelLogits(v, sublayerOf(v));
  if (!raw) return null;
  const n = Math.round(Math.sqrt(raw.length));
  const cooled = (/** @type {Float64Array} */ values) => values.map((value) => value / v.place.temperature);
  const logits = cooled(raw);
  const steps = halfSteps(logits, n).map(entries);
  const pattern = Array.from(raw, (value) => (value === -Infinity ? "0" : "+")).join("");
  // What the server found about the zeros of an own matrix; null while its answer is for other zeros.
  const support = own ? (own.support.pattern === pattern ? own.support : null) : { kind: "total", blocks: 1 };
  const rate = support?.kind === "total" ? rateOf(logits, n, support.blocks) : NaN;
  const gains = own ? null : depthGains(names.map((__, p) => cooled(modelLogits(v, p))), n);
  return { raw, n, steps, trail: steps.map((m) => errors(m, n).both), support, rate, gains };
}

// --- in words ---------------------------------------------------------------------------------------

/** @param {View} v */
function cellWords(v) {
  const { hover, cursor, found: { n, steps, raw } } = v;
  const k = hover ?? cursor;
  if (k === null || k >= n * n) return _("Point at an entry, or use the arrow keys, to read it exactly.");
  const value = steps[stepOf(v)][k];
  const exact = value !== 0 && value < 1e-6 ? scientific(value, 7) : value.toFixed(9);
  return _("Row {row}, column {column}: {exact}, from the logit {logit}",
    { row: Math.floor(k / n) + 1, column: (k % n) + 1, exact, logit: decimal(raw[k], 4) });
}

/** @param {View} v */
function speedWords(v) {
  const { found: { trail, rate, support } } = v;
  const step = stepOf(v);
  const [now, past] = [trail[step], step > 1 ? trail[step - 2] : NaN];
  const measured = past > 1e-14 && now > 1e-15 ? _("; this iteration × {factor}", { factor: decimal(now / past, 4) }) : "";
  const residual = now < 1e-15 ? _("below 1e−15") : brief(now);
  if (support?.kind === "total" && Number.isNaN(rate)) return _(
    "Residual {residual}{measured}. The limit is out of reach: no rate is drawn.", { residual, measured });
  const expected = rate > 0 ? _("; in the end × σ₂² = {rate} each", { rate: decimal(rate, 4) }) : "";
  return _("Residual {residual}{measured}{expected}.", { residual, measured, expected });
}

/** @param {View} v */
function gainWords(v) {
  const k = Math.floor(stepOf(v) / 2);
  const [forward, backward] = v.found.gains[k].map((gain) => { // as a distance from 1 where digits would not show it
    const away = Math.abs(gain - 1);
    return away < 1e-15 ? "1" : away < 5e-4 ? `(1 ${gain < 1 ? "−" : "+"} ${brief(away)})` : brief(gain);
  });
  return ngettext("{count} sublayers with {n} iteration each: forward × {forward}, backward × {backward}.",
    "{count} sublayers with {n} iterations each: forward × {forward}, backward × {backward}.", k,
    { count: v.header.names.length, forward, backward });
}

/** @param {View} v */
function matrixWords(v) {
  const { rows, columns } = sums(v.found.steps[stepOf(v)], v.found.n);
  const list = (/** @type {Float64Array} */ values) => Array.from(values, (value) => decimal(value)).join(", ");
  return _("{n} by {n} matrix. {step}. Row sums {rows}. Column sums {columns}. Arrow keys read its entries.",
    { n: v.found.n, step: stepName(stepOf(v)), rows: list(rows), columns: list(columns) });
}

// --- the parts --------------------------------------------------------------------------------------

/** The chosen sublayer's logits as text. @param {View} v */
function logitsText({ found: { raw, n } }) {
  const words = Array.from(raw, (value) => String(Number(value.toPrecision(7))));
  return Array.from({ length: n }, (__, i) => words.slice(i * n, (i + 1) * n).join(" ")).join("\n");
}

/** @param {View} v */
function makeMatrix(v) {
  const canvas = make("canvas", { role: "img", testid: "dial-matrix" });
  cells(v, canvas, {
    under(x, y) {
      const { n, cell, top } = v.layout;
      const [row, col] = [Math.floor((y - top) / cell), Math.floor(x / cell)];
      return row >= 0 && col >= 0 && row < n && col < n ? row * n + col : null;
    },
    choose: (k) => {
      Object.assign(v, { cursor: k, hover: null });
      v.paint();
    },
    beside(dx, dy) {
      const inside = (/** @type {number} */ x) => Math.min(v.found.n - 1, Math.max(0, x));
      return v.cursor === null ? 0 : inside(Math.floor(v.cursor / v.found.n) + dy) * v.found.n + inside((v.cursor % v.found.n) + dx);
    },
  });
  return canvas;
}

/** @param {View} v */
function build(v) {
  Object.assign(v, { cursor: null, distance: false });
  const axes = [halves, tokenAxis, sublayerAxis, heat].map((axis) => makeAxis(v, axis(v)));
  const [dial, token, sublayer, temperature] = axes;
  const take = makeButton(_("Edit"), _("Take these logits over as your own matrix"), () => ask(v, { source: "own", kind: "logits", matrix: logitsText(v) }));
  take.setAttribute("aria-label", take.title);
  const [cell, speed, depth] = [0, 1, 2].map(() => make("p", { className: "said" }));
  const toggle = makeButton("|gain − 1|", _("Show the distance from 1 on a logarithmic axis"), () => {
    v.distance = !v.distance;
    v.paint();
  });
  const [matrix, residual, gain] = [makeMatrix(v), make("canvas", { role: "img", testid: "dial-residual" }),
    make("canvas", { role: "img", testid: "dial-gain" })];
  const editor = makeEditor(v);
  const forModel = make("div", { className: "bar", style: "flex: 1" }, token.parts[1], sublayer.parts[1], take);
  const gains = make("div", { className: "gains" }, make("div", { className: "panel" }, gain), depth, toggle);
  const verdict = make("p", { className: "verdict", "aria-live": "polite" });
  const save = saving(v, "tlmviz-sinkhorn-dial", {
    height: () => 360, width: 3 * SIDE + 2 * ASIDE + 32, draw: (pen, theme) =>
      pictures(v).forEach((draw, k) => pen.shifted(k * (SIDE + ASIDE), 0, () => draw(pen, theme, SIDE))),
    title: () => _("{name}: {step}; temperature {temperature}",
      { name: v.header.title, step: stepName(stepOf(v)), temperature: decimal(v.place.temperature, 2) }),
  });
  Object.assign(v.els, { axes, take, cell, speed, depth, toggle, matrix, residual, gain, editor, forModel, gains, verdict });
  return [make("div", { className: "bar" }, forModel, editor.sizes, make("label", { className: "slider", textContent: _("T") }, temperature.parts[1]),
    makeButton("T = 1", _("Temperature back to 1"), () => go(v, { temperature: 1 })), save),
    make("div", { className: "bar" }, ...dial.parts), verdict,
    make("div", { className: "panels" }, editor.root, make("div", {}, make("div", { className: "panel" }, matrix), cell),
      make("div", {}, make("div", { className: "panel" }, residual), speed), gains)];
}

/** New data: the cells of an own matrix. @param {View} v */
function fitDial(v) {
  if (v.header.own) fitCells(v);
  v.key = undefined;
}

/** What is drawn, each by its own function. @param {View} v
 * @returns {((pen: import("#canvas/pens.js").Pen, theme: import("#canvas/theme.js").Theme, width: number) => void)[]} */
function pictures(v) {
  const { found: { n, steps, trail, rate, gains }, header: { iterations } } = v;
  const [step, used] = [stepOf(v), iterations ?? undefined];
  const size = (/** @type {number} */ width) => ({ width, height: CURVES, at: step / 2, used });
  return [
    (pen, theme, width) => drawDialMatrix(pen, theme, matrixPlan(n, Math.min(width, 300)), steps[step], step ? (step + 1) % 2 : null, v.hover ?? v.cursor),
    (pen, theme, width) => drawResidual(pen, theme, { ...size(width), trail, rate }),
    ...(gains ? [(/** @type {any} */ pen, /** @type {any} */ theme, /** @type {number} */ width) =>
      drawGains(pen, theme, { ...size(width), gains, distance: v.distance })] : []),
  ];
}

/** @param {View} v */
function paint(v) {
  const { els, header: { own }, place } = v;
  const key = JSON.stringify([tokenOf(v), sublayerOf(v), place.temperature, place.kind, own && v.words]);
  if (key !== v.key) v.found = compute(v) ?? v.found;
  v.key = key;
  if (!v.found) return;
  els.forModel.hidden = els.gains.hidden = Boolean(own);
  els.editor.root.hidden = els.editor.sizes.hidden = els.verdict.hidden = !own;
  const [matrix, residual, gain] = pictures(v);
  v.layout = matrixPlan(v.found.n, Math.min(widthOf(els.matrix), 300));
  matrix(penOf(v, els.matrix, v.layout.height), v.theme, widthOf(els.matrix));
  residual(penOf(v, els.residual, CURVES), v.theme, widthOf(els.residual));
  gain?.(penOf(v, els.gain, CURVES), v.theme, widthOf(els.gain));
  els.matrix.setAttribute("aria-label", matrixWords(v));
  els.residual.setAttribute("aria-label", _("Residual against iterations, logarithmic. {speed}", { speed: speedWords(v) }));
  els.cell.textContent = cellWords(v);
  els.speed.textContent = speedWords(v);
  if (gain) {
    els.depth.textContent = gainWords(v);
    els.gain.setAttribute("aria-label", _("Gain over depth against iterations. {gains}", { gains: gainWords(v) }));
  }
  els.verdict.textContent = own && (v.found.support ? own.verdict : _("Checking whether a scaling exists …"));
  els.verdict.className = `verdict ${v.found.support?.kind ?? ""}`;
  els.toggle.setAttribute("aria-pressed", String(v.distance));
  for (const axis of els.axes) axis.repaint();
  const { n, trail, rate } = v.found;
  Object.assign(v.root.dataset, { step: stepOf(v), residual: trail[stepOf(v)], rate, n, plan: JSON.stringify(v.layout) });
}

export default live({ id: "dial", build, paint, fit: fitDial });
