// @ts-check
// The pictures side by side as a file, on white paper.

import { figureOf } from "#canvas/pens.js";
import { paperTheme } from "#canvas/theme.js";
import { write } from "./drawing.js";
import { decimal } from "./numbers.js";
import { PICTURES } from "./view.js";
import { stepName } from "./words.js";

/** @typedef {import("./types").View} View */

const [MARGIN, WIDTH, GAP, HEIGHT] = [16, 380, 24, 400]; // pixels; WIDTH of one picture

/**
 * Save the pictures as SVG.
 * @param {View} v
 */
export function savedDial(v) {
  const theme = paperTheme(v.theme, v.data.colors);
  const pictures = Object.entries(PICTURES).filter(([name]) => name !== "gain" || v.data.model);
  const width = MARGIN + pictures.length * (WIDTH + GAP);
  return figureOf("tlmviz-sinkhorn-dial", { width, height: HEIGHT, theme }, (pen) => {
    const heading = `${v.data.name}: ${stepName(v.step)}; temperature ${decimal(v.temperature, 2)}`;
    write(pen, MARGIN, 22, heading, { color: theme.text, size: 14, weight: 600 });
    pictures.forEach(([, draw], k) => pen.shifted(MARGIN + k * (WIDTH + GAP), 40, () => draw(pen, v, theme, WIDTH)));
  });
}
