// @ts-check
// A number in every format: its bits to click, the value they make, its neighbours, and its error in all formats at once.

import { decodeBits, kept, neighbour } from "#canvas/bits.js";
import { decode } from "#canvas/decode.js";
import { debounce, make, makeButton } from "#canvas/dom.js";
import { addMenu } from "#canvas/laid_out.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";
import { canvasPen, fit } from "#canvas/pens.js";
import { readTheme } from "#canvas/theme.js";
import { drawLanes, laneHeight } from "./lanes.js";
import { formula, hex, LONGEST, raised, readNumber, spelled } from "./reading.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("#canvas/bits.js").Format} Format */

const DELAY = 400; // milliseconds without a change until the link learns of it
const FATES = { exact: "exact", rounded: "rounded", overflow: "overflow", underflow: "to zero", subnormal: "few bits left", none: "has none" };
const BEYOND = { infinity: "∞", nan: "NaN", finite: "the largest" };

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  const { header } = decode(bytes);
  const fresh = header.origin !== v.header?.origin;
  v.header = header;
  if (fresh) {
    v.format = header.formats.find((/** @type {Format} */ each) => each.key === header.format);
    v.text = header.text;
    v.input.value = v.text;
    read(v);
  }
  paint(v);
  announcePicture(header.picture);
}

/**
 * Read what is typed; where it is no number, say so and keep the one before.
 * @param {View} v
 */
function read(v) {
  const found = readNumber(v.text, v.format);
  v.said.textContent = found.problem ?? found.note ?? "";
  v.said.classList.toggle("lost", Boolean(found.problem));
  if (found.problem && v.x !== undefined) {
    v.code = kept(v.format, v.x).code;
    return;
  }
  v.x = found.x;
  v.code = found.code ?? kept(v.format, found.x).code;
}

/**
 * @param {View} v
 * @param {string} text
 */
function write(v, text) {
  v.text = text;
  v.input.value = text;
  read(v);
  paint(v);
  v.sendSoon();
}

/**
 * Bits of one format mean another number in the next: the number stays, not the bits.
 * @param {View} v
 * @param {Format} format
 */
function choose(v, format) {
  if (/^\s*0[xb]/i.test(v.text)) v.text = Number.isFinite(v.x) ? (Object.is(v.x, -0) ? "-0" : String(v.x)) : Number.isNaN(v.x) ? "nan" : v.x > 0 ? "inf" : "-inf";
  v.format = format;
  write(v, v.text);
}

/** @param {View} v */
function paint(v) {
  if (!v.header || !v.root.clientWidth) return;
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  v.menu.replaceChildren(...v.header.formats.map((format) => make("button", { type: "button", className: "pick", textContent: format.name, title: format.use, "aria-pressed": String(format === v.format), onclick: () => choose(v, format) })));
  paintBits(v);
  paintNear(v);
  v.facts.textContent = facts(v.format);
  paintTable(v);
  const width = /** @type {HTMLElement} */ (v.canvas.parentElement).clientWidth;
  const what = { formats: v.header.formats, chosen: v.format, x: v.x, width };
  drawLanes(canvasPen(fit(v.canvas, width, laneHeight(v.header.formats.length)), v.theme), v.theme, what);
  v.canvas.setAttribute("aria-label", TEXTS.numbersEveryFormat(spelled(v.x)));
  Object.assign(v.root.dataset, { format: v.format.key, code: String(v.code), value: String(v.x) });
}

/** @param {View} v */
function paintBits(v) {
  const { format, code } = v;
  const parts = [["sign", 1], ["exponent", format.exponent], ["mantissa", format.mantissa]];
  let place = format.bits;
  const groups = parts.filter(([, count]) => count).map(([name, count]) => {
    const cells = Array.from({ length: Number(count) }, () => bitButton(v, --place));
    return make("div", { className: `group ${name}` }, make("small", { textContent: format.integer && name === "mantissa" ? "value" : String(name) }), make("div", { className: "cells" }, ...cells));
  });
  const active = /** @type {HTMLElement | null} */ (/** @type {ShadowRoot | Document} */ (v.root.getRootNode()).activeElement)?.dataset.place;
  v.bits.replaceChildren(...groups);
  if (active !== undefined) /** @type {HTMLElement | null} */ (v.bits.querySelector(`[data-place="${active}"]`))?.focus();
  v.formula.textContent = code === null ? TEXTS.hasNoPattern(format.name, spelled(v.x)) : formula(format, code);
}

/**
 * @param {View} v
 * @param {number} place from the last bit, 0
 */
function bitButton(v, place) {
  const on = Math.floor((v.code ?? 0) / 2 ** place) % 2 === 1;
  const flip = () => write(v, hex((v.code ?? 0) + (on ? -1 : 1) * 2 ** place, v.format));
  const button = make("button", { type: "button", textContent: on ? "1" : "0", "aria-pressed": String(on), "aria-label": `bit ${place}`, onclick: flip });
  button.dataset.place = String(place);
  return button;
}

