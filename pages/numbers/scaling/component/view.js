// @ts-check
// One product in few bits: state, DOM and painting. The scale's slider is answered here, without the server.

import { decode } from "#canvas/decode.js";
import { debounce, make, makeButton } from "#canvas/dom.js";
import { pointByKeys } from "#canvas/keys.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";
import { canvasPen, fit, figureOf } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { digits } from "#canvas/text.js";
import { paperTheme, readTheme } from "#canvas/theme.js";
import { sampleOf } from "./channels.js";
import { drawProduct, layoutOf, pointedAt } from "./drawing.js";
import { HIGHEST, LOWEST, curveOf, outcome } from "./rounding.js";
import { TEXTS } from "./words.js";
import { decibels } from "./writing.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Name} Name */

const DELAY = 400; // milliseconds at rest until the link learns of it
const SAVED = 1000; // pixels of a saved figure
const SEES = /** @type {const} */ ([["x", "X"], ["w", "W"], ["o", "O"]]);
const COLORS = /** @type {const} */ ([["size", "Sizes"], ["error", "Errors"], ["relative", "Relative errors"]]);

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  const before = v.header?.state.origin;
  if (!(bytes.length === v.bytes?.length && v.bytes.every((byte, i) => byte === bytes[i]))) {
    v.bytes = new Uint8Array(bytes);
    Object.assign(v, decode(bytes), { image: undefined, hover: "" });
    v.curves.clear();
  }
  const { state } = v.header;
  if (state.origin !== before) Object.assign(v, { see: state.see, color: state.color, factor: state.factor });
  paint(v);
  announcePicture(v.header.picture);
}

/**
 * @param {View} v
 * @param {Partial<View>} change
 */
function set(v, change) {
  Object.assign(v, change, { hover: "" });
  paint(v);
  v.sendSoon();
}

/** @param {View} v */
function curve(v) {
  const { name, ...sample } = sampleOf(v);
  let found = v.curves.get(name);
  if (!found) v.curves.set(name, (found = curveOf(v.header.format, sample)));
  return found;
}

/** @param {View} v */
function paint(v) {
  const width = v.root.clientWidth;
  if (!v.header || !width) return;
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  const best = curve(v);
  v.layout = layoutOf(width);
  drawProduct(canvasPen(fit(v.els.canvas, width, v.layout.height), v.theme), v, v.layout, v.theme);
  press(v.els.sees, v.see);
  press(v.els.colors, v.color);
  v.els.slider.value = String(v.factor);
  v.els.best.disabled = v.factor === best.doublings[best.best];
  const { name, ...sample } = sampleOf(v);
  const found = outcome(v.header.format, sample, v.factor);
  v.els.name.textContent = TEXTS.cutRounded(digits(sample.scale * 2 ** v.factor, 3), decibels(found.sqnr), share(found.cut), share(found.lost));
  v.els.slider.setAttribute("aria-label", `Scale of ${name.toUpperCase()}`);
  v.els.said.textContent = v.hover || hint(v);
  v.els.canvas.setAttribute("aria-label", `${v.header.title}. ${v.els.name.textContent}.`);
  Object.assign(v.root.dataset, { see: v.see, color: v.color, factor: String(v.factor), sqnr: found.sqnr.toFixed(2) });
}

/** @param {View} v */
function hint(v) {
  const count = sampleOf(v);
  const part = count.weight > 1 ? TEXTS.sizesCurveNumbers(count.values.length.toLocaleString("en")) : "";
  return TEXTS.pointCellDot(part);
}

/** @param {number} part */
function share(part) {
  return part === 0 ? "0 %" : part < 0.0001 ? "< 0.01 %" : `${digits(100 * part, 3)} %`;
}

/**
 * @param {HTMLElement} group
 * @param {string} chosen
 */
function press(group, chosen) {
  for (const button of group.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.dataset.value === chosen));
}

/**
 * @param {View} v
 * @param {string} label
 * @param {readonly (readonly [string, string])[]} options
 * @param {"see" | "color"} name
 */
function menu(v, label, options, name) {
  const buttons = options.map(([value, text]) => {
    const button = makeButton(text, label, () => set(v, { [name]: value }));
    button.dataset.value = value;
    return button;
  });
  return make("div", { className: "menu", role: "group", "aria-label": label }, ...buttons);
}

/** @param {View} v */
function saved(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  const layout = layoutOf(SAVED - 32);
  const image = v.image;
  v.image = undefined;
  const figure = figureOf("tlmviz-scaling", { width: SAVED, height: layout.height + 50, theme }, (pen) => {
    pen.text(16, 20, v.header.title, { color: theme.text, size: 14, weight: 600 });
    pen.shifted(16, 40, () => drawProduct(pen, v, layout, theme));
  });
  v.image = image;
  return figure;
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ see: "x", color: "size", factor: 0, hover: "", curves: new Map() });
  v.sendSoon = debounce(() => v.component.setStateValue("place", { see: v.see, color: v.color, factor: v.factor }), DELAY);
  const canvas = make("canvas", { testid: "scaling-canvas", role: "img" });
  canvas.addEventListener("pointermove", ({ offsetX, offsetY }) => point(v, offsetX, offsetY));
  canvas.addEventListener("pointerdown", ({ offsetX, offsetY }) => point(v, offsetX, offsetY));
  canvas.addEventListener("pointerleave", () => point(v, -1, -1));
  pointByKeys(canvas);
  const slider = make("input", { type: "range", min: LOWEST, max: HIGHEST, step: 0.125, testid: "scaling-scale" });
  slider.addEventListener("input", () => set(v, { factor: Number(slider.value) }));
  const best = makeButton("Best", TEXTS.moveScaleLeast, () => set(v, { factor: curve(v).doublings[curve(v).best] }));
  const name = make("output", { testid: "scaling-outcome" });
  const sees = menu(v, "Matrix shown", SEES, "see");
  const colors = menu(v, "Colours", COLORS, "color");
  const sliderBar = make("div", { className: "bar" }, make("label", { className: "slider" }, "Scale S", slider), best, name);
  const said = make("p", { className: "said", "aria-live": "polite", testid: "scaling-said" });
  v.els = { canvas, said, slider, name, sees, colors, sliderBar, best };
  const saves = [pictureButton(v, "this figure", () => saved(v))];
  v.root = make("div", { className: "scaling", testid: "scaling-root" }, make("div", { className: "bar" }, sees, colors, make("div", { className: "menu saves" }, ...saves)), canvas, sliderBar, said);
  host.append(v.root);
  v.observer = watchWidth(v, () => paint(v), () => Boolean(v.header));
  return v;
}

/**
 * @param {View} v
 * @param {number} x
 * @param {number} y
 */
function point(v, x, y) {
  if (!v.layout) return;
  v.hover = pointedAt(v, x, y);
  v.els.said.textContent = v.hover || hint(v);
}

/** @param {View} v */
function leave(v) {
  v.sendSoon.cancel();
  v.observer.disconnect();
}

export default mounted({ create, receive, leave });
