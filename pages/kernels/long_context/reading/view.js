// @ts-check
// The text beside the map: its words are pinned and coloured here.

import { make, makeButton } from "#canvas/dom.js";
import { joinSpans } from "#canvas/hovered.js";
import { pointByKeys } from "#canvas/keys.js";
import { _ } from "#canvas/language.js";
import { ask, go, live, saving, segments } from "#canvas/live.js";
import { canvasPen, fit } from "#canvas/pens.js";
import { clip, digits, visible } from "#canvas/text.js";
import { inkOn, shadeRgb } from "#canvas/theme.js";
import { Head } from "../../../../tlmviz/ui/components/attention_view/head.js";
import { HEAD, READS, drawMap, mapImage, readName } from "./drawing.js";
import { SURPRISED, heaviest, shares } from "./measures.js";

/** @typedef {import("./drawing.js").View} View */

const LARGEST = 420; // pixels of the map
const NARROW = 640;

/** @param {View} v @param {number} query @param {boolean} [scroll] */
function pin(v, query, scroll = false) {
  go(v, { query: Math.max(0, Math.min(v.header.tokens.length - 1, query)) });
  if (scroll) scrollTo(v, v.place.query);
}

/** @param {View} v @param {number} index */
function scrollTo({ els, spans }, index) {
  els.text.scrollTop = spans[index].offsetTop - els.text.clientHeight / 2;
}

/**
 * New data, or another place: the text as one span a token, and what rows are computed from.
 * @param {View} v
 * @param {any} before
 */
function fitText(v, before) {
  const { header, arrays, place } = v;
  const sameHead = header.origin === before?.origin;
  if (arrays.q) v.rows = new Head(header, /** @type {any} */ (arrays));
  else if (!sameHead) v.rows = null;
  if (!sameHead) v.image = null;
  v.row = { query: header.query, weights: arrays.row };
  if (!v.unsent) place.query = header.query;
  place.holds = v.rows ? header.origin : "";
  delete place.head; // it is told only where one is opened
  if (header.tokens.join("\u0001") === before?.tokens.join("\u0001")) return;
  v.spans = header.tokens.map((token, i) => {
    const span = make("span", { textContent: i || token.trim() ? token : visible(token) });
    span.dataset.index = String(i);
    return span;
  });
  v.els.text.replaceChildren(...v.spans);
  requestAnimationFrame(() => scrollTo(v, place.query));
}

/** @param {View} v */
function colorText(v) {
  shares({ row: v.row.weights, loss: v.arrays.loss }, v.place.color, v.spans.length).forEach((share, i) => {
    const { style, classList } = v.spans[i];
    const color = share > 0.04 ? shadeRgb(v.theme.sequential, 0.85 * share) : null;
    const background = color ? `rgb(${color})` : "";
    if (style.background !== background) Object.assign(style, { background, color: color ? inkOn(color) : "" });
    classList.toggle("pinned", i === v.place.query);
  });
}

/** @param {View} v */
function paint(v) {
  const { els, header, place } = v;
  if (v.rows && v.row.query !== place.query) v.row = { query: place.query, weights: v.rows.row(place.query).slice(0, place.query + 1) };
  if (v.drawn !== v.theme) v.image = null;
  v.drawn = v.theme;
  v.image ??= mapImage(v, v.theme);
  v.root.classList.toggle("stacked", v.width < NARROW);
  const side = sideOf(v);
  drawMap(canvasPen(fit(els.canvas, side, side + HEAD), v.theme), v, v.theme, v.image, side);
  colorText(v);
  els.colors.repaint();
  const [{ weights, query }, top] = [v.row, heaviest(v.row.weights, READS)];
  els.reads.replaceChildren(...top.map((key) => {
    const button = makeButton("", _("Show it in the text"), () => scrollTo(v, key));
    button.append(readName(v, key), " ", make("b", { textContent: digits(weights[key], 3) }));
    return button;
  }));
  els.heads.replaceChildren(...header.far.map(([layer, head, value]) => {
    const button = makeButton(`L${layer}H${head} · ${value.toFixed(2)}`, _("Open this head"), () => ask(v, { head: [layer, head] }));
    button.setAttribute("aria-pressed", String(layer === header.layer && head === header.head));
    return button;
  }));
  els.said.textContent = pinnedSentence(v, top);
  els.canvas.setAttribute("aria-label", _("{said} Click a row to pin its query.", { said: els.said.textContent }));
  Object.assign(v.root.dataset, { query: String(query), head: `${header.layer}.${header.head}` });
}

