// @ts-check
// Two runs side by side: state and DOM. All but another head in detail is answered here.

import { decode } from "#canvas/decode.js";
import { debounce, make, makeButton } from "#canvas/dom.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";
import { canvasPen, fit, figureOf } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { clip, digits, visible } from "#canvas/text.js";
import { paperTheme, readTheme } from "#canvas/theme.js";
import { compareLayout, comparedAt, drawCompared } from "./drawing.js";
import { compared, comparedSentence, inPercent } from "./sentences.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").Column} Column */
/** @typedef {import("./types").Hover} Hover */
/** @typedef {import("./types").View} View */

const DELAY = 400; // milliseconds without a change until the link learns of it
const SAVED = 1100; // pixels of a saved figure

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  const fresh = compared(decode(bytes));
  if (fresh.header.origin !== v.header?.origin) v.pin = fresh.header.pin;
  Object.assign(v, fresh, { hover: null, asked: null });
  v.pin = Math.max(0, Math.min(v.pin, v.tokens.length - 1));
  fillStrip(v);
  fillTen(v);
  paint(v);
  announcePicture(v.header.picture);
}

/** @param {View} v */
function paint(v) {
  const width = v.root.clientWidth;
  if (!v.header || !width) return;
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  v.layout = compareLayout(width, v.header);
  drawCompared(canvasPen(fit(v.els.canvas, width, v.layout.height), v.theme), v, v, v.layout, v.theme);
  for (const column of Array.from(v.els.strip.children)) column.classList.toggle("pinned", /** @type {HTMLElement} */ (column).dataset.pair === String(v.pin));
  const said = comparedSentence(v, v.pin, v.hover);
  v.els.said.textContent = said;
  v.els.canvas.setAttribute("aria-label", TEXTS.arrowKeysPin(v.header.title, said));
  Object.assign(v.root.dataset, { pin: v.pin, head: v.header.head.join("."), asked: v.asked ? v.asked.join(".") : "" });
}

/**
 * @param {View} v
 * @param {number} pin
 */
function pinToken(v, pin) {
  v.pin = Math.max(0, Math.min(pin, v.tokens.length - 1));
  paint(v);
  v.sendSoon();
}

/**
 * @param {View} v
 * @param {number} layer
 * @param {number} head
 */
function openHead(v, layer, head) {
  v.asked = [layer, head];
  v.root.dataset.asked = v.asked.join(".");
  v.sendSoon.cancel();
  send(v);
}

/** @param {View} v */
function send(v) {
  v.component.setStateValue("seen", { head: v.asked, pin: v.pin });
}

/** @param {View} v */
function fillStrip(v) {
  const most = Math.max(1e-12, ...v.arrays.kl);
  const none = () => make("span", { className: "none", textContent: "·" });
  const word = (/** @type {string | null} */ token, name = "") => (token === null ? none() : make("span", { className: name, textContent: clip(visible(token), 18) }));
  v.els.strip.replaceChildren(...v.header.columns.map(({ a, b, pair }) => {
    if (pair === null) return make("span", { className: "column alone", title: a === null ? "added in B" : TEXTS.leftOutB }, word(a), word(b));
    const bar = make("i", { style: `height: ${Math.round((20 * v.arrays.kl[pair]) / most)}px` });
    const words = a === b ? [word(a, "both")] : [word(a), word(b)];
    const column = make("button", { type: "button", className: a === b ? "column" : "column changed", title: TEXTS.klPredictionsBehind(digits(v.arrays.kl[pair], 3)) }, ...words, bar);
    column.dataset.pair = String(pair);
    return column;
  }));
}

/** @param {View} v */
function fillTen(v) {
  const { header, arrays } = v;
  v.els.ten.replaceChildren(make("span", { textContent: "Moved most:" }), ...header.ten.map(([layer, head]) => {
    const button = makeButton(`${layer}.${head} · ${inPercent(arrays.moved[layer * header.heads + head])}`, TEXTS.layerHeadShare(layer, head), () => openHead(v, layer, head));
    button.setAttribute("aria-pressed", String(layer === header.head[0] && head === header.head[1]));
    return button;
  }));
}

/**
 * @param {View} v
 * @param {Hover | null} hover
 */
function point(v, hover) {
  if (JSON.stringify(hover) === JSON.stringify(v.hover)) return;
  v.hover = hover;
  paint(v);
}

/** @param {View} v */
function saved(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  const layout = compareLayout(SAVED - 32, v.header);
  return figureOf("tlmviz-compare", { width: SAVED, height: layout.height + 54, theme }, (pen) => {
    pen.text(16, 20, v.header.title, { color: theme.text, size: 14, weight: 600 });
    pen.shifted(16, 42, () => drawCompared(pen, v, { pin: v.pin, hover: null }, layout, theme));
  });
}

/** @param {View} v */
function makeCanvas(v) {
  const canvas = make("canvas", { role: "img", tabIndex: 0, testid: "compare-canvas" });
  const under = (/** @type {MouseEvent} */ { offsetX, offsetY }) => comparedAt(v.layout, v, offsetX, offsetY);
  canvas.addEventListener("click", (event) => {
    const at = under(event);
    if (at?.part === "head") openHead(v, at.layer, at.head);
    else if (at && "row" in at) pinToken(v, at.row);
  });
  canvas.addEventListener("pointermove", (event) => point(v, under(event)));
  canvas.addEventListener("pointerleave", () => point(v, null));
  canvas.addEventListener("keydown", (event) => {
    const target = { ArrowLeft: v.pin - 1, ArrowUp: v.pin - 1, ArrowRight: v.pin + 1, ArrowDown: v.pin + 1, Home: 0, End: Infinity }[event.key];
    if (target === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    pinToken(v, target);
  });
  return canvas;
}

/** @param {View} v */
function makeColumns(v) {
  const strip = make("div", { className: "strip", role: "group", "aria-label": TEXTS.bothTextsAligned, testid: "compare-strip" });
  const pairOf = (/** @type {Event} */ { target }) => /** @type {HTMLElement} */ (/** @type {HTMLElement} */ (target).closest("[data-pair]"))?.dataset.pair;
  strip.addEventListener("pointerover", (event) => point(v, pairOf(event) === undefined ? null : { part: "token", row: Number(pairOf(event)) }));
  strip.addEventListener("pointerleave", () => point(v, null));
  strip.addEventListener("click", (event) => pairOf(event) !== undefined && pinToken(v, Number(pairOf(event))));
  return strip;
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ pin: 0, hover: null, asked: null });
  v.sendSoon = debounce(() => send(v), DELAY);
  v.els = { strip: makeColumns(v), canvas: makeCanvas(v), said: make("p", { className: "said", testid: "compare-said" }), ten: make("div", { className: "ten", testid: "compare-ten" }) };
  const saves = make("div", { className: "saves" }, pictureButton(v, "this figure", () => saved(v)));
  v.root = make("div", { className: "compared", testid: "compare-root" }, v.els.strip, v.els.canvas, v.els.said, make("div", { className: "below" }, v.els.ten, saves));
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
