// @ts-check
// A number in every format: its bits to click, the value they make, its neighbours, and its error in all formats at once.

import { decodeBits, kept, neighbour } from "#canvas/bits.js";
import { make, makeButton } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { go, live, penOf, saving, widthOf } from "#canvas/live.js";
import { drawLanes, drawSheet, laneHeight, sheetHeight } from "./lanes.js";
import { facts, formula, hex, percent, readNumber, spelled } from "./reading.js";

/** @typedef {import("#canvas/bits.js").Format} Format */
/** @typedef {import("#canvas/live.js").View<{ formats: Format[], longest: number }, {}, { format: string, number: string }> & { shown?: string,
 * problem: string, x: number }} View `shown` is the number that the box was told, `x` what it is */

const FATES = () => ({ exact: _("exact"), rounded: _("rounded"), overflow: _("overflow"), underflow: _("to zero"), subnormal: _("few bits left"),
  none: _("has none") });

/** @param {View} v */
const chosen = (v) => /** @type {Format} */ (v.header.formats.find(({ key }) => key === v.place.format));

/**
 * What is typed becomes the number where it is one; else a sentence says what to type, and the number before stays.
 * @param {View} v
 */
function type(v) {
  const number = v.els.input.value;
  const { problem } = readNumber(number, chosen(v), v.header.longest);
  v.problem = problem ? _("{problem} Shown is still {x}.", { problem, x: spelled(v.x) }) : "";
  if (problem) return v.paint();
  v.shown = number;
  go(v, { number });
}

/**
 * Bits of one format mean another number in the next: the number stays, not the bits.
 * @param {View} v
 * @param {Format} format
 */
function choose(v, format) {
  const { x } = v;
  const decimal = Number.isFinite(x) ? (Object.is(x, -0) ? "-0" : String(x)) : Number.isNaN(x) ? "nan" : x > 0 ? "inf" : "-inf";
  go(v, { format: format.key, number: /^\s*0[xb]/i.test(v.place.number) ? decimal : v.place.number });
}

/** @param {View} v */
function build(v) {
  const input = make("input", { type: "text", spellcheck: false, autocomplete: "off", "aria-label": _("A number, or its bits"), testid: "formats-number" });
  input.addEventListener("input", () => type(v));
  const part = (/** @type {string} */ name) => (v.els[name] = make("p", { className: name, testid: `formats-${name}` }));
  v.els = { input, menu: make("div", { className: "menu", role: "group", "aria-label": _("Format") }),
    bits: make("div", { className: "bits", testid: "formats-bits" }), near: make("div", { className: "near" }),
    canvas: make("canvas", { role: "img", testid: "formats-lanes" }), body: make("tbody") };
  const names = [_("Format"), _("keeps"), _("error"), _("relative"), _("bits"), ""];
  const heads = names.map((text, i) => make("th", { textContent: text, className: i === 4 ? "pattern" : "" }));
  const { menu, bits, near, canvas, body } = v.els;
  const save = saving(v, "tlmviz-formats", {
    narrow: false,
    height: () => sheetHeight(v.header.formats.length),
    draw: (pen, theme, width) => drawSheet(pen, theme, { formats: v.header.formats, chosen: chosen(v), x: v.x, width, code: codeOf(v), words: FATES(),
      heads: names }),
  });
  const table = make("div", { className: "table" }, make("table", {}, make("thead", {}, make("tr", {}, ...heads)), body));
  const said = part("said");
  said.setAttribute("aria-live", "polite");
  return [make("div", { className: "bar" }, input, menu, save), said, bits, part("formula"), near, part("facts"),
    make("div", { className: "both" }, table, make("div", { className: "lanes" }, canvas))];
}

/** @param {View} v */
function codeOf(v) {
  return readNumber(v.place.number, chosen(v), v.header.longest).code ?? kept(chosen(v), v.x).code;
}

/** @param {View} v */
function paint(v) {
  const { els, header, place } = v;
  const format = chosen(v);
  if (v.shown !== place.number) Object.assign(v, { problem: "", shown: (els.input.value = place.number) });
  const found = readNumber(place.number, format, header.longest);
  v.x = found.x;
  const code = codeOf(v);
  const said = v.problem || found.problem;
  els.said.textContent = said || (found.note ?? "");
  els.said.classList.toggle("lost", Boolean(said));
  els.menu.replaceChildren(...header.formats.map((each) =>
    make("button", { type: "button", className: "pick", textContent: each.name, title: each.use, "aria-pressed": String(each === format),
    onclick: () => leaveBox(v, () => choose(v, each)) })));
  paintBits(v, format, code);
  paintNear(v, format, code);
  els.facts.textContent = facts(format);
  paintTable(v, format);
  drawLanes(penOf(v, els.canvas, laneHeight(header.formats.length)), v.theme, { formats: header.formats, chosen: format, x: v.x, width: widthOf(els.canvas) });
  els.canvas.setAttribute("aria-label", _("The numbers of every format by size, and {x} among them", { x: spelled(v.x) }));
  Object.assign(v.root.dataset, { format: format.key, code: String(code), value: String(v.x) });
}

