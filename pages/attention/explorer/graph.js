// @ts-check
// The graph of tokens and layers: where everything lies, and how it is drawn.

import { _ } from "#canvas/language.js";
import { minus, visibleAll } from "#canvas/text.js";
import { shade, textWidth } from "#canvas/theme.js";

/** @typedef {[layer: number, head: number, query: number, key: number, flow: number, adds: number]} Edge */
/** @typedef {{ title: string, word: string, position: number, columns: number[], tokens: string[], edges: Edge[], nodes: number[][], stays: number[][],
 * mlps: number[][], mlp_adds: number[], least: number }} Data as `_graph` in Python */
/** @typedef {{ width: number, height: number, left: number, column: number, layer: number, top: number, bottom: number }} Plan where everything lies,
 * in pixels: `layer` the height of one, `bottom` of the graph, above its labels */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("#canvas/pens.js").Pen} Pen */

const LEFT = 58;
const RIGHT = 34;
const TOP = 46;
const BOTTOM = 74;
const NARROWEST = 30; // pixels of a column
const ENDS = 0.62; // of a layer's height: where attention has been added; the MLP stands above
const LABELS = 24; // edges that may carry their head's name

/**
 * @param {Data} data
 * @param {number} width there is
 * @returns {Plan}
 */
export function planOf(data, width) {
  const column = Math.max(NARROWEST, Math.min(110, (width - LEFT - RIGHT) / data.columns.length));
  const layers = data.stays.length;
  const layer = layers > 8 ? 44 : 62;
  const bottom = TOP + layers * layer;
  return { width: Math.max(width, LEFT + RIGHT + column * data.columns.length), height: bottom + BOTTOM, left: LEFT, column, layer, top: TOP, bottom };
}

/**
 * @param {Plan} plan
 * @param {number} column
 */
function middleX(plan, column) {
  return plan.left + (column + 0.5) * plan.column;
}

/**
 * The Bézier curve of every edge, as eight numbers; several between the same tokens in one layer stand side by side.
 * @param {Data} data
 * @param {Plan} plan
 */
export function curvesOf(data, plan) {
  /** @type {Map<string, number>} */
  const beside = new Map();
  const columns = new Map(data.columns.map((position, i) => [position, i]));
  return data.edges.map(([layer, , query, key]) => {
    const place = `${layer} ${query} ${key}`;
    const nth = beside.get(place) ?? 0;
    beside.set(place, nth + 1);
    const from = middleX(plan, columns.get(key));
    const to = middleX(plan, columns.get(query));
    const low = plan.bottom - layer * plan.layer;
    const high = low - ENDS * plan.layer;
    const bow = from === to ? Math.min(plan.column * 0.62, 16 + 9 * nth) : 9 * nth;
    return [from, low, from + bow, low - 0.4 * plan.layer, to + bow, high + 0.3 * plan.layer, to, high];
  });
}

/**
 * A point of a curve, at a share of its way.
 * @param {number[]} curve
 * @param {number} t
 */
function pointOn(curve, t) {
  const weights = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3];
  return [0, 1].map((axis) => weights.reduce((sum, weight, i) => sum + weight * curve[2 * i + axis], 0));
}

/**
 * The edge nearest to a point, within `reach` pixels; -1 for none.
 * @param {number[][]} curves
 * @param {number} x
 * @param {number} y
 * @param {number} reach
 */
export function edgeAt(curves, x, y, reach) {
  let [best, found] = [reach, -1];
  curves.forEach((curve, i) => {
    for (let t = 0; t <= 1; t += 1 / 24) {
      const [px, py] = pointOn(curve, t);
      const distance = Math.hypot(px - x, py - y);
      if (distance < best) [best, found] = [distance, i];
    }
  });
  return found;
}

/** @param {number} share */
export function percentOf(share) {
  return `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)}%`;
}

/** @param {number} flow */
function edgeWidth(flow) {
  return Math.max(0.8, 22 * Math.sqrt(flow) - 0.6);
}

/**
 * Blue adds to the logit, orange takes off; what flows to another token than the last has no sign.
 * @param {number} adds
 * @param {Theme} theme
 */
function inkOf(adds, theme) {
  return adds ? shade(theme.diverging, adds > 0 ? 0.86 : 0.14) : theme.muted;
}

/**
 * An edge in words.
 * @param {Data} data
 * @param {Edge} edge
 */
export function edgeName(data, [layer, head, query, key, flow, adds]) {
  const names = visibleAll(data.tokens);
  const name = (/** @type {number} */ position) => `“\u2068${names[data.columns.indexOf(position)]}\u2069” (${position})`;
  const values = { layer, head, key: name(key), query: name(query), flow: percentOf(flow), adds: minus(adds.toFixed(2)) };
  return adds
    ? _("L{layer}H{head}: {key} to {query}, {flow} of the flow; adds {adds} to the logit", values)
    : _("L{layer}H{head}: {key} to {query}, {flow} of the flow", values);
}

/**
 * The whole graph; `marked` is the edge that stands out, -1 for none.
 * @param {Pen} pen
 * @param {Data} data
 * @param {Plan} plan
 * @param {number[][]} curves
 * @param {Theme} theme
 * @param {number} marked
 */
