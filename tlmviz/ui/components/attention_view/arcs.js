// @ts-check
// Arcs: the text as it reads, shaded by what one query attends to, with a curve to every such token.

import { make } from "#canvas/dom.js";
import { canvasPen, fit } from "#canvas/pens.js";
import { clip, digits, named, visible } from "#canvas/text.js";
import { rgb } from "#canvas/theme.js";
import { act, headKey, overlaid, pin, toggleOverlay } from "./state.js";
import { hideTooltip, showTooltip } from "./tooltip.js";
import { repaintDetail } from "./view.js";
import { _ } from "#canvas/language.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("./types").View} View */
/** @typedef {{ x: number, y: number, width: number, height: number }} Box */

const LINE = 36; // closest lines of text, in pixels
const THINNEST = 0.01; // weights below this get no curve, unless a head has only such

/**
 * The colour of a head by its place among the overlaid ones.
 * @param {View} v
 * @param {number} position
 */
export function headColor(v, position) {
  return v.theme.heads[position % v.theme.heads.length];
}

/**
 * One head's weights from query i: computed here when its q and k are known, else what the server sent.
 * @param {View} v
 * @param {number} layer
 * @param {number} head
 * @param {number} i
 */
function weights(v, layer, head, i) {
  const cached = v.cache.get(headKey(v, layer, head));
  if (cached) return cached.row(i);
  if (v.rows && v.rows.textId === v.textId && v.rows.query === i) {
    const T = v.header.tokens.length;
    const start = (layer * v.header.heads + head) * T;
    return v.rows.data.subarray(start, start + T);
  }
  return null;
}

/**
 * Lay the tokens out as text, when the text has changed.
 * @param {View} v
 */
function buildFlow(v) {
  if (v.flowId === v.textId) return;
  v.flowId = v.textId;
  /** @type {HTMLElement[]} */
  const pieces = [];
  const { groups } = v.header;
  v.spans = v.header.tokens.map((token, i) => {
    const space = /^ +\S/.test(token);
    const span = make("span", { className: space ? "token spaced" : "token", textContent: clip(visible(token), 40) });
    span.dataset.index = String(i);
    if (groups) span.style.borderBottom = `3px solid ${groups.colors[groups.of[i]]}`;
    pieces.push(span);
    if (/\n/.test(token)) pieces.push(document.createElement("br"));
    return span;
  });
  v.els.flow.replaceChildren(...pieces);
  v.flowWidth = 0;
}

/**
 * Few lines are set far apart, so that the curves between them have room.
 * @param {View} v
 */
function spaceLines(v) {
  const { flow, text } = v.els;
  if (v.flowWidth === flow.clientWidth) return;
  v.flowWidth = flow.clientWidth;
  flow.style.lineHeight = `${LINE}px`;
  const lines = Math.max(1, Math.round((flow.scrollHeight - 34) / LINE));
  const room = Math.floor((text.clientHeight - 40) / lines);
  flow.style.lineHeight = `${Math.max(LINE, Math.min(76, room))}px`;
  const pinned = v.spans[v.state.query];
  if (pinned) text.scrollTop = pinned.offsetTop - text.clientHeight * 0.6;
}

/**
 * The query whose arcs are drawn: the one pointed at while nothing is pinned, else the pinned one, which gives way to a later
 * token only while one head is drawn: of the others no more than the pinned row is here.
 * @param {View} v
 */
export function arcQuery(v) {
  const last = v.header.tokens.length - 1;
  const { query } = v.state;
  const free = query === null || (v.arcHover > query && overlaid(v).length === 1);
  if (v.arcHover !== null && free) return v.arcHover;
  return query ?? last;
}

/**
 * The heads whose curves can be drawn: those whose weights from the query are known.
 * @param {View} v
 * @param {number} query
 */
function headsWithWeights(v, query) {
  return overlaid(v).flatMap(([layer, head], position) => {
    const row = weights(v, layer, head, query);
    return row ? [{ layer, head, color: headColor(v, position), weights: row }] : [];
  });
}

/** @param {View} v */
export function paintArcs(v) {
  buildFlow(v);
  spaceLines(v);
  const { els, theme, spans } = v;
  const start = performance.now();
  const query = arcQuery(v);
  const heads = headsWithWeights(v, query);
  v.arcHeads = { query, heads };
  const main = heads.find((entry) => entry.layer === v.state.layer && entry.head === v.state.head);
  const most = main ? Math.max(0.05, ...main.weights) : 1;
  const [r, g, b] = main ? rgb(main.color) : [0, 0, 0];
  spans.forEach((span, j) => {
    const seen = j <= query || !v.header.causal;
    const alpha = main && seen ? (0.62 * main.weights[j]) / most : 0;
    span.style.backgroundColor = alpha > 0.004 ? `rgba(${r},${g},${b},${alpha.toFixed(3)})` : "";
    span.classList.toggle("query", j === query);
    span.classList.toggle("pinned", j === v.state.query);
    span.classList.toggle("later", !seen);
  });
  lightSpans(v);
  const width = els.flow.clientWidth;
  const height = Math.max(els.flow.scrollHeight, els.flow.offsetHeight);
  const ctx = fit(els.arcs, width, height);
  drawArcs(canvasPen(ctx, theme), v);
  paintLegend(v);
  els.arcs.setAttribute("aria-label", arcSummary(v));
  els.marks.dataset.computeMs = "0";
  els.marks.dataset.paintMs = (performance.now() - start).toFixed(2);
}

/**
 * Mark the tokens that are pointed at somewhere on the page.
 * @param {View} v
 */
export function lightSpans({ spans, lit }) {
  spans.forEach((span, j) => span.classList.toggle("lit", lit.includes(j)));
}

/**
 * Curves from the query, the strongest last so that they lie on top.
 * @param {Pen} pen
 * @param {View} v
 */
