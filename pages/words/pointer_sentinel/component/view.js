// @ts-check
// A text that can be walked: words shaded by what was copied, arcs to where from, bars of what could have stood there.

import { decode } from "#canvas/decode.js";
import { debounce, make } from "#canvas/dom.js";
import { addMenu } from "#canvas/laid_out.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";
import { canvasPen, fit } from "#canvas/pens.js";
import { fade, readTheme } from "#canvas/theme.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */

const DELAY = 300; // milliseconds until a chosen word is sent
const FAINT = 0.01; // a weight below it has no arc
const ROOM = 30; // pixels above the text for arcs

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  const { header, arrays } = decode(bytes);
  const same = JSON.stringify(header.tokens) === JSON.stringify(v.header?.tokens);
  Object.assign(v, { header, gate: arrays.gate, pointer: arrays.pointer });
  if (!same) {
    Object.assign(v, { word: header.word, hover: null });
    write(v);
  }
  paint(v);
  announcePicture(header.picture);
}

/**
 * The text as spans, a space before each word.
 * @param {View} v
 */
function write(v) {
  const { tokens, unknown } = v.header;
  v.spans = [...tokens, "…"].map((token, place) => {
    const span = make("span", { className: unknown[place] ? "word unknown" : "word", textContent: token });
    span.dataset.place = String(place);
    return span;
  });
  const closing = /^(?:[.,!?;:)]|'\w+)$/;
  v.els.text.replaceChildren(...v.spans.flatMap((span, place) => (place && !closing.test(span.textContent) ? [" ", span] : [span])));
}

/**
 * The word that is looked at: row `place - 1` predicts it.
 * @param {View} v
 */
function shown(v) {
  return Math.max(1, Math.min(v.hover ?? v.word, v.header.tokens.length));
}

/** @param {View} v */
function paint(v) {
  if (!v.header || !v.root.clientWidth) return;
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  const place = shown(v);
  const orange = v.theme.heads[1];
  v.spans.forEach((span, at) => {
    span.style.background = at ? fade(orange, 0.75 * (1 - v.gate[at - 1])) : "";
    span.classList.toggle("chosen", at === place);
  });
  drawArcs(v, place);
  const row = place - 1;
  const g = v.gate[row];
  const next = v.header.tokens[place];
  v.els.said.textContent = TEXTS.gSoCopied(next, g.toFixed(3), (100 * (1 - g)).toFixed(1));
  v.els.bars.replaceChildren(...v.header.offers[row].map((offer) => bar(offer, offer[0] === next)));
  Object.assign(v.root.dataset, { word: String(place), gate: g.toFixed(4) });
}

/**
 * @param {[string, number, number]} offer
 * @param {boolean} follows in the text
 */
function bar([word, written, copied], follows) {
  const parts = /** @type {[string, number][]} */ ([["written", written], ["copied", copied]]).map(([name, share]) => {
    const part = make("i", { className: name, title: `${name}: ${share.toFixed(4)}` });
    part.style.width = `${(100 * share).toFixed(2)}%`;
    return part;
  });
  return make("div", { className: follows ? "offer follows" : "offer" }, make("span", {}, word), make("div", { className: "track" }, ...parts), make("output", {}, (written + copied).toFixed(3)));
}

/**
 * Arcs from the word that is looked at to those that the pointer weighs, as wide as what is copied from them.
 * @param {View} v
 * @param {number} place
 */
function drawArcs(v, place) {
  const { arcs, text } = v.els;
  const box = text.parentElement.getBoundingClientRect();
  const pen = canvasPen(fit(arcs, text.parentElement.clientWidth, text.parentElement.clientHeight), v.theme);
  const count = v.header.tokens.length;
  const row = v.pointer.subarray((place - 1) * count, place * count);
  const middle = (/** @type {number} */ at) => {
    const { left, width, top } = v.spans[at].getBoundingClientRect();
    return { x: left + width / 2 - box.left, y: top - box.top + 2 };
  };
  const from = middle(place);
  row.forEach((weight, at) => {
    if (weight < FAINT) return;
    const to = middle(at);
    const rise = Math.min(from.y, to.y) - Math.min(ROOM - 4, 10 + Math.abs(from.x - to.x) / 12);
    const share = weight * (1 - v.gate[place - 1]);
    pen.path(`M${from.x} ${from.y}C${from.x} ${rise} ${to.x} ${rise} ${to.x} ${to.y}`, v.theme.heads[1], 1 + 7 * share, 0.25 + 0.7 * weight);
  });
}

/**
 * The place of a word under an event; null elsewhere, and on the first word, which nothing predicts.
 * @param {Event} event
 */
function placeOf(event) {
  const place = Number(/** @type {HTMLElement} */ (event.target).dataset?.place ?? 0);
  return place > 0 ? place : null;
}

/**
 * @param {View} v
 * @param {number} place
 */
function choose(v, place) {
  v.word = Math.max(1, Math.min(place, v.header.tokens.length));
  v.hover = null;
  paint(v);
  v.sendSoon();
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ word: 1, hover: null, spans: [] });
  v.sendSoon = debounce(() => v.component.setStateValue("word", v.word), DELAY);
  v.els = {
    text: make("p", { className: "text", tabIndex: 0, role: "application", "aria-label": TEXTS.textArrowKeys, testid: "copy-text" }),
    arcs: make("canvas", { "aria-hidden": "true" }),
    said: make("p", { className: "said", "aria-live": "polite", testid: "copy-said" }),
    bars: make("div", { className: "bars", testid: "copy-bars" }),
  };
  const { text } = v.els;
  v.root = make("div", { className: "copy", testid: "copy-root" },
    make("div", { className: "page" }, v.els.arcs, text),
    make("div", { className: "side" }, v.els.said, v.els.bars,
      make("p", { className: "legend" }, make("i", { className: "written" }), TEXTS.writtenVocabularySoftmax, make("i", { className: "copied" }), TEXTS.copiedPointer)));
  text.addEventListener("pointerover", (event) => {
    v.hover = placeOf(event);
    paint(v);
  });
  text.addEventListener("pointerleave", () => {
    v.hover = null;
    paint(v);
  });
  text.addEventListener("click", (event) => {
    const place = placeOf(event);
    if (place !== null) choose(v, place);
  });
  text.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    choose(v, shown(v) + step);
  });
  host.append(v.root);
  addMenu(v, "What is written and what is copied", true);
  v.observer = watchWidth(v, () => paint(v), () => Boolean(v.header));
  return v;
}

/** @param {View} v */
function leave(v) {
  v.sendSoon.cancel();
  v.observer.disconnect();
}

export default mounted({ create, receive, leave });