export function drawGraph(pen, data, plan, curves, theme, marked) {
  drawLayers(pen, data, plan, theme);
  drawColumns(pen, data, plan, theme);
  const path = (/** @type {number[]} */ [x1, y1, ...rest]) => `M${x1} ${y1}C${rest.map((value) => value.toFixed(1)).join(" ")}`;
  for (let i = data.edges.length - 1; i >= 0; i--) {
    const [, , , , flow, adds] = data.edges[i];
    const dim = marked >= 0 && i !== marked;
    pen.path(path(curves[i]), inkOf(adds, theme), edgeWidth(flow), dim ? 0.3 : 0.85);
  }
  if (marked >= 0) pen.path(path(curves[marked]), theme.text, 1.5, 1, "3 3");
  drawNodes(pen, data, plan, theme);
  drawHeads(pen, data, plan, curves, theme);
}

/**
 * @param {Pen} pen
 * @param {Data} data
 * @param {Plan} plan
 * @param {Theme} theme
 */
function drawLayers(pen, data, plan, theme) {
  const last = data.stays.length;
  for (let depth = 0; depth <= last; depth++) {
    const y = plan.bottom - depth * plan.layer;
    pen.line(plan.left, y, plan.width - RIGHT, y, theme.faint);
    if (depth < last) pen.text(8, y - plan.layer / 2, _("layer {n}", { n: depth }), { color: theme.muted });
  }
  const x = middleX(plan, data.columns.indexOf(data.position));
  const word = `→ ${visibleAll([data.word])[0]}`;
  pen.text(Math.min(x, plan.width - textWidth(theme, word, 12, 600) / 2 - 4), 12, word,
    { color: theme.text, weight: 600, size: 12, align: "center", token: 130 });
}

/**
 * The residual connections, and every token's name above and below with what ends in its embedding.
 * @param {Pen} pen
 * @param {Data} data
 * @param {Plan} plan
 * @param {Theme} theme
 */
function drawColumns(pen, data, plan, theme) {
  const last = data.stays.length;
  const turned = plan.column < 56;
  data.columns.forEach((position, i) => {
    const x = middleX(plan, i);
    data.stays.forEach((stays, layer) => {
      const low = plan.bottom - layer * plan.layer;
      if (stays[i] >= data.least) pen.line(x, low, x, low - ENDS * plan.layer, theme.faint, { width: edgeWidth(stays[i]) });
      const out = data.nodes[layer + 1][i];
      if (out >= data.least) pen.line(x, low - ENDS * plan.layer, x, low - plan.layer, theme.faint, { width: edgeWidth(out) });
    });
    const name = visibleAll(data.tokens)[i];
    const here = position === data.position;
    pen.text(x, plan.bottom + 13, percentOf(data.nodes[0][i]), { color: theme.muted, align: "center", size: 10 });
    pen.text(x, plan.bottom + (turned ? 24 : 30), name, {
      color: theme.text, weight: here ? 600 : 400, align: turned ? "right" : "center", rotate: turned ? -0.9 : 0, token: turned ? 56 : plan.column - 6 });
    if (last > 8 || here) pen.text(x, 30, name, { color: here ? theme.text : theme.muted, weight: here ? 600 : 400, align: "center", token: plan.column - 3,
      size: 10 });
  });
}

/**
 * The streams as dots, the MLPs as squares.
 * @param {Pen} pen
 * @param {Data} data
 * @param {Plan} plan
 * @param {Theme} theme
 */
function drawNodes(pen, data, plan, theme) {
  data.columns.forEach((position, i) => {
    const x = middleX(plan, i);
    data.nodes.forEach((nodes, depth) => {
      if (nodes[i] >= data.least) pen.circle(x, plan.bottom - depth * plan.layer, 1.6 + 5 * Math.sqrt(nodes[i]), theme.text);
    });
    data.mlps.forEach((mlps, layer) => {
      if (mlps[i] < data.least) return;
      const side = 4 + 16 * Math.sqrt(mlps[i]);
      const y = plan.bottom - (layer + (1 + ENDS) / 2) * plan.layer;
      const adds = position === data.position ? data.mlp_adds[layer] : 0;
      pen.rect(x - side / 2, y - side / 2, side, side, theme.background, inkOf(adds, theme), { width: 2 });
    });
  });
}

/**
 * The names of the heads of the largest edges, where they hide no other name.
 * @param {Pen} pen
 * @param {Data} data
 * @param {Plan} plan
 * @param {number[][]} curves
 * @param {Theme} theme
 */
function drawHeads(pen, data, plan, curves, theme) {
  /** @type {number[][]} */
  const taken = [];
  data.edges.slice(0, LABELS).forEach(([layer, head], i) => {
    const [x, y] = pointOn(curves[i], 0.5);
    if (taken.some(([left, top]) => Math.abs(left - x) < 26 && Math.abs(top - y) < 13)) return;
    taken.push([x, y]);
    pen.rect(x - 12, y - 6.5, 24, 13, theme.background, null, { alpha: 0.85 });
    pen.text(x, y, `L${layer}H${head}`, { color: theme.text, align: "center", size: 10 });
  });
}
