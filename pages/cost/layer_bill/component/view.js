// @ts-check
// A layer's bill, the same filled in by hand, and what it comes to word by word: state, DOM and painting.

import { decode } from "#canvas/decode.js";
import { debounce, make, makeButton } from "#canvas/dom.js";
import { pointByKeys } from "#canvas/keys.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";
import { canvasPen, fit, figureOf } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { paperTheme, readTheme } from "#canvas/theme.js";
import { billHeight, billSentence, drawBill, placeAt } from "./bill.js";
import { COUNTS, drawGrowth, growthHeight, growthSentence } from "./growth.js";
import { buildHand } from "./hand.js";
import { fillPresets, makeControl, showSizes, takePreset } from "./sliders.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */

const DELAY = 400; // milliseconds without a change until the link learns of it
const SAVED = 1000; // pixels of a saved figure
const LONGEST_TEXT = 2000; // tokens that are written

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  const { header } = decode(bytes);
  const fresh = header.origin !== v.header?.origin;
  const other = header.view !== v.header?.view;
  v.header = header;
  if (fresh) {
    const { sizes, toy, answers, counted, prompt, steps } = header;
    v.state = { sizes, toy, answers, counted, prompt, steps };
  }
  if (fresh || other) begin(v);
  paint(v);
  announcePicture(header.picture);
}

/** @param {View} v */
function begin(v) {
  v.at = 0;
  v.root.dataset.view = v.header.view;
  fillPresets(v);
  v.els.said.textContent = v.header.said;
  if (v.header.view === "hand") buildHand(v);
}

/** @param {View} v */
function changed(v) {
  paint(v);
  v.sendSoon();
}

/** @param {View} v */
function paint(v) {
  if (!v.header || !v.root.clientWidth) return;
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  const { sizes } = v.state;
  Object.assign(v.root.dataset, { n: String(sizes.n), h: String(sizes.h), d: String(sizes.d), counted: v.state.counted });
  showSizes(v);
  if (v.header.view === "hand") return;
  const { canvas } = v.els;
  const width = /** @type {HTMLElement} */ (canvas.parentElement).clientWidth;
  const bill = v.header.view === "bill";
  const pen = canvasPen(fit(canvas, width, bill ? billHeight(width) : growthHeight()), v.theme);
  v.spot = drawPicture(v, pen, v.theme, width, v.at);
  const told = bill ? billSentence(v.at ? { ...sizes, n: v.at } : sizes) : growthSentence(v.state, v.at);
  v.els.told.textContent = told;
  canvas.setAttribute("aria-label", told);
  for (const button of v.els.counted.querySelectorAll("button.pick")) button.setAttribute("aria-pressed", String(/** @type {HTMLElement} */ (button).dataset.counted === v.state.counted));
  Object.assign(v.els.prompt, { value: v.state.prompt });
  Object.assign(v.els.steps, { value: v.state.steps });
  v.els.promptName.textContent = String(v.state.prompt);
  v.els.stepsName.textContent = String(v.state.steps);
}

/**
 * @param {View} v
 * @param {import("#canvas/pens.js").Pen} pen
 * @param {import("#canvas/theme.js").Theme} theme
 * @param {number} width
 * @param {number} at
 */
function drawPicture(v, pen, theme, width, at) {
  return v.header.view === "bill" ? drawBill(pen, theme, v.state.sizes, width, at) : drawGrowth(pen, theme, v.state, width, at);
}

/** @param {View} v */
function saved(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  const height = (v.header.view === "bill" ? billHeight(SAVED - 32) : growthHeight()) + 32;
  return figureOf("tlmviz-layer-bill", { width: SAVED, height, theme }, (pen) => pen.shifted(16, 16, () => drawPicture(v, pen, theme, SAVED - 32, 0)));
}

/** @param {View} v */
function savesOf(v) {
  return make("div", { className: "saves" }, pictureButton(v, "this figure", () => saved(v)));
}

// --- the DOM, built once --------------------------------------------------------------------------

