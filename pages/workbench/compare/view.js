// @ts-check
// Two runs side by side. All but another head in detail is answered here.

import { make, makeButton } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { ask, cells, go, live, penOf, saving, widthOf } from "#canvas/live.js";
import { clip, digits, visible } from "#canvas/text.js";
import { compareLayout, comparedAt, drawCompared } from "./drawing.js";
import { compared, comparedSentence, inPercent } from "./sentences.js";

/** @typedef {import("./sentences.js").Header} Header */
/** @typedef {import("./sentences.js").Hover} Hover */
/** @typedef {import("#canvas/live.js").View<Header, import("./sentences.js").Arrays, { head: [number, number] | null,
 * pin: number | null }> & { data: import("./sentences.js").Data }} View */

/** @param {View} v */
const pinned = (v) => Math.max(0, Math.min(v.place.pin ?? v.header.pin, v.data.tokens.length - 1));
const pinToken = (/** @type {View} */ v, /** @type {number} */ pin) => go(v, { pin: Math.max(0, Math.min(pin, v.data.tokens.length - 1)) });

/** @param {View} v */
function fillStrip(v) {
  const { kl } = v.arrays;
  const most = Math.max(1e-12, ...kl);
  const word = (/** @type {string | null} */ token, className = "") =>
    (token === null ? make("span", { className: "none", textContent: "·" }) : make("span", { className, textContent: clip(visible(token), 18) }));
  v.els.strip.replaceChildren(...v.header.columns.map(({ a, b, pair }) => {
    if (pair === null) return make("span", { className: "column alone", title: a === null ? _("added in B") : _("left out of B") }, word(a), word(b));
    const bar = make("i", { style: `height: ${Math.round((20 * kl[pair]) / most)}px` });
    const words = a === b ? [word(a, "both")] : [word(a), word(b)];
    const title = _("KL(A‖B) of the predictions after it: {kl} nats", { kl: digits(kl[pair], 3) });
    const column = make("button", { type: "button", className: a === b ? "column" : "column changed", title }, ...words, bar);
    column.dataset.pair = String(pair);
    return column;
  }));
}

/** @param {View} v */
function fillTen(v) {
  const { header, arrays } = v;
  v.els.ten.replaceChildren(make("span", { textContent: _("Moved most:") }), ...header.ten.map(([layer, head]) => {
    const share = inPercent(arrays.moved[layer * header.heads + head]);
    const button = makeButton(`L${layer}H${head} · ${share}`, _("L{layer}H{head}: the share of its attention that goes elsewhere", { layer, head }),
      () => ask(v, { head: [layer, head] }));
    button.setAttribute("aria-pressed", String(layer === header.head[0] && head === header.head[1]));
    return button;
  }));
}

/** @param {View} v */
function makeColumns(v) {
  const strip = make("div", { className: "strip", role: "group", "aria-label": _("Both texts, aligned; bars: KL of the predictions"),
    testid: "compare-strip" });
  const pairOf = (/** @type {Event} */ { target }) => /** @type {HTMLElement} */ (/** @type {HTMLElement} */ (target).closest("[data-pair]"))?.dataset.pair;
  const point = (/** @type {Hover | null} */ hover) => {
    v.hover = hover;
    v.paint();
  };
  strip.addEventListener("pointerover", (event) => point(pairOf(event) === undefined ? null : { part: "token", row: Number(pairOf(event)) }));
  strip.addEventListener("pointerleave", () => point(null));
  strip.addEventListener("click", (event) => pairOf(event) !== undefined && pinToken(v, Number(pairOf(event))));
  return strip;
}

/** @param {View} v */
function build(v) {
  const canvas = make("canvas", { role: "img", testid: "compare-canvas" });
  const [said, ten] = [make("p", { className: "said", testid: "compare-said" }), make("div", { className: "ten", testid: "compare-ten" })];
  cells(v, canvas, {
    under: (x, y) => v.layout && comparedAt(v.layout, v.data, x, y),
    choose: (at) => (at.part === "head" ? ask(v, { head: [at.layer, at.head] }) : pinToken(v, at.row)),
    beside: (dx, dy) => /** @type {any} */ ({ part: "token", row: pinned(v) + dx + dy }),
  });
  Object.assign(v.els, { strip: makeColumns(v), canvas, said, ten });
  const save = saving(v, "tlmviz-compare", {
    height: (width) => compareLayout(width, v.header).height,
    draw: (pen, theme, width) => drawCompared(pen, v.data, { pin: pinned(v), hover: null }, compareLayout(width, v.header), theme),
  });
  return [v.els.strip, make("div", { className: "panel" }, canvas), said, make("div", { className: "bar" }, ten, save)];
}

/** @param {View} v */
function fill(v) {
  v.data = compared(v);
  fillStrip(v);
  fillTen(v);
}

/** @param {View} v */
function paint(v) {
  const { canvas, strip, said } = v.els;
  const pin = pinned(v);
  v.layout = compareLayout(widthOf(canvas), v.header);
  drawCompared(penOf(v, canvas, v.layout.height), v.data, { pin, hover: v.hover }, v.layout, v.theme);
  for (const column of Array.from(strip.children)) column.classList.toggle("pinned", /** @type {HTMLElement} */ (column).dataset.pair === String(pin));
  said.textContent = comparedSentence(v.data, pin, v.hover);
  canvas.setAttribute("aria-label", _("{title}. {said} Arrow keys pin other tokens.", { title: v.header.title, said: said.textContent }));
  Object.assign(v.root.dataset, { pin: String(pin), head: v.header.head.join(".") });
}

export default live({ id: "compare", build, paint, fit: fill });
