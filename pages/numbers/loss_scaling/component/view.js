// @ts-check
// Gradients against a format's floor: the scale dragged, tensors picked, all answered here.

import { decode } from "#canvas/decode.js";
import { debounce, make, makeButton } from "#canvas/dom.js";
import { pointByKeys } from "#canvas/keys.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";
import { canvasPen, fit, figureOf } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { paperTheme, readTheme } from "#canvas/theme.js";
import { CURVE_HEIGHT, SIZES_HEIGHT, drawCurve, drawGrid, drawSizes, fateColors, gridOf, partAt, scaleAt } from "./drawing.js";
import { FATES, fatesAt, safeScales, together } from "./fates.js";
import { powerOfTwo, scaleName, sentence } from "./words.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */

const DELAY = 400; // milliseconds at rest until the link learns of it
const NAMES = { lost: "lost: rounded to 0", subnormal: "subnormal: fewer bits", normal: "normal", overflow: TEXTS.tooLargeInfinite };
const SAVED = 900; // pixels of a saved figure

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  const { header, arrays } = decode(bytes);
  const fresh = header.origin !== v.header?.origin;
  v.header = header;
  const every = Float64Array.from(arrays.low, (/** @type {number} */ low, /** @type {number} */ i) => low + 65536 * arrays.high[i]);
  let start = 0;
  v.sizes = header.parts.map((/** @type {import("./types").Part} */ part) => {
    const { lowest, rows, zeros, broken } = part;
    const counts = every.subarray(start, (start += rows * header.columns));
    return { lowest, columns: header.columns, counts, zeros, broken };
  });
  v.whole = together(v.sizes);
  if (fresh) Object.assign(v, { k: header.k, part: header.part, format: header.formats.find((/** @type {import("./types").Format} */ each) => each.key === header.format) });
  v.hover = -1;
  paint(v);
  announcePicture(header.picture);
}

/**
 * @param {View} v
 * @param {Partial<View>} change
 */
function choose(v, change) {
  Object.assign(v, change);
  paint(v);
  v.sendSoon();
}

/** @param {View} v */
function chosen(v) {
  const at = v.header.parts.findIndex((part) => part.name === v.part);
  return at < 0 ? { name: `All ${v.header.what}`, sizes: v.whole } : { name: v.part, sizes: v.sizes[at] };
}

/** @param {View} v */
function safeOf(v) {
  const [first, last] = v.header.scales;
  return safeScales(chosen(v).sizes, v.format.limits, Array.from({ length: last - first + 1 }, (_, i) => first + i), v.header.most_lost);
}

/** @param {View} v */
function paint(v) {
  if (!v.header || !v.root.clientWidth) return;
  const { els, header } = v;
  v.theme = readTheme(v.root, header.colors, v.theme);
  const { name, sizes } = chosen(v);
  const [safe, fates] = [safeOf(v), fatesAt(sizes, v.format.limits, v.k)];
  els.menu.replaceChildren(...header.formats.map((format) => make("button", { type: "button", className: "pick", textContent: format.name, "aria-pressed": String(format === v.format), onclick: () => choose(v, { format }) })));
  Object.assign(els.slider, { min: header.scales[0], max: header.scales[1], value: v.k });
  els.slider.setAttribute("aria-valuetext", scaleName(v.k));
  for (const [name, value] of Object.entries({ min: header.scales[0], max: header.scales[1], now: v.k, text: scaleName(v.k) })) els.curve.setAttribute(`aria-value${name}`, String(value));
  els.name.textContent = scaleName(v.k);
  Object.assign(els.safe, { disabled: !safe, textContent: safe ? `Largest safe ${powerOfTwo(safe[1])}` : "No safe scale" });
  els.all.hidden = !v.part;
  els.legend.replaceChildren(...FATES.map((fate) => {
    const swatch = make("i");
    swatch.style.background = fateColors(v.theme)[fate];
    return make("span", {}, swatch, NAMES[fate]);
  }));
  paintCanvases(v, sizes, safe);
  els.said.textContent = v.hover >= 0 ? sentenceOf(v, v.hover) : sentence({ name, fates, zeros: sizes.zeros, format: v.format, k: v.k, safe, mostLost: header.most_lost });
  els.sizes.setAttribute("aria-label", els.said.textContent);
  const { lost, subnormal, overflow, total } = fates;
  Object.assign(v.root.dataset, { format: v.format.key, k: String(v.k), part: v.part, lost: String(lost), subnormal: String(subnormal), overflow: String(overflow), total: String(total) });
}

/**
 * @param {View} v
 * @param {import("./types").Sizes} sizes
 * @param {[number, number] | null} safe
 */
function paintCanvases(v, sizes, safe) {
  const { els, header, format, k, theme } = v;
  const pens = (/** @type {HTMLCanvasElement} */ canvas, /** @type {number} */ height) => {
    const width = /** @type {HTMLElement} */ (canvas.parentElement).clientWidth;
    return { pen: canvasPen(fit(canvas, width, height), theme), width };
  };
  const first = pens(els.sizes, SIZES_HEIGHT);
  drawSizes(first.pen, theme, { sizes, whole: v.whole, format, k, width: first.width });
  const second = pens(els.curve, CURVE_HEIGHT);
  drawCurve(second.pen, theme, { sizes, format, k, width: second.width, scales: header.scales, safe });
  v.layout = gridOf(header, /** @type {HTMLElement} */ (els.grid.parentElement).clientWidth, SIZES_HEIGHT + CURVE_HEIGHT - 20);
  drawGrid(pens(els.grid, v.layout.height).pen, theme, { header, grid: v.layout, parts: v.sizes, format, k, part: v.part, hover: v.hover });
}

