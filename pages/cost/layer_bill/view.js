// @ts-check
// A layer's bill, the same filled in by hand, and what it comes to word by word.

import { make } from "#canvas/dom.js";
import { pointByKeys } from "#canvas/keys.js";
import { _ } from "#canvas/language.js";
import { go, live, penOf, saving, segments, widthOf } from "#canvas/live.js";
import { billHeight, billSentence, drawBill, placeAt } from "./bill.js";
import { fitted } from "./counting.js";
import { countNames, drawGrowth, growthHeight, growthSentence } from "./growth.js";
import { buildHand, filledIn } from "./hand.js";
import { fillPresets, makeControl, showSizes, takePreset } from "./sliders.js";

/**
 * A layer: B texts of n tokens, width d, h query heads of `head` numbers (0: d / h), g key/value heads, inner width f.
 * @typedef {{ n: number, d: number, h: number, g: number, f: number, gated: boolean, batch: number, bytes: number, head: number }} Sizes
 * @typedef {{ multiplications: number, softmax: number, weights: number, written: number, maps: number, operations: number }} Line
 * @typedef {{ name: string, hint: string, answers: [number, string][] }} Question asked for one head and for all;
 *   each answer is a number and how it is worked out
 * @typedef {{ sizes: Sizes, counted: string, prompt: number, steps: number }} State what areas are drawn of
 * @typedef {{ left: number, right: number, top: number, bottom: number, low: number, high: number, log: boolean }} Spots the place of a chart's axis
 * @typedef {{ key: "n" | "d" | "h" | "g" | "f" | "batch", box: HTMLInputElement, range: HTMLInputElement, root: HTMLElement }} Control
 * @typedef {{ view: "bill" | "hand" | "growth", presets: { name: string, sizes: Sizes, source: string }[], most: Record<string, number>, longest: number,
 *   told: string }} Header
 * `toy` is n, d and h of the table that is filled in by hand, `answers` its cells, joined; `told` says what a link asked for and cannot be.
 * @typedef {Sizes & { counted: string, prompt: number, steps: number, toy: number[], answers: string }} Place
 * @typedef {import("#canvas/live.js").View<Header, {}, Place> & { sizes: Sizes, controls: Control[], spot?: Spots, wrong: Map<string, number>,
 *   built?: string, sliders: { key: "prompt" | "steps", range: HTMLInputElement, reading: HTMLElement }[] }} View
 */

/** @param {View} v @returns {State} */
const stateOf = (v) => ({ sizes: v.sizes, counted: v.place.counted, prompt: v.place.prompt, steps: v.place.steps });

/**
 * @param {View} v
 * @param {import("#canvas/pens.js").Pen} pen
 * @param {import("#canvas/theme.js").Theme} theme
 * @param {number} width
 * @param {number} at
 */
function drawPicture(v, pen, theme, width, at) {
  return v.header.view === "bill" ? drawBill(pen, theme, v.sizes, width, at) : drawGrowth(pen, theme, stateOf(v), width, at);
}

/** @param {View} v */
function makeCanvas(v) {
  const canvas = make("canvas", { role: "img", testid: "bill-canvas" });
  const under = (/** @type {PointerEvent} */ { offsetX, offsetY }) => {
    const { spot } = v;
    const inside = spot && offsetX >= spot.left && offsetX <= spot.right && offsetY >= spot.top && offsetY <= spot.bottom + 20;
    return inside ? placeAt(spot, offsetX) : null;
  };
  const settle = (/** @type {number} */ n) => {
    v.hover = null;
    go(v, { n: Math.max(1, Math.min(n, v.header.most.n)) });
  };
  canvas.addEventListener("pointermove", (event) => {
    const at = under(event);
    if (event.buttons && at && v.header.view === "bill") settle(at);
    else if (at !== v.hover) {
      v.hover = at;
      v.paint();
    }
  });
  canvas.addEventListener("pointerdown", (event) => {
    const at = under(event);
    if (at && v.header.view === "bill") settle(at);
  });
  canvas.addEventListener("pointerleave", () => {
    v.hover = null;
    v.paint();
  });
  pointByKeys(canvas);
  return canvas;
}

