// @ts-check
// A text that can be walked: words shaded by what was copied, arcs to where from, bars of what could have stood there.

import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { addMenu } from "#canvas/laid_out.js";
import { go, live, makeLegend } from "#canvas/live.js";
import { canvasPen, fit } from "#canvas/pens.js";
import { BEHIND_TEXT, fade } from "#canvas/theme.js";

/** @typedef {{ tokens: string[], unknown: boolean[], offers: [word: string, written: number, copied: number][][],
 * most: number }} Header `most`: the word that is copied most, from 1 */
/** @typedef {{ gate: Float32Array, pointer: Float32Array }} Arrays row t predicts word t + 1 */
/** @typedef {import("#canvas/live.js").View<Header, Arrays, { word: number }> & { spans: HTMLElement[] }} View `spans`: one a word,
 * and one for what would follow */

const FAINT = 0.01; // a weight below it has no arc
const ROOM = 30; // pixels above the text for arcs
const CLOSING = /^(?:[.,!?;:)]|'\w+)$/; // no space before it

/** @param {View} v */
function build(v) {
  const text = make("p", { className: "text", tabIndex: 0, role: "application", "aria-label": _("The text; arrow keys walk from word to word"),
    testid: "copy-text" });
  const [arcs, bars] = [make("canvas", { "aria-hidden": "true" }), make("div", { className: "bars", testid: "copy-bars" })];
  const said = make("p", { className: "said", "aria-live": "polite", testid: "copy-said" });
  const [written, copied] = [_("written by the vocabulary's softmax"), _("copied by the pointer")];
  const legend = makeLegend(v, () => [written, copied].map((name, i) => ({ name, color: v.theme.heads[i] })));
  Object.assign(v.els, { text, arcs, said, bars, legend });
  listen(v, text);
  return [make("div", { className: "page" }, arcs, text), make("div", { className: "side" }, said, bars, legend.root)];
}

/** @param {View} v @param {HTMLElement} text */
function listen(v, text) {
  const placeOf = (/** @type {Event} */ event) => Number(/** @type {HTMLElement} */ (event.target).dataset?.place) || null; // nothing predicts the first
  const point = (/** @type {number | null} */ place) => {
    v.hover = place;
    v.paint();
  };
  const choose = (/** @type {number} */ place) => {
    v.hover = null;
    go(v, { word: Math.max(1, Math.min(place, v.header.tokens.length)) });
  };
  text.addEventListener("pointerover", (event) => point(placeOf(event)));
  text.addEventListener("pointerleave", () => point(null));
  text.addEventListener("click", (event) => {
    const place = placeOf(event);
    if (place) choose(place);
  });
  text.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    choose(shown(v) + step);
  });
}

/**
 * Another text is written as spans, a space before each word.
 * @param {View} v
 * @param {Header | undefined} before
 */
function write(v, before) {
  if (!before) addMenu(v, v.header.title, true);
  const { tokens, unknown } = v.header;
  if (before && String(before.tokens) === String(tokens)) return;
  v.spans = [...tokens, "…"].map((token, place) => {
    const span = make("span", { className: unknown[place] ? "word unknown" : "word", textContent: token });
    span.dataset.place = String(place);
    return span;
  });
  v.els.text.replaceChildren(...v.spans.flatMap((span, place) => (place && !CLOSING.test(span.textContent ?? "") ? [" ", span] : [span])));
}

/**
 * The word that is looked at: row `place - 1` predicts it.
 * @param {View} v
 */
function shown(v) {
  return Math.max(1, Math.min(v.hover ?? (v.place.word || v.header.most), v.header.tokens.length));
}

/** @param {View} v */
function paint(v) {
  const [place, { tokens, offers }] = [shown(v), v.header];
  const [blue, orange] = v.theme.heads;
  v.spans.forEach((span, at) => {
    span.style.background = at ? fade(orange, BEHIND_TEXT * (1 - v.arrays.gate[at - 1])) : "";
    span.classList.toggle("chosen", at === place);
  });
  drawArcs(v, place);
  v.els.legend.repaint();
  const [g, next] = [v.arrays.gate[place - 1], tokens[place]];
  const values = { next: next ?? "", g: g.toFixed(3), copied: (100 * (1 - g)).toFixed(1) };
  v.els.said.textContent = next === undefined ? _("What would follow: g = {g}, so {copied}% copied.", values) : _(
    "“{next}”: g = {g}, so {copied}% copied.", values);
  v.els.bars.replaceChildren(...offers[place - 1].map((offer) => bar(offer, offer[0] === next, [blue, orange])));
  Object.assign(v.root.dataset, { word: String(place), gate: g.toFixed(4) });
}

/**
 * @param {[string, number, number]} offer
 * @param {boolean} follows in the text
 * @param {string[]} colors
 */
function bar([word, written, copied], follows, colors) {
  const parts = [written, copied].map((share, i) => {
    const part = make("i", { title: share.toFixed(4) });
    Object.assign(part.style, { width: `${(100 * share).toFixed(2)}%`, background: colors[i] });
    return part;
  });
  return make("div", { className: follows ? "offer follows" : "offer" }, make("span", {}, word), make("div", { className: "track" }, ...parts),
    make("output", {}, (written + copied).toFixed(3)));
}

/**
 * Arcs from the word that is looked at to those that the pointer weighs, as wide as what is copied from them.
 * @param {View} v
 * @param {number} place
 */
function drawArcs(v, place) {
  const { arcs, text } = v.els;
  const { gate, pointer } = v.arrays;
  const box = text.parentElement.getBoundingClientRect();
  const pen = canvasPen(fit(arcs, text.parentElement.clientWidth, text.parentElement.clientHeight), v.theme);
  const count = v.header.tokens.length;
  const middle = (/** @type {number} */ at) => {
    const { left, width, top } = v.spans[at].getBoundingClientRect();
    return { x: left + width / 2 - box.left, y: top - box.top + 2 };
  };
  const from = middle(place);
  pointer.subarray((place - 1) * count, place * count).forEach((weight, at) => {
    if (weight < FAINT) return;
    const to = middle(at);
    const rise = Math.min(from.y, to.y) - Math.min(ROOM - 4, 10 + Math.abs(from.x - to.x) / 12);
    const share = weight * (1 - gate[place - 1]);
    pen.path(`M${from.x} ${from.y}C${from.x} ${rise} ${to.x} ${rise} ${to.x} ${to.y}`, v.theme.heads[1], 1 + 7 * share, 0.25 + 0.7 * weight);
  });
}

export default live({ id: "copy", build, paint, fit: write });