/** @param {View} v */
function paintNear(v) {
  const { format, code } = v;
  if (code === null) {
    v.near.replaceChildren();
    return;
  }
  const here = decodeBits(format, code);
  const [below, above] = /** @type {const} */ ([-1, 1]).map((way) => neighbour(format, code, way));
  const button = (/** @type {number | null} */ next, /** @type {string} */ arrow, /** @type {string} */ title) => {
    const text = next === null ? "none" : spelled(decodeBits(format, next).value);
    const made = makeButton(arrow === "←" ? `← ${text}` : `${text} →`, title, () => next !== null && write(v, hex(next, format)));
    made.disabled = next === null;
    return made;
  };
  const next = above ?? below;
  const ulp = next === null ? NaN : Math.abs(decodeBits(format, next).value - here.value);
  const step = Number.isFinite(here.value) ? TEXTS.neighboursStepUp(spelled(ulp, 4)) : "no neighbours";
  v.near.replaceChildren(button(below, "←", TEXTS.nextSmallerNumber), make("b", { textContent: `${spelled(here.value)} = ${hex(code, format)}, ${here.kind}` }), button(above, "→", TEXTS.nextLargerNumber), make("span", { textContent: step }));
}

/** @param {Format} format */
function facts(format) {
  if (format.integer) return TEXTS.wholeNumbersRounding(format.name, 2 ** format.mantissa, format.largest);
  const power = (/** @type {number} */ value) => `2${raised(Math.round(Math.log2(value)))}`;
  return TEXTS.largestSmallestNormal(format.name, spelled(format.largest, 6), power(format.smallest_normal), spelled(format.smallest_normal, 3), power(format.smallest), spelled(format.smallest, 3), power(format.step_at_one), BEYOND[format.top]);
}

/** @param {View} v */
function paintTable(v) {
  v.body.replaceChildren(...v.header.formats.map((format) => {
    const { value, code, fate } = kept(format, v.x);
    const lost = fate === "overflow" || fate === "underflow" || fate === "none";
    const error = value - v.x;
    const known = Number.isFinite(error);
    const texts = [format.name, fate === "none" ? "–" : spelled(value), known ? spelled(error, 3) : "–", known && v.x !== 0 ? percent(Math.abs(error / v.x)) : "–", code === null ? "–" : hex(code, format), FATES[fate]];
    const cells = texts.map((text, i) => make("td", { className: i === 4 ? "pattern" : i === 5 && lost ? "lost" : "" }, i ? text : make("button", { type: "button", className: "name", textContent: text, "aria-label": `Choose ${text}`, "aria-pressed": String(format === v.format) })));
    const row = make("tr", { className: format === v.format ? "chosen" : "", onclick: () => choose(v, format), testid: `row-${format.key}` }, ...cells);
    return row;
  }));
}

/** @param {number} share */
function percent(share) {
  return share === 0 ? "0 %" : `${spelled(100 * share, 2)} %`;
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({});
  v.sendSoon = debounce(() => v.component.setStateValue("number", { format: v.format.key, text: v.text, origin: v.header.origin }), DELAY);
  v.input = make("input", { type: "text", maxLength: LONGEST, spellcheck: false, autocomplete: "off", "aria-label": TEXTS.numberBits, testid: "formats-number" });
  v.input.addEventListener("input", () => {
    v.text = v.input.value;
    read(v);
    paint(v);
    v.sendSoon();
  });
  v.menu = make("div", { className: "menu", role: "group", "aria-label": "Format" });
  v.said = make("p", { className: "said", "aria-live": "polite", testid: "formats-said" });
  v.bits = make("div", { className: "bits", testid: "formats-bits" });
  v.formula = make("p", { className: "formula", testid: "formats-formula" });
  v.near = make("div", { className: "near" });
  v.facts = make("p", { className: "facts" });
  v.canvas = make("canvas", { role: "img", testid: "formats-lanes" });
  v.body = make("tbody");
  const heads = ["Format", "keeps", "error", "relative", "bits", ""].map((text, i) => make("th", { textContent: text, className: i === 4 ? "pattern" : "" }));
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...heads)), v.body);
  const both = make("div", { className: "both" }, make("div", { className: "table" }, table), make("div", { className: "lanes" }, v.canvas));
  v.root = make("div", { className: "formats", testid: "formats-root" }, make("div", { className: "bar" }, v.input, v.menu), v.said, v.bits, v.formula, v.near, v.facts, both);
  host.append(v.root);
  addMenu(v, TEXTS.numberBitsEvery, true);
  v.observer = watchWidth(v, () => paint(v), () => Boolean(v.header));
  return v;
}

/** @param {View} v */
function leave(v) {
  v.sendSoon.cancel();
  v.observer.disconnect();
}

export default mounted({ create, receive, leave });