/**
 * A click sets the number: what stood in the box and could not be read goes.
 * @param {View} v
 * @param {() => void} then
 */
function leaveBox(v, then) {
  v.shown = undefined;
  then();
}

/** @param {View} v @param {Format} format @param {number | null} code */
function paintBits(v, format, code) {
  let place = format.bits;
  const cell = () => {
    const at = --place;
    const on = Math.floor((code ?? 0) / 2 ** at) % 2 === 1;
    const flip = () => leaveBox(v, () => go(v, { number: hex((code ?? 0) + (on ? -1 : 1) * 2 ** at, format) }));
    const button = make("button", { type: "button", textContent: on ? "1" : "0", "aria-pressed": String(on), "aria-label": _("bit {at}", { at }),
      onclick: flip });
    button.dataset.place = String(at);
    return button;
  };
  const parts = /** @type {[string, string, number][]} */ (
    [["sign", _("sign"), 1], ["exponent", _("exponent"), format.exponent], ["mantissa", format.integer ? _("value") : _("mantissa"), format.mantissa]]);
  const groups = parts.filter(([, , count]) => count).map(
    ([kind, name, count]) => make("div", { className: `group ${kind}` }, make("small", { textContent: name }),
    make("div", { className: "cells" }, ...Array.from({ length: count }, cell))));
  const active = /** @type {HTMLElement | null} */ (/** @type {ShadowRoot | Document} */ (v.root.getRootNode()).activeElement)?.dataset.place;
  v.els.bits.replaceChildren(...groups);
  if (active !== undefined) /** @type {HTMLElement | null} */ (v.els.bits.querySelector(`[data-place="${active}"]`))?.focus();
  v.els.formula.textContent = code === null ? _("{name} has no pattern for {x}.", { name: format.name, x: spelled(v.x) }) : formula(format, code);
}

/** @param {View} v @param {Format} format @param {number | null} code */
function paintNear(v, format, code) {
  if (code === null) return v.els.near.replaceChildren();
  const here = decodeBits(format, code);
  const [below, above] = /** @type {const} */ ([-1, 1]).map((way) => neighbour(format, code, way));
  const button = (/** @type {number | null} */ next, /** @type {string} */ arrow, /** @type {string} */ title) => {
    const text = next === null ? _("none") : spelled(decodeBits(format, next).value);
    const made = makeButton(arrow === "←" ? `← ${text}` : `${text} →`, title, () => next !== null && leaveBox(v, () => go(v, { number: hex(next, format) })));
    made.disabled = next === null;
    return made;
  };
  const next = above ?? below;
  const ulp = next === null ? NaN : Math.abs(decodeBits(format, next).value - here.value);
  const step = Number.isFinite(here.value) ? _("neighbours; step up (ULP) {ulp}", { ulp: spelled(ulp, 4) }) : _("no neighbours");
  v.els.near.replaceChildren(button(below, "←", _("the next smaller number")),
    make("b", { textContent: `${spelled(here.value)} = ${hex(code, format)}, ${here.kind}` }), button(above, "→", _("the next larger number")),
    make("span", { textContent: step }));
}

/** @param {View} v @param {Format} format */
function paintTable(v, format) {
  v.els.body.replaceChildren(...v.header.formats.map((each) => {
    const { value, code, fate } = kept(each, v.x);
    const lost = ["overflow", "underflow", "none"].includes(fate);
    const error = value - v.x;
    const known = Number.isFinite(error);
    const texts = [each.name, fate === "none" ? "–" : spelled(value), known ? spelled(error, 6) : "–",
      known && v.x !== 0 ? percent(Math.abs(error / v.x)) : "–", code === null ? "–" : hex(code, each), FATES()[fate]];
    const button = make("button", { type: "button", className: "name", textContent: texts[0], "aria-label": _("Choose {name}", { name: texts[0] }),
      "aria-pressed": String(each === format) });
    const cells = texts.map((text, i) => make("td", { className: i === 4 ? "pattern" : i === 5 && lost ? "lost" : "" }, i ? text : button));
    return make("tr", { className: each === format ? "chosen" : "", onclick: () => leaveBox(v, () => choose(v, each)), testid: `row-${each.key}` }, ...cells);
  }));
}

export default live({ id: "formats", build, paint });