/** @param {View} v */
function makeGrowth(v) {
  const options = () => Object.entries(countNames()).map(
    ([counted, name]) => /** @type {[string, string, string]} */ ([counted, name, _("Count {name}", { name })]));
  const counted = segments(options, () => v.place.counted, (value) => go(v, { counted: value }), _("What is counted"));
  const slider = (/** @type {"prompt" | "steps"} */ key, /** @type {string} */ name) => {
    const range = make("input", { type: "range", min: 1, "aria-label": name, testid: `growth-${key}` });
    range.addEventListener("input", () => go(v, { [key]: Number(range.value) }));
    const reading = make("output");
    v.sliders.push({ key, range, reading });
    return make("label", { className: "size" }, make("span", { textContent: name }), range, reading);
  };
  v.els.counted = counted;
  return make("div", { className: "growth" }, make("div", { className: "bar" }, counted.root, savesOf(v)),
    make("div", { className: "grid" }, slider("prompt", _("prompt P")), slider("steps", _("new tokens N"))));
}

/** @param {View} v */
function savesOf(v) {
  const height = (/** @type {number} */ width) => (v.header.view === "bill" ? billHeight(width) : growthHeight());
  return saving(v, "tlmviz-layer-bill", { height, draw: (pen, theme, width) => drawPicture(v, pen, theme, width, 0) });
}

/** @param {View} v */
function build(v) {
  Object.assign(v, { controls: [], wrong: new Map(), sliders: [] });
  const { els } = v;
  els.preset = make("select", { "aria-label": _("A published layer"), testid: "bill-preset" });
  els.preset.addEventListener("change", () => takePreset(v));
  const bytes = [[4, "FP32"], [2, "FP16, BF16"], [1, "FP8"]].map(([value, textContent]) => make("option", { value, textContent }));
  els.bytes = make("select", { "aria-label": _("Bytes of a number") }, ...bytes);
  els.bytes.addEventListener("change", () => go(v, { bytes: Number(els.bytes.value) }));
  els.gated = make("input", { type: "checkbox" });
  els.gated.addEventListener("change", () => go(v, { gated: els.gated.checked }));
  els.source = make("small", { className: "source" });
  els.said = make("p", { className: "said", "aria-live": "polite", testid: "bill-said" });
  els.told = make("p", { className: "told", "aria-live": "polite", testid: "bill-told" });
  els.table = make("div", { className: "hand" });
  els.canvas = makeCanvas(v);
  v.controls = /** @type {const} */ (["n", "batch", "d", "f", "h", "g"]).map((key) => makeControl(v, key));
  const grid = make("div", { className: "grid" }, ...v.controls.map(({ root }) => root));
  const bar = make("div", { className: "bar" }, els.preset, els.bytes, make("label", { className: "gate" }, els.gated, _("gate (third matrix)")), els.source,
    savesOf(v));
  return [make("div", { className: "sizes" }, bar, grid), makeGrowth(v), els.table, els.said, make("div", { className: "picture" }, els.canvas), els.told];
}

/** @param {View} v @param {Header | undefined} before */
function begin(v, before) {
  const { view, told } = v.header;
  if (told || view !== before?.view) v.els.said.textContent = told;
  if (view !== before?.view) v.built = undefined;
  fillPresets(v);
}

/** @param {View} v */
function paint(v) {
  const { view } = v.header;
  v.sizes = fitted({ n: v.place.n, d: v.place.d, h: v.place.h, g: v.place.g, f: v.place.f, gated: v.place.gated, batch: v.place.batch, bytes: v.place.bytes,
    head: v.place.head }).sizes;
  Object.assign(v.root.dataset, { view, n: String(v.sizes.n), h: String(v.sizes.h), d: String(v.sizes.d), counted: v.place.counted });
  showSizes(v);
  if (view === "hand") {
    const toy = v.place.toy.join();
    if (v.built !== toy || v.place.answers !== filledIn(v)) {
      v.built = toy;
      buildHand(v);
    }
    return;
  }
  const { canvas, told, counted } = v.els;
  const [width, at] = [widthOf(canvas), v.hover ?? 0];
  v.spot = drawPicture(v, penOf(v, canvas, view === "bill" ? billHeight(width) : growthHeight()), v.theme, width, at);
  told.textContent = view === "bill" ? billSentence(at ? { ...v.sizes, n: at } : v.sizes) : growthSentence(stateOf(v), at);
  canvas.setAttribute("aria-label", `${v.header.title}. ${told.textContent}`);
  counted.repaint();
  for (const { key, range, reading } of v.sliders) {
    Object.assign(range, { max: v.header.longest, value: v.place[key] });
    reading.textContent = String(v.place[key]);
  }
}

export default live({ id: "bill", build, paint, fit: begin });
