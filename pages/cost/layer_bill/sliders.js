// @ts-check
// The sizes of a layer as boxes with sliders, and the menu of published layers.

import { make } from "#canvas/dom.js";
import { go } from "#canvas/live.js";
import { divisorsOf, fitted, headWidth } from "./counting.js";
import { _ } from "#canvas/language.js";
import { grouped } from "./written.js";

/** @typedef {import("./view.js").View} View */
/** @typedef {import("./view.js").Control} Control */

const FINE = 1000; // steps of a slider on a logarithmic scale
const OWN = "own"; // of the menu
const LARGEST = { n: 1 << 17, batch: 256, d: 1 << 15, f: 1 << 17, h: 256, g: 256 };
const sizeNames = () => ({ n: _("tokens n"), batch: _("texts B"), d: _("width d"), f: _("inner width F"), h: _("heads h"), g: _("kv heads g") });

/** Whole numbers that a slider of d or F stops at: multiples of 64 above 256. @param {number} value */
function rounded(value) {
  const step = value > 4096 ? 256 : value > 256 ? 64 : value > 32 ? 8 : 1;
  return Math.max(1, Math.round(value / step) * step);
}

/**
 * What a slider's position means: n, B, d and F grow by factors, heads go through what divides evenly.
 * @param {View} v
 * @param {Control} control
 */
function meant(v, { key, range }) {
  const share = Number(range.value) / FINE;
  if (key === "h" || key === "g") {
    const options = optionsOf(v, key);
    return options[Math.round(share * (options.length - 1))];
  }
  const value = LARGEST[key] ** share;
  return key === "n" || key === "batch" ? Math.max(1, Number(value.toPrecision(2))) : rounded(value);
}

/**
 * @param {View} v
 * @param {"h" | "g"} key
 */
function optionsOf(v, key) {
  const { sizes } = v;
  const options = divisorsOf(key === "h" ? sizes.h * headWidth(sizes) : sizes.h);
  return options.filter((each) => each <= LARGEST[key]);
}

/**
 * Where a slider stands for the sizes now.
 * @param {View} v
 * @param {Control} control
 */
function standing(v, { key }) {
  const value = v.sizes[key];
  if (key === "h" || key === "g") {
    const options = optionsOf(v, key);
    return options.length < 2 ? 0 : (FINE * Math.max(0, options.indexOf(value))) / (options.length - 1);
  }
  return (FINE * Math.log(value)) / Math.log(LARGEST[key]);
}

/**
 * Take a new number for one size; the others follow where they have to.
 * @param {View} v
 * @param {Control["key"]} key
 * @param {number} value
 */
function take(v, key, value) {
  const before = v.sizes;
  const sizes = { ...before, [key]: value };
  if (key === "d") sizes.head = 0; // the heads share the new width
  if (key === "h" && before.head && before.h * before.head !== before.d) sizes.head = Math.max(1, Math.round((before.h * before.head) / value));
  else if (key === "h") sizes.head = 0;
  if (key === "h" && before.g === before.h) sizes.g = value;
  const found = fitted(sizes);
  v.els.said.textContent = found.said;
  go(v, found.sizes);
}

/**
 * @param {View} v
 * @param {Control["key"]} key
 * @returns {Control}
 */
export function makeControl(v, key) {
  const name = sizeNames()[key];
  const box = make("input", { type: "text", inputMode: "numeric", className: "number", maxLength: 12, "aria-label": name, testid: `size-${key}` });
  const range = make("input", { type: "range", min: 0, max: FINE, "aria-label": _("{name}, slider", { name }) });
  const control = { key, box, range, root: make("label", { className: "size" }, make("span", { textContent: name }), range, box) };
  control.root.dataset.key = key;
  range.addEventListener("input", () => take(v, key, meant(v, control)));
  box.addEventListener("change", () => {
    const text = box.value.replace(/[\s,_]/g, "");
    const value = Number(text);
    const most = v.header.most[key];
    if (/^\d+$/.test(text) && value >= 1 && value <= most) {
      take(v, key, value);
      return;
    }
    v.els.said.textContent = _("“{value}” cannot be the {name}: give a whole number from 1 to {most}.", { value: box.value, name, most: grouped(most) });
    box.value = grouped(v.sizes[key]);
  });
  return control;
}

/**
 * Show the sizes as they are now.
 * @param {View} v
 */
export function showSizes(v) {
  const { sizes } = v;
  for (const control of v.controls) {
    control.box.value = grouped(sizes[control.key]);
    control.range.value = String(standing(v, control));
  }
  v.els.bytes.value = String(sizes.bytes);
  v.els.gated.checked = sizes.gated;
  const same = (/** @type {import("./view.js").Sizes} */ other) =>
    ["d", "h", "g", "f", "gated"].every((key) => other[/** @type {"d"} */ (key)] === sizes[/** @type {"d"} */ (key)]) && headWidth(other) === headWidth(sizes);
  const preset = v.header.presets.find((each) => same(each.sizes));
  v.els.preset.value = preset?.name ?? OWN;
  v.els.source.textContent = preset ? preset.source : "";
}

/**
 * Fill the menu of published layers.
 * @param {View} v
 */
export function fillPresets(v) {
  v.els.preset.replaceChildren(...v.header.presets.map(({ name }) => make("option", { value: name, textContent: name })),
    make("option", { value: OWN, textContent: _("your own sizes") }));
}

/**
 * A published layer was chosen.
 * @param {View} v
 */
export function takePreset(v) {
  const preset = v.header.presets.find(({ name }) => name === v.els.preset.value);
  v.els.said.textContent = "";
  go(v, preset ? { ...preset.sizes, bytes: v.sizes.bytes, batch: v.sizes.batch } : {});
}
