// @ts-check
// The figure as a file, on white paper.

import { figureOf } from "#canvas/pens.js";
import { paperTheme } from "#canvas/theme.js";
import { drawRibbons } from "./drawing.js";
import { line } from "./words.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */

const HEAD = 46; // pixels of the title

/**
 * Save the picture as it is on the page, without what is pointed at.
 * @param {View} v
 */
export function savedRibbons(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  const still = /** @type {View} */ ({ ...v, hover: { step: null, token: null }, cursor: null, held: null, drag: null });
  return figureOf(`tlmviz-${v.header.model}-ribbons`, { width: v.plan.width, height: v.plan.height + HEAD, theme }, (pen) => {
    pen.text(6, 14, line(v.header.now), { color: theme.text, size: 14, weight: 600 });
    const pins = v.header.pins.length ? TEXTS.outlinedWhereHad : "";
    pen.text(6, 34, TEXTS.widthAttentionColour(v.header.model, v.header.map, pins), { color: theme.muted, size: 12 });
    pen.shifted(0, HEAD, () => drawRibbons(pen, still, theme));
  });
}