/** @param {View} v */
function makeCanvas(v) {
  const canvas = make("canvas", { role: "img", testid: "bill-canvas" });
  const inside = (/** @type {PointerEvent} */ { offsetX, offsetY }) => offsetX >= v.spot.left && offsetX <= v.spot.right && offsetY >= v.spot.top && offsetY <= v.spot.bottom + 20;
  const point = (/** @type {number} */ at) => {
    if (at === v.at) return;
    v.at = at;
    paint(v);
  };
  canvas.addEventListener("pointermove", (event) => {
    if (!v.spot) return;
    const place = inside(event) ? placeAt(v.spot, event.offsetX) : 0;
    if (event.buttons && place && v.header.view === "bill") settle(v, place);
    else point(place);
  });
  canvas.addEventListener("pointerdown", (event) => v.spot && v.header.view === "bill" && inside(event) && settle(v, placeAt(v.spot, event.offsetX)));
  canvas.addEventListener("pointerleave", () => point(0));
  pointByKeys(canvas);
  return canvas;
}

/**
 * The number of tokens was set in the chart.
 * @param {View} v
 * @param {number} n
 */
function settle(v, n) {
  v.at = 0;
  v.state.sizes = { ...v.state.sizes, n: Math.min(n, v.header.most.n) };
  changed(v);
}

/** @param {View} v */
function makeGrowth(v) {
  const choose = (/** @type {string} */ counted) => {
    v.state.counted = counted;
    changed(v);
  };
  v.els.counted = make("div", { className: "menu", role: "group", "aria-label": "What is counted" }, ...Object.entries(COUNTS).map(([counted, name]) => {
    const button = makeButton(name, `Count ${name}`, () => choose(counted));
    button.classList.add("pick");
    button.dataset.counted = counted;
    return button;
  }));
  v.els.counted.append(savesOf(v));
  const slider = (/** @type {"prompt" | "steps"} */ key, /** @type {string} */ name) => {
    v.els[key] = make("input", { type: "range", min: 1, max: LONGEST_TEXT, "aria-label": name, testid: `growth-${key}` });
    v.els[`${key}Name`] = make("output");
    v.els[key].addEventListener("input", () => {
      v.state[key] = Number(v.els[key].value);
      changed(v);
    });
    return make("label", { className: "size" }, make("span", { textContent: name }), v.els[key], v.els[`${key}Name`]);
  };
  v.els.growth = make("div", { className: "growth" }, v.els.counted, make("div", { className: "grid" }, slider("prompt", "prompt P"), slider("steps", "new tokens N")));
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ at: 0, controls: [], wrong: new Map(), els: {} });
  v.sendSoon = debounce(() => v.component.setStateValue("bill", { ...v.state, origin: v.header.origin }), DELAY);
  const change = () => changed(v);
  v.els.preset = make("select", { "aria-label": "A published layer", testid: "bill-preset" });
  v.els.preset.addEventListener("change", () => takePreset(v, change));
  const bytes = [[4, "FP32"], [2, "FP16, BF16"], [1, "FP8"]].map(([value, textContent]) => make("option", { value, textContent }));
  v.els.bytes = make("select", { "aria-label": TEXTS.bytesNumber }, ...bytes);
  v.els.bytes.addEventListener("change", () => {
    v.state.sizes = { ...v.state.sizes, bytes: Number(v.els.bytes.value) };
    change();
  });
  v.els.gated = make("input", { type: "checkbox" });
  v.els.gated.addEventListener("change", () => {
    v.state.sizes = { ...v.state.sizes, gated: v.els.gated.checked };
    change();
  });
  v.els.source = make("small", { className: "source" });
  v.els.said = make("p", { className: "said", "aria-live": "polite", testid: "bill-said" });
  v.els.told = make("p", { className: "told", "aria-live": "polite", testid: "bill-told" });
  v.els.table = make("div", { className: "hand" });
  v.els.canvas = makeCanvas(v);
  v.controls = /** @type {const} */ (["n", "batch", "d", "f", "h", "g"]).map((key) => makeControl(v, key, change));
  v.els.sliders = make("div", { className: "grid" }, ...v.controls.map(({ root }) => root));
  makeGrowth(v);
  const bar = make("div", { className: "bar" }, v.els.preset, v.els.bytes, make("label", { className: "gate" }, v.els.gated, "gate (third matrix)"), v.els.source, savesOf(v));
  v.root = make("div", { className: "bill", testid: "bill-root" }, make("div", { className: "sizes" }, bar, v.els.sliders), v.els.growth, v.els.table, v.els.said, make("div", { className: "picture" }, v.els.canvas), v.els.told);
  host.append(v.root);
  v.observer = watchWidth(v, () => paint(v), () => Boolean(v.header));
  return v;
}

/** @param {View} v */
function leave(v) {
  v.sendSoon.cancel();
  v.observer.disconnect();
}

export default mounted({ create, receive, leave });
