// @ts-check
// Gradients against a format's floor: the scale dragged, tensors picked, all answered here.

import { make, makeButton } from "#canvas/dom.js";
import { pointByKeys } from "#canvas/keys.js";
import { _ } from "#canvas/language.js";
import { go, live, makeLegend, penOf, pointing, saving, segments, widthOf } from "#canvas/live.js";
import { CURVE_HEIGHT, SIZES_HEIGHT, drawAll, drawCurve, drawGrid, drawSizes, fateColors, gridOf, partAt, scaleAt } from "./drawing.js";
import { FATES, fatesAt, safeScales, together } from "./fates.js";
import { powerOfTwo, scaleName, sentence } from "./sentences.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("#canvas/theme.js").Theme} Theme */

/** @param {View} v */
const formatOf = (v) => /** @type {import("./types").Format} */ (v.header.formats.find(({ key }) => key === v.place.format));

/** @param {Theme} theme */
function swatches(theme) {
  const names = { lost: _("lost: rounded to 0"), subnormal: _("subnormal: fewer bits"), normal: _("normal"), overflow: _("too large: infinite or NaN") };
  return FATES.map((fate) => ({ name: names[fate], color: fateColors(theme)[fate] }));
}

/**
 * A tensor, or all of them.
 * @param {View} v
 * @param {number} [at]
 */
function chosen(v, at = v.header.parts.findIndex((part) => part.name === v.place.part)) {
  return at < 0 ? { name: _("All {title}", { title: v.header.title }), sizes: v.whole } : { name: v.header.parts[at].name, sizes: v.sizes[at] };
}

/** @param {View} v @param {import("./types").Sizes} [sizes] */
function safeOf(v, sizes = chosen(v).sizes) {
  const [first, last] = v.header.scales;
  return safeScales(sizes, formatOf(v).limits, Array.from({ length: last - first + 1 }, (_k, i) => first + i), v.header.most_lost);
}

/** @param {View} v */
function everything(v) {
  const { header, place } = v;
  return { header, sizes: chosen(v).sizes, whole: v.whole, parts: v.sizes, format: formatOf(v), k: place.k, part: place.part, safe: safeOf(v),
    scales: header.scales };
}

/** @param {View} v */
function build(v) {
  const slider = make("input", { type: "range", step: 1, "aria-label": _("Scale of the loss, as a power of two"), testid: "scaling-slider" });
  slider.addEventListener("input", () => go(v, { k: Number(slider.value) }));
  const safe = makeButton("", _("The largest scale that overflows nothing and loses next to nothing"), () => go(v, { k: safeOf(v)?.[1] ?? v.place.k }));
  const all = makeButton(_("All tensors"), _("Show all tensors together again"), () => go(v, { part: "" }));
  const legend = makeLegend(v, () => swatches(v.theme));
  const said = make("p", { className: "said", "aria-live": "polite", testid: "scaling-said" });
  const sizes = make("canvas", { testid: "scaling-sizes", role: "img" });
  const [name, menu, curve, grid] = [make("output"), make("div"), makeCurve(v), makeGrid(v)];
  Object.assign(v.els, { slider, safe, all, legend, said, sizes, name, menu, curve, grid });
  const save = saving(v, "tlmviz-loss-scaling", {
    narrow: false,
    height: (width) => Math.max(SIZES_HEIGHT + CURVE_HEIGHT + 8, gridOf(v.header, width * 0.42 - 20, SIZES_HEIGHT + CURVE_HEIGHT - 20).height),
    draw: (pen, theme, width) => drawAll(pen, theme, { ...everything(v), width }),
    legend: swatches,
    title: () => `${chosen(v).name}, ${scaleName(v.place.k)}, ${formatOf(v).name}`,
  });
  return [
    make("div", { className: "bar" }, menu, make("label", { className: "slider" }, slider, name), safe, all, save), said, legend.root,
    make("div", { className: "both" }, make("div", { className: "left" }, sizes, curve), make("div", { className: "right" }, grid)),
  ];
}