/**
 * @param {View} v
 * @param {number} at
 */
function sentenceOf(v, at) {
  const sizes = v.sizes[at];
  const [first, last] = v.header.scales;
  const safe = safeScales(sizes, v.format.limits, Array.from({ length: last - first + 1 }, (_, i) => first + i), v.header.most_lost);
  return sentence({ name: v.header.parts[at].name, fates: fatesAt(sizes, v.format.limits, v.k), zeros: sizes.zeros, format: v.format, k: v.k, safe, mostLost: v.header.most_lost });
}

/** @param {View} v */
function saved(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  const { sizes, name } = chosen(v);
  return figureOf("tlmviz-loss-scaling", { width: SAVED, height: SIZES_HEIGHT + CURVE_HEIGHT + 40, theme }, (pen) => {
    pen.text(16, 16, `${name}, ${scaleName(v.k)}, ${v.format.name}`, { color: theme.text, size: 13, weight: 600 });
    pen.shifted(8, 30, () => drawSizes(pen, theme, { sizes, whole: v.whole, format: v.format, k: v.k, width: SAVED - 16 }));
    pen.shifted(8, 36 + SIZES_HEIGHT, () => drawCurve(pen, theme, { sizes, format: v.format, k: v.k, width: SAVED - 16, scales: v.header.scales, safe: safeOf(v) }));
  });
}

// --- the DOM, built once --------------------------------------------------------------------------

/** @param {View} v */
function makeCurve(v) {
  const curve = make("canvas", { testid: "scaling-curve", role: "slider", tabIndex: 0, "aria-label": TEXTS.sharesLostSubnormal });
  const go = (/** @type {PointerEvent} */ { offsetX }) => choose(v, { k: scaleAt(offsetX, curve.clientWidth, v.header.scales) });
  curve.addEventListener("pointerdown", (event) => {
    curve.setPointerCapture(event.pointerId);
    go(event);
  });
  curve.addEventListener("pointermove", (event) => event.buttons && go(event));
  curve.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const [first, last] = v.header.scales;
    choose(v, { k: Math.max(first, Math.min(last, v.k + step)) });
  });
  return curve;
}

/** @param {View} v */
function makeGrid(v) {
  const grid = make("canvas", { testid: "scaling-grid", role: "img", "aria-label": TEXTS.everyTensorShares });
  grid.addEventListener("pointermove", ({ offsetX, offsetY }) => point(v, partAt(v.header, v.layout, offsetX, offsetY)));
  grid.addEventListener("pointerleave", () => point(v, -1));
  grid.addEventListener("click", ({ offsetX, offsetY }) => {
    const at = partAt(v.header, v.layout, offsetX, offsetY);
    const name = at < 0 ? "" : v.header.parts[at].name;
    choose(v, { part: name === v.part ? "" : name });
  });
  pointByKeys(grid, () => [v.layout.cell, v.layout.tall]);
  return grid;
}

/**
 * @param {View} v
 * @param {number} part
 */
function point(v, part) {
  if (part === v.hover) return;
  v.hover = part;
  paint(v);
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ hover: -1, part: "", k: 0 });
  v.sendSoon = debounce(() => v.component.setStateValue("scale", { format: v.format.key, k: v.k, part: v.part, origin: v.header.origin }), DELAY);
  const slider = make("input", { type: "range", step: 1, "aria-label": TEXTS.scaleLossPower, testid: "scaling-slider" });
  slider.addEventListener("input", () => choose(v, { k: Number(slider.value) }));
  v.els = {
    slider,
    menu: make("div", { className: "menu", role: "group", "aria-label": "Format" }),
    name: make("output"),
    said: make("p", { className: "said", "aria-live": "polite", testid: "scaling-said" }),
    legend: make("div", { className: "legend" }),
    safe: makeButton("", TEXTS.largestScaleOverflows, () => choose(v, { k: safeOf(v)?.[1] ?? v.k })),
    all: makeButton("All tensors", TEXTS.showAllTensors, () => choose(v, { part: "" })),
    sizes: make("canvas", { testid: "scaling-sizes", role: "img" }),
    curve: makeCurve(v),
    grid: makeGrid(v),
  };
  const { els } = v;
  const saves = [pictureButton(v, "this figure", () => saved(v))];
  v.root = make("div", { className: "scaling", testid: "scaling-root" },
    make("div", { className: "bar" }, els.menu, make("label", { className: "slider" }, slider, els.name), els.safe, els.all, make("div", { className: "menu" }, ...saves)),
    els.said, els.legend,
    make("div", { className: "both" }, make("div", { className: "left" }, els.sizes, els.curve), make("div", { className: "right" }, els.grid)));
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