/** @param {View} v */
const sideOf = ({ els }) => Math.min(LARGEST, els.canvas.parentElement.clientWidth);

/**
 * What is pinned and how the text is coloured.
 * @param {View} v
 * @param {number[]} top
 */
function pinnedSentence({ header, arrays, place, row }, top) {
  const values = {
    word: clip(visible(header.tokens[row.query]), 20), query: row.query.toLocaleString("en"), head: `L${header.layer}H${header.head}`, count: top.length,
    sum: top.reduce((total, key) => total + row.weights[key], 0).toFixed(3), loss: row.query ? arrays.loss[row.query - 1].toFixed(2) : "", most: SURPRISED,
  };
  const said = row.query
    ? _("Pinned “\u2068{word}\u2069” ({query}), loss {loss} nats: {head} puts {sum} of its weight on these {count}.", values)
    : _("Pinned “\u2068{word}\u2069” ({query}): {head} puts {sum} of its weight on these {count}.", values);
  return `${said} ${place.color === "reads" ? _("Dark is what it reads, by the square root of the weight.") : _("Dark is surprising: 0 to {most} nats.",
    values)}`;
}

/** @param {View} v */
function build(v) {
  const text = make("div", { className: "text", tabIndex: 0, role: "group", "aria-label": _("The text; arrow keys move the pinned word"),
    testid: "long-text" });
  const canvas = make("canvas", { role: "img", testid: "long-map" });
  const colors = segments(() => [["reads", _("What the head reads"), _("Colour words by the pinned query's weights")],
    ["loss", _("Loss"), _("Colour words by how surprising they were")]],
    () => v.place.color, (color) => go(v, { color }), _("Colour of the text"));
  const heads = make("div", { className: "heads", role: "group", "aria-label": _("Heads that read far") });
  Object.assign(v.els, { text, canvas, colors, heads, reads: make("div", { className: "heads", testid: "long-reads" }),
    said: make("p", { className: "said", "aria-live": "polite", testid: "long-said" }) });
  wirePointers(v);
  const save = saving(v, "tlmviz-long-text", {
    width: LARGEST + 332,
    height: () => LARGEST + HEAD,
    title: () => _("{model}, {head}: “{word}” ({query}) reads",
      { model: v.header.model, head: `L${v.header.layer}H${v.header.head}`, word: clip(visible(v.header.tokens[v.row.query]), 20), query: v.row.query }),
    draw: (pen, theme) => {
      drawMap(pen, v, theme, mapImage(v, theme), LARGEST);
      heaviest(v.row.weights, READS).forEach((key, k) => {
        pen.text(LARGEST + 20, 34 + 22 * k, readName(v, key), { color: theme.text, size: 12 });
        pen.text(LARGEST + 290, 34 + 22 * k, digits(v.row.weights[key], 3), { color: theme.text, size: 12, align: "right" });
      });
    },
  });
  return [make("div", { className: "bar" }, colors.root, make("span", {}, _("Heads that read far:")), heads, save),
    make("div", { className: "body" }, text, make("div", {}, canvas)), v.els.reads, v.els.said];
}

/** @param {View} v */
function wirePointers(v) {
  const { text, canvas } = /** @type {Record<string, HTMLElement>} */ (v.els);
  v.hovered = joinSpans(text, () => v.header?.tokens ?? []);
  v.ends.push(() => v.hovered.end());
  const at = (/** @type {number} */ pixels) => Math.floor((pixels / sideOf(v)) * v.header.tokens.length);
  canvas.addEventListener("pointermove", ({ clientX, clientY }) => {
    const box = canvas.getBoundingClientRect();
    v.hovered.point(...(clientY >= box.y + HEAD ? [at(clientY - box.y - HEAD), at(clientX - box.x)] : []));
  });
  canvas.addEventListener("pointerleave", () => v.hovered.point());
  pointByKeys(canvas);
  canvas.addEventListener("click", ({ clientY }) => {
    const row = at(clientY - canvas.getBoundingClientRect().y - HEAD);
    if (row >= 0) pin(v, row, true);
  });
  text.addEventListener("click", ({ target }) => {
    const { index } = /** @type {HTMLElement} */ (target).dataset;
    if (index) pin(v, Number(index));
  });
  text.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    pin(v, v.place.query + step, true);
  });
}

export default live({ id: "reading", build, paint, fit: fitText });
