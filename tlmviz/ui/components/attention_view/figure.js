// @ts-check
// The detail figure as a file, on white paper.

import { figureOf } from "#canvas/pens.js";
import { clip, visible } from "#canvas/text.js";
import { paperTheme } from "#canvas/theme.js";
import { drawArcs } from "./arcs.js";
import { drawMap } from "./map.js";
import { drawPins, drawRowArcs } from "./marks.js";
import { STAGE_NAMES } from "./view.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").View} View */

const SHARPNESS = 2; // pixels of an image per pixel of the figure
const LEGEND = 18; // pixels of a line of the legend

/**
 * The detail figure as it is now, with a title line, on white paper.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 */
function drawFigure(pen, v, theme) {
  const stage = v.state.mode === "arcs" ? "" : `, ${STAGE_NAMES[v.exact?.stageOf(v.state.stage) ?? v.state.stage]}`;
  pen.text(12, 16, `L${v.state.layer}H${v.state.head}${stage} · ${v.header.model}`, { color: theme.text, weight: 600, size: 13 });
  if (v.state.mode === "map") {
    const plan = { ...v.mapPlan, y: v.mapPlan.y + 30 };
    drawMap(pen, v, plan, theme, SHARPNESS);
    drawPins(pen, v, plan, theme.primary);
    drawRowArcs(pen, v, plan, theme.primary);
    return;
  }
  drawLegend(pen, v, theme);
  pen.shifted(12, 34 + legendHeight(v), () => {
    drawTokens(pen, v, theme);
    drawArcs(pen, v);
  });
}

/**
 * Pixels that the legend takes; one head needs none.
 * @param {View} v
 */
function legendHeight(v) {
  return v.arcHeads.heads.length > 1 ? LEGEND * v.arcHeads.heads.length : 0;
}

/**
 * Every head's colour, a line each.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 */
function drawLegend(pen, v, theme) {
  if (!legendHeight(v)) return;
  v.arcHeads.heads.forEach(({ layer, head, color }, line) => {
    const y = 34 + line * LEGEND;
    pen.rect(12, y - 5, 10, 10, color, null);
    pen.text(28, y, `L${layer}H${head}`, { color: theme.text });
  });
}

/**
 * The text as it lies on the page, shaded by the first head's weights.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 */
function drawTokens(pen, v, theme) {
  const { query, heads } = v.arcHeads;
  const [main] = heads;
  const most = main ? Math.max(0.05, ...main.weights) : 1;
  const { groups } = v.header;
  v.spans.forEach(({ offsetLeft: x, offsetTop: y, offsetWidth: width, offsetHeight: height }, j) => {
    const weight = main && (j <= query || !v.header.causal) ? main.weights[j] / most : 0;
    if (weight > 0.006) pen.rect(x, y, width, height, main.color, null, { alpha: 0.62 * weight });
    if (groups) pen.rect(x, y + height - 3, width, 3, groups.colors[groups.of[j]], null);
    if (j === query) pen.rect(x, y, width, height, null, theme.text);
    pen.text(x + 2, y + height / 2, `\u2068${clip(visible(v.header.tokens[j]), 40)}\u2069`, { color: theme.text, size: 14 });
  });
}

/**
 * Save the detail figure.
 * @param {View} v
 */
export function saved(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  const arcs = v.state.mode === "arcs";
  const width = arcs ? v.els.flow.clientWidth + 24 : v.mapPlan.width;
  const height = arcs ? v.els.flow.scrollHeight + 46 + legendHeight(v) : v.mapPlan.height + 36;
  const name = `tlmviz-L${v.state.layer}H${v.state.head}`;
  return figureOf(name, { width, height, theme }, (pen) => drawFigure(pen, v, theme));
}
