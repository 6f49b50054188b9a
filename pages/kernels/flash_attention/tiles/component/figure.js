// @ts-check
// The picture as a file, on white paper: both machines, and the kernel's lines.

import { figureOf } from "#canvas/pens.js";
import { paperTheme } from "#canvas/theme.js";
import { MACHINE, drawKernel, drawStandard } from "./machines.js";

/** @typedef {import("./types").View} View */

const WIDTH = 1200;

/**
 * @param {View} v
 */
export function savedMachines(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  const { code, steps, title } = v.header;
  const running = new Set(steps[Math.min(v.step, steps.length - 1)].when);
  const height = Math.max(MACHINE + 70, 50 + 13 * code.length);
  return figureOf(`tlmviz-flash-attention-step-${v.step + 1}`, { width: WIDTH, height, theme }, (pen) => {
    pen.text(16, 20, title, { color: theme.text, size: 14, weight: 600 });
    drawKernel(pen, v, theme, { x: 16, y: 42, width: 380, height: MACHINE });
    drawStandard(pen, v, theme, { x: 412, y: 42, width: 330, height: MACHINE });
    code.forEach(({ number, text, when }, k) => {
      const lit = running.has(when);
      pen.text(786, 46 + 13 * k, number, { align: "right", color: theme.muted, size: 10 });
      pen.text(794 + 6 * (text.length - text.trimStart().length), 46 + 13 * k, text.trimStart(), { color: lit ? theme.primary : theme.muted, size: 10, weight: lit ? 700 : 400 });
    });
  });
}
