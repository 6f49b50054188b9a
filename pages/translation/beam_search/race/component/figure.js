// @ts-check
// The race as a file, on white paper.

import { figureOf } from "#canvas/pens.js";
import { paperTheme } from "#canvas/theme.js";
import { CHART, drawDuel } from "./duel.js";
import { drawLanes, lanesHeight, planLanes, shownStep } from "./lanes.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */

const WIDTH = 960; // pixels
const TITLE = 34;

/**
 * Save the lanes at the shown step, and the duel once a token is chosen.
 * @param {View} v
 */
export function savedRace(v) {
  const theme = paperTheme(v.theme, v.data.colors);
  const plans = planLanes(v, WIDTH);
  const lanes = lanesHeight(plans);
  const duel = v.data.duel.tokens.length ? CHART + 12 : 0;
  return figureOf(`tlmviz-${v.data.model}-race`, { width: WIDTH + 20, height: TITLE + lanes + duel + 8, theme }, (pen) => {
    pen.text(10, 16, TEXTS.beamsStep(v.data.model, v.data.lanes.map(({ width }) => width).join(", "), shownStep(v)), { color: theme.text, size: 14, weight: 600 });
    pen.shifted(10, TITLE, () => drawLanes(pen, { ...v, plans, hover: null }, theme));
    if (duel) pen.shifted(10, TITLE + lanes + 8, () => drawDuel(pen, v, theme, { x: 0, y: 0, width: WIDTH, height: CHART }));
  });
}