/** @param {View} v */
function makeCurve(v) {
  const curve = make("canvas", { testid: "scaling-curve", role: "slider", tabIndex: 0,
    "aria-label": _("Shares lost, subnormal and too large for every scale; arrow keys move the scale") });
  const drag = (/** @type {PointerEvent} */ { offsetX }) => go(v, { k: scaleAt(offsetX, curve.clientWidth, v.header.scales) });
  curve.addEventListener("pointerdown", (event) => {
    curve.setPointerCapture(event.pointerId);
    drag(event);
  });
  curve.addEventListener("pointermove", (event) => event.buttons && drag(event));
  curve.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const [first, last] = v.header.scales;
    go(v, { k: Math.max(first, Math.min(last, v.place.k + step)) });
  });
  return curve;
}

/** @param {View} v */
function makeGrid(v) {
  const grid = make("canvas", { testid: "scaling-grid", role: "img",
    "aria-label": _("Every tensor's shares; click one to see it alone. Arrow keys point, Enter clicks.") });
  const under = (/** @type {number} */ x, /** @type {number} */ y) => {
    const at = partAt(v.header, v.layout, x, y);
    return at < 0 ? null : at;
  };
  pointing(v, grid, under);
  grid.addEventListener("click", ({ offsetX, offsetY }) => {
    const at = under(offsetX, offsetY);
    const name = at === null ? "" : v.header.parts[at].name;
    go(v, { part: name === v.place.part ? "" : name });
  });
  pointByKeys(grid, () => [v.layout.cell, v.layout.tall]);
  return grid;
}

/**
 * The counts of every tensor, and the menu of formats.
 * @param {View} v
 */
function unpack(v) {
  const { header, arrays } = v;
  const every = Float64Array.from(arrays.low, (low, i) => low + 65536 * arrays.high[i]);
  let start = 0;
  v.sizes = header.parts.map(({ lowest, rows, zeros, broken }) =>
    ({ lowest, columns: header.columns, counts: every.subarray(start, (start += rows * header.columns)), zeros, broken }));
  v.whole = together(v.sizes);
  const formats = segments(() => header.formats.map(({ key, name }) => [key, name]), () => v.place.format, (format) => go(v, { format }), _("Format"));
  v.els.menu.replaceChildren(formats.root);
  v.els.formats = formats;
}

/** @param {View} v */
function paint(v) {
  const { els, header, place, theme } = v;
  const what = everything(v);
  const { sizes, format, safe } = what;
  const { k, part } = place;
  els.formats.repaint();
  els.legend.repaint();
  Object.assign(els.slider, { min: header.scales[0], max: header.scales[1], value: k });
  els.slider.setAttribute("aria-valuetext", scaleName(k));
  for (const [name, value] of Object.entries({ min: header.scales[0], max: header.scales[1], now: k, text: scaleName(k) }))
    els.curve.setAttribute(`aria-value${name}`, String(value));
  els.name.textContent = scaleName(k);
  Object.assign(els.safe, { disabled: !safe, textContent: safe
    ? (safe[1] === header.scales[1] ? _("Largest here {scale}", { scale: powerOfTwo(safe[1]) }) : _(
    "Largest safe {scale}", { scale: powerOfTwo(safe[1]) })) : _("No safe scale") });
  els.all.hidden = chosen(v).sizes === v.whole;
  drawSizes(penOf(v, els.sizes, SIZES_HEIGHT), theme, { ...what, width: widthOf(els.sizes) });
  drawCurve(penOf(v, els.curve, CURVE_HEIGHT), theme, { ...what, width: widthOf(els.curve) });
  v.layout = gridOf(header, widthOf(els.grid), SIZES_HEIGHT + CURVE_HEIGHT - 20);
  drawGrid(penOf(v, els.grid, v.layout.height), theme, { ...what, grid: v.layout, hover: v.hover ?? -1 });
  const told = v.hover === null ? chosen(v) : chosen(v, v.hover);
  els.said.textContent = sentence({ name: told.name, fates: fatesAt(told.sizes, format.limits, k), zeros: told.sizes.zeros, format, k,
    safe: safeOf(v, told.sizes), mostLost: header.most_lost });
  els.sizes.setAttribute("aria-label", els.said.textContent);
  const { lost, subnormal, overflow, total } = fatesAt(sizes, format.limits, k);
  Object.assign(v.root.dataset, { format: format.key, k: String(k), part, lost: String(lost), subnormal: String(subnormal), overflow: String(overflow),
    total: String(total) });
}

export default live({ id: "scaling", build, paint, fit: (v, before) => v.header !== before && unpack(v) });