export function drawArcs(pen, v) {
  const { query, heads } = v.arcHeads;
  const boxes = v.spans.map((s) => ({ x: s.offsetLeft, y: s.offsetTop, width: s.offsetWidth, height: s.offsetHeight }));
  const curves = heads.flatMap((entry, lane) => {
    const least = Math.min(THINNEST, 0.3 * Math.max(...entry.weights));
    return Array.from(entry.weights, (weight, j) => ({ weight, j, lane, color: entry.color }))
      .filter(({ weight, j }) => weight >= least && j !== query);
  });
  curves.sort((a, b) => a.weight - b.weight);
  for (const { weight, j, lane, color } of curves.slice(-160)) {
    const strong = v.arcHover === j ? 1 : 0;
    const d = curve(boxes[query], boxes[j], lane - (heads.length - 1) / 2);
    pen.path(d, color, 0.8 + 4.2 * weight + strong, Math.min(1, 0.22 + 0.9 * weight + 0.4 * strong));
  }
}

/**
 * A curve from token to token as an SVG path; `lane` keeps those of several heads apart.
 * @param {Box} from
 * @param {Box} to
 * @param {number} lane
 */
function curve(from, to, lane) {
  const x1 = from.x + from.width / 2 + lane * 3;
  const x2 = to.x + to.width / 2 + lane * 3;
  const y1 = from.y;
  if (Math.abs(from.y - to.y) < 4) {
    const lift = Math.min(14 + Math.abs(x1 - x2) * 0.08, from.y > 34 ? 30 : 20) + lane * 2.5;
    return `M${x1} ${y1}C${x1} ${y1 - lift} ${x2} ${to.y - lift} ${x2} ${to.y}`;
  }
  // to an earlier line: leave upwards, arrive from below
  const y2 = to.y + to.height;
  const bend = Math.max(14, (y1 - y2) * 0.45) + lane * 3;
  return `M${x1} ${y1}C${x1} ${y1 - bend} ${x2} ${y2 + bend} ${x2} ${y2}`;
}

/** @param {View} v */
function paintLegend(v) {
  const { tokens } = v.header;
  const { query, heads } = v.arcHeads;
  const entries = heads.map(({ layer, head, color }) => {
    const swatch = make("span", { className: "swatch" });
    swatch.style.background = color;
    const item = make("span", { className: "entry" }, swatch, `L${layer}H${head}`);
    const own = layer === v.state.layer && head === v.state.head;
    if (!own) {
      const remove = make("button", { className: "remove", type: "button", textContent: "×", title: _("Remove from the overlay") });
      remove.addEventListener("click", () => toggleOverlay(v, [layer, head]));
      item.append(remove);
    }
    return item;
  });
  const { groups } = v.header;
  const shown = groups ? groups.names.flatMap((name, i) => (groups.of.includes(i) ? [groupEntry(name, groups.colors[i])] : [])) : [];
  const awaited = overlaid(v).length - heads.length;
  if (awaited && v.state.query === null) entries.push(make("span", { className: "hint", textContent: _("pin a token to draw the overlaid heads") }));
  const pinned = v.state.query === query;
  const hint = pinned ? _("pinned; click it again or press Escape to unpin") : _("point at a token, click to pin it");
  v.els.legend.replaceChildren(...entries, ...shown, make("span", { className: "hint", textContent: `from ${named(tokens, query)} · ${hint}` }));
}

/**
 * A group of tokens in the legend.
 * @param {string} name
 * @param {string} color
 */
function groupEntry(name, color) {
  const swatch = make("span", { className: "swatch" });
  swatch.style.background = color;
  return make("span", { className: "entry group" }, swatch, name);
}

/** @param {View} v */
function arcSummary(v) {
  const { query, heads } = v.arcHeads;
  if (!heads.length) return _("Attention of one token: loading.");
  const top = Array.from(heads[0].weights, (weight, j) => [weight, j]).sort((a, b) => b[0] - a[0]).slice(0, 3);
  const list = top.map(([weight, j]) => `${named(v.header.tokens, j)} ${digits(weight, 2)}`).join(", ");
  return _("L{layer}H{head}: {query} attends most to {list}.", { layer: heads[0].layer, head: heads[0].head, query: named(v.header.tokens, query), list });
}

/** @param {View} v */
export function wireArcs(v) {
  const { flow } = v.els;
  const indexOf = (/** @type {Event} */ event) => {
    const { index } = /** @type {HTMLElement} */ (event.target).dataset;
    return index === undefined ? null : Number(index);
  };
  flow.addEventListener("pointermove", (event) => {
    const index = indexOf(event);
    if (index !== v.arcHover) {
      v.arcHover = index;
      repaintDetail(v);
    }
    v.hovered.point(...(index === null ? [] : [index]));
    if (index === null) return hideTooltip(v);
    const { query, heads } = v.arcHeads;
    const { tokens } = v.header;
    const rows = heads.map(({ layer, head, weights: row, color }) => [`L${layer}H${head}`, digits(row[index]), color]);
    showTooltip(v, event, { title: `${named(tokens, query)} → ${named(tokens, index)}`, rows });
  });
  flow.addEventListener("pointerleave", () => {
    hideTooltip(v);
    v.hovered.point();
    if (v.arcHover === null) return;
    v.arcHover = null;
    repaintDetail(v);
  });
  flow.addEventListener("click", (event) => {
    const index = indexOf(event);
    if (index !== null) v.hovered.point(index);
    if (index !== null) pin(v, index, v.state.query === index ? v.state.key : null);
  });
  v.els.text.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const last = v.header.tokens.length - 1;
    act(v, { query: Math.max(0, Math.min(last, (v.state.query ?? last) + step)), key: null });
  });
}
