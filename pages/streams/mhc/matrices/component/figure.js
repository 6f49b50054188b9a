// @ts-check
// The whole figure as a file, on white paper.

import { figureOf } from "#canvas/pens.js";
import { paperTheme } from "#canvas/theme.js";
import { facts, tokenName } from "./numbers.js";
import { DRAW, HEIGHTS } from "./view.js";
import { wiringsHeight } from "./wirings.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").View} View */
/** @typedef {import("./types").PanelName} PanelName */

/**
 * The whole figure on white paper: panels as on a wide screen, and the numbers.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {number} height
 */
function drawAll(pen, v, theme, height) {
  pen.text(16, 18, `${v.header.model} · ${v.header.names[v.state.sublayer]} at token ${tokenName(v)}`, { color: theme.text, weight: 600, size: 14 });
  const places = {
    maps: [16, 36, 390, HEIGHTS.maps], matrix: [426, 36, 290, HEIGHTS.matrix], plane: [726, 36, 160, HEIGHTS.plane],
    spread: [426, 276, 148, HEIGHTS.spread], course: [588, 276, 492, HEIGHTS.course], wirings: [426, 400, 654, height - 410],
  };
  const { plans } = v; // of the page: drawing sets them
  v.plans = /** @type {View["plans"]} */ ({});
  for (const [name, [x, y, width, rows]] of Object.entries(places)) {
    DRAW[/** @type {PanelName} */ (name)](pen, v, theme, { x, y, width, height: rows });
  }
  v.plans = plans;
  facts(v).forEach(([name, value], k) => {
    const y = 66 + 24 * k;
    pen.text(900, y + (k ? 20 : 0), name, { color: theme.muted, size: 11 }); // the first value stands in a line of its own
    pen.text(1080, y + 20, value, { color: theme.text, size: 11, align: "right" });
  });
}

/**
 * Save the whole figure.
 * @param {View} v
 */
export function savedMatrices(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  const height = Math.max(500, 410 + wiringsHeight(v, 654));
  const name = `tlmviz-${v.header.model}-${v.header.names[v.state.sublayer].replace(" ", "-")}-token-${v.state.token}`;
  return figureOf(name, { width: 1096, height, theme }, (pen) => drawAll(pen, v, theme, height));
}
