// @ts-check
// The grid of patches: where its cells lie, how they are coloured, and what is written around them.

import { _ } from "#canvas/language.js";
import { minus } from "#canvas/text.js";
import { inkOn, shade, shadeRgb } from "#canvas/theme.js";

/** @typedef {{ title: string, clean: string[], corrupted: string[], rows: number, columns: number, heads: boolean, kind: string, part: string, best: [string,
 * number, number], chain: number[][], said: string }} Header tokens of both texts; the cell that is chosen where nobody chose one;
 *   layer and column of the cells that are patched together */
/** @typedef {{ preview: Float32Array, exact: Float32Array }} Arrays grids [L, N]; of `exact` NaN where it is not known */
/** @typedef {Record<"left" | "top" | "cell" | "tall" | "below" | "width" | "height", number> & { turned: boolean }} Grid where the cells lie,
 * in pixels; `below`: where the names of the columns begin, `turned`: whether these stand upright */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("#canvas/pens.js").Pen} Pen */

const LEFT = 36; // pixels for the numbers of the layers
const RIGHT = 6;
const TOP = 4;
const SCALE_HEIGHT = 36;
const WIDEST = 84;
const WRITTEN = [28, 12]; // width and height from which a cell shows its number
const LEVEL = 46; // width from which a token is written level

/**
 * @param {Header} header
 * @param {number} width
 * @returns {Grid}
 */
export function gridOf(header, width) {
  const cell = Math.min(WIDEST, (width - LEFT - RIGHT) / header.columns);
  const tall = Math.max(12, Math.min(40, 280 / header.rows));
  const turned = !header.heads && cell < LEVEL;
  const below = TOP + header.rows * tall;
  return { left: LEFT, top: TOP, cell, tall, below, turned, width, height: below + (header.heads ? 18 : turned ? 64 : 36) + SCALE_HEIGHT };
}

/**
 * The layer and column at a point; null beside the cells.
 * @param {Header} header
 * @param {Grid} grid
 * @param {number} x
 * @param {number} y
 */
export function cellAt(header, grid, x, y) {
  const [column, row] = [Math.floor((x - grid.left) / grid.cell), Math.floor((y - grid.top) / grid.tall)];
  return column >= 0 && column < header.columns && row >= 0 && row < header.rows ? [row, column] : null;
}

/**
 * What a cell is worth: the exact number where it is known.
 * @param {ArrayLike<number>} preview
 * @param {ArrayLike<number>} exact
 * @param {number} at
 */
export function valueAt(preview, exact, at) {
  return Number.isNaN(exact[at]) ? preview[at] : exact[at];
}

/**
 * The number at both ends of the colours: 1, or more where a cell brings back more than all.
 * @param {ArrayLike<number>} preview
 * @param {ArrayLike<number>} exact
 */
export function endOfScale(preview, exact) {
  let most = 1;
  for (let i = 0; i < preview.length; i++) most = Math.max(most, Math.abs(valueAt(preview, exact, i)));
  return most;
}

/** @param {number} value */
export function twoDigits(value) {
  return minus(Math.abs(value) < 0.005 ? "0" : value.toFixed(2));
}

/**
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {{ header: Header, grid: Grid, preview: ArrayLike<number>, exact: ArrayLike<number>, chosen: number[], hover: number[] | null }} what
 */
export function drawPatches(pen, theme, { header, grid, preview, exact, chosen, hover }) {
  const most = endOfScale(preview, exact);
  const { left, top, cell, tall } = grid;
  const gap = cell > 6 ? 1 : 0;
  for (let row = 0; row < header.rows; row++) {
    if (tall >= 12 || row % 5 === 0) pen.text(left - 6, top + (row + 0.5) * tall, row, { align: "right", color: theme.muted, size: 10.5 });
    for (let column = 0; column < header.columns; column++) {
      const at = row * header.columns + column;
      const value = valueAt(preview, exact, at);
      const share = 0.5 + value / most / 2;
      const [x, y] = [left + column * cell, top + row * tall];
      pen.rect(x, y, cell - gap, tall - (tall > 6 ? 1 : 0), shade(theme.diverging, share), null, { cell: at });
      if (cell >= WRITTEN[0] && tall >= WRITTEN[1] && Math.abs(value) >= 0.005)
        pen.text(x + cell / 2, y + tall / 2, twoDigits(value), { align: "center", color: inkOn(shadeRgb(theme.diverging, share)), size: 10.5 });
    }
  }
  pen.rect(left - 0.5, top - 0.5, header.columns * cell, header.rows * tall, null, theme.faint);
  pen.text(7, top + (header.rows * tall) / 2, _("layer"), { align: "center", rotate: -Math.PI / 2, color: theme.muted, size: 10.5 });
  frame(pen, grid, chosen, theme.text, 2);
  if (hover) frame(pen, grid, hover, theme.muted, 1);
  for (const [row, column] of header.chain) pen.circle(left + (column + 1) * cell - 6, top + row * tall + 6, 3.2, theme.text);
  drawColumns(pen, theme, header, grid);
  drawScale(pen, theme, grid, most);
}

/**
 * @param {Pen} pen
 * @param {Grid} grid
 * @param {number[]} cell
 * @param {string} color
 * @param {number} width
 */
function frame(pen, { left, top, cell, tall }, [row, column], color, width) {
  pen.rect(left + column * cell, top + row * tall, Math.max(2, cell - 1), Math.max(2, tall - 1), null, color, { width });
}

/**
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {Header} header
 * @param {Grid} grid
 */
function drawColumns(pen, theme, header, { left, cell, below, turned }) {
  if (header.heads) {
    pen.text(left - 4, below + 9, _("head"), { align: "right", color: theme.muted, size: 10.5 });
    for (let head = 0; head < header.columns; head++) pen.text(
      left + (head + 0.5) * cell, below + 9, head, { align: "center", color: theme.muted, size: 10.5 });
    return;
  }
  const step = Math.max(1, Math.ceil(12 / cell));
  header.clean.forEach((token, column) => {
    const exchanged = token !== header.corrupted[column];
    const x = left + (column + 0.5) * cell;
    if (!turned) {
      pen.text(x, below + 10, token, { align: "center", color: exchanged ? theme.text : theme.muted, weight: exchanged ? 600 : 400, token: cell - 4 });
      if (exchanged) pen.text(x, below + 25, header.corrupted[column], { align: "center", color: theme.heads[3], weight: 600, token: cell - 4 });
    } else if (exchanged || column % step === 0) {
      pen.text(x, below + 5, token, { align: "right", rotate: -Math.PI / 2.6, color: exchanged ? theme.text : theme.muted, weight: exchanged ? 600 : 400,
        token: 58 });
    }
  });
}

/**
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {Grid} grid
 * @param {number} most
 */
function drawScale(pen, theme, { left, width, height }, most) {
  const [x, y, long] = [left, height - 28, Math.min(260, width - left - RIGHT - 20)];
  for (let i = 0; i < long; i++) pen.rect(x + i, y, 1.5, 8, shade(theme.diverging, i / (long - 1)));
  const marks = most > 1.15 ? [-most, 0, 1, most] : [-1, 0, 1];
  for (const mark of marks) {
    const at = x + (0.5 + mark / most / 2) * long;
    pen.line(at, y, at, y + 11, theme.muted);
    pen.text(at, y + 18, mark === 0 ? _("0 corrupted") : mark === 1 ? _("1 clean") : twoDigits(mark), { align: "center", color: theme.muted, size: 10.5 });
  }
}
