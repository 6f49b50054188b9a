// @ts-check
// The sizes of a layer as boxes with sliders, and the menu of published layers.

import { make } from "#canvas/dom.js";
import { divisorsOf, fitted, widthOf } from "./counting.js";
import { TEXTS } from "./words.js";
import { grouped } from "./written.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Control} Control */

const FINE = 1000; // steps of a slider on a logarithmic scale
const OWN = "your own sizes";
const SLIDERS = /** @type {const} */ ({ n: ["tokens n", 1 << 17], batch: ["texts B", 256], d: ["width d", 1 << 15], f: ["inner width F", 1 << 17], h: ["heads h", 256], g: ["kv heads g", 256] });

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
  const value = SLIDERS[key][1] ** share;
  return key === "n" || key === "batch" ? Math.max(1, Number(value.toPrecision(2))) : rounded(value);
}

/**
 * @param {View} v
 * @param {"h" | "g"} key
 */
function optionsOf(v, key) {
  const { sizes } = v.state;
  const options = divisorsOf(key === "h" ? sizes.h * widthOf(sizes) : sizes.h);
  return options.filter((each) => each <= SLIDERS[key][1]);
}

/**
 * Where a slider stands for the sizes now.
 * @param {View} v
 * @param {Control} control
 */
function standing(v, { key }) {
  const value = v.state.sizes[key];
  if (key === "h" || key === "g") {
    const options = optionsOf(v, key);
    return options.length < 2 ? 0 : (FINE * Math.max(0, options.indexOf(value))) / (options.length - 1);
  }
  return (FINE * Math.log(value)) / Math.log(SLIDERS[key][1]);
}

/**
 * Take a new number for one size; the others follow where they have to.
 * @param {View} v
 * @param {Control["key"]} key
 * @param {number} value
 * @param {() => void} changed
 */
function take(v, key, value, changed) {
  const before = v.state.sizes;
  const sizes = { ...before, [key]: value };
  if (key === "d") sizes.head = 0; // the heads share the new width
  if (key === "h" && before.head && before.h * before.head !== before.d) sizes.head = Math.max(1, Math.round((before.h * before.head) / value));
  else if (key === "h") sizes.head = 0;
  if (key === "h" && before.g === before.h) sizes.g = value;
  const found = fitted(sizes);
  v.state.sizes = found.sizes;
  v.els.said.textContent = found.said;
  changed();
}

/**
 * @param {View} v
 * @param {Control["key"]} key
 * @param {() => void} changed
 * @returns {Control}
 */
export function makeControl(v, key, changed) {
  const [name] = SLIDERS[key];
  const box = make("input", { type: "text", inputMode: "numeric", className: "number", maxLength: 12, "aria-label": name, testid: `size-${key}` });
  const range = make("input", { type: "range", min: 0, max: FINE, "aria-label": `${name}, slider` });
  const control = { key, box, range, root: make("label", { className: "size" }, make("span", { textContent: name }), range, box) };
  control.root.dataset.key = key;
  range.addEventListener("input", () => take(v, key, meant(v, control), changed));
  box.addEventListener("change", () => {
    const text = box.value.replace(/[\s,_]/g, "");
    const value = Number(text);
    const most = v.header.most[key];
    if (/^\d+$/.test(text) && value >= 1 && value <= most) {
      take(v, key, value, changed);
      return;
    }
    v.els.said.textContent = TEXTS.cannotGiveWhole(box.value, name, grouped(most));
    box.value = grouped(v.state.sizes[key]);
  });
  return control;
}

/**
 * Show the sizes as they are now.
 * @param {View} v
 */
export function showSizes(v) {
  const { sizes } = v.state;
  for (const control of v.controls) {
    control.box.value = grouped(sizes[control.key]);
    control.range.value = String(standing(v, control));
  }
  v.els.bytes.value = String(sizes.bytes);
  v.els.gated.checked = sizes.gated;
  const same = (/** @type {import("./types").Sizes} */ other) => ["d", "h", "g", "f", "gated"].every((key) => other[/** @type {"d"} */ (key)] === sizes[/** @type {"d"} */ (key)]) && widthOf(other) === widthOf(sizes);
  const preset = v.header.presets.find((each) => same(each.sizes));
  v.els.preset.value = preset?.name ?? OWN;
  v.els.source.textContent = preset ? preset.source : "";
}

/**
 * Fill the menu of published layers.
 * @param {View} v
 */
export function fillPresets(v) {
  v.els.preset.replaceChildren(...v.header.presets.map(({ name }) => make("option", { value: name, textContent: name })), make("option", { value: OWN, textContent: OWN }));
}

/**
 * A published layer was chosen.
 * @param {View} v
 * @param {() => void} changed
 */
export function takePreset(v, changed) {
  const preset = v.header.presets.find(({ name }) => name === v.els.preset.value);
  if (preset) v.state.sizes = { ...preset.sizes, bytes: v.state.sizes.bytes, batch: v.state.sizes.batch };
  v.els.said.textContent = "";
  changed();
}
