// @ts-check
// All heads' differences in small, one head's in detail, the cosines of the streams, and what both runs predict.

import { _ } from "#canvas/language.js";
import { clip, digits, visible } from "#canvas/text.js";
import { numbersImage, largestSize } from "#canvas/numbers_image.js";
import { inkOn, shade, shadeRgb } from "#canvas/theme.js";
import { inPercent, signed } from "./sentences.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./sentences.js").Data} Data */
/** @typedef {import("./sentences.js").Header} Header */
/** @typedef {import("./sentences.js").Hover} Hover */
/** @typedef {Record<"x" | "y" | "width" | "height", number>} Box */
/** @typedef {{ width: number, height: number, grid: Box, detail: Box, cosines: Box, guesses: Box }} Layout */

const NARROW = 720; // pixels, below which the parts stand one above the other
const LABELS = 62; // pixels of the tokens beside the map in detail
const ABOVE = 54; // and above it
const TITLES = 18;
const LEGEND = 30;
const EACH = 15; // pixels of a prediction's line
const LEGIBLE = 30; // pixels of a small map, at least: smaller cells have one colour

/**
 * @param {number} width
 * @param {Header} header
 * @returns {Layout}
 */
export function compareLayout(width, { layers, heads, guesses, apart }) {
  const narrow = width < NARROW;
  const lines = 2 * (guesses[0]?.[0].length ?? 0) * EACH + 40;
  const size = narrow ? width - LABELS - 4 : Math.min(width * 0.36, 400) - LABELS;
  const gridWidth = narrow ? width - 18 : width * 0.36 - 18;
  const high = Math.max(10, (narrow ? 420 : size + ABOVE - 10) / layers);
  const cell = Math.min(gridWidth / heads, high);
  const grid = cell < LEGIBLE ? { x: 18, y: TITLES + 16, width: gridWidth, height: high * layers } : {
    x: 18, y: TITLES + 16, width: cell * heads, height: cell * layers };
  const gap = 22;
  const detail = narrow ? { x: LABELS, y: grid.y + grid.height + LEGEND + TITLES + ABOVE, width: size, height: size } : {
    x: 18 + gridWidth + gap + LABELS, y: TITLES + ABOVE, width: size, height: size };
  const right = detail.x + size + gap;
  const x = narrow ? 22 : right + 22;
  const top = narrow ? detail.y + size + LEGEND + TITLES : TITLES;
  const tall = apart ? 16 : Math.max(60, Math.min(150, (layers + 1) * 13));
  const cosines = { x, y: top, width: width - x - 2, height: tall };
  const below = { x: narrow ? 0 : right, y: top + tall + 34, width: width - (narrow ? 0 : right) - 2, height: lines };
  return { width, height: Math.max(grid.y + grid.height, detail.y + size, below.y + lines) + LEGEND, grid, detail, cosines, guesses: below };
}

/**
 * What is under a point, or null.
 * @param {Layout} layout
 * @param {Data} data
 * @param {number} x
 * @param {number} y
 * @returns {Hover | null}
 */
export function comparedAt(layout, { header, tokens }, x, y) {
  /** @type {(box: Box, rows: number, cols: number) => [number, number] | null} */
  const cell = (box, rows, cols) => {
    const [across, down] = [(x - box.x) / box.width, (y - box.y) / box.height];
    return across >= 0 && across < 1 && down >= 0 && down < 1 ? [Math.floor(down * rows), Math.floor(across * cols)] : null;
  };
  const inGrid = cell(layout.grid, header.layers, header.heads);
  if (inGrid) return { part: "head", layer: inGrid[0], head: inGrid[1] };
  const inDetail = cell(layout.detail, tokens.length, tokens.length);
  if (inDetail) return { part: "cell", row: inDetail[0], col: inDetail[1] };
  const inCosines = header.apart ? null : cell(layout.cosines, header.layers + 1, tokens.length);
  return inCosines ? { part: "cosine", layer: inCosines[0], row: inCosines[1] } : null;
}

/**
 * A picture that is made once for the data and a theme.
 * @param {Data} data
 * @param {Theme} theme
 * @param {string} name
 * @param {() => HTMLCanvasElement} draw
 */
function once({ images }, theme, name, draw) {
  const key = `${theme.id}|${name}`;
  if (!images.has(key)) images.set(key, draw());
  return images.get(key);
}

/**
 * @param {Pen} pen
 * @param {Data} data
 * @param {{ pin: number, hover: Hover | null }} state
 * @param {Layout} layout
 * @param {Theme} theme
 */
export function drawCompared(pen, data, { pin, hover }, layout, theme) {
  const row = hover && "row" in hover ? hover.row : pin;
  drawGrid(pen, data, hover, layout.grid, theme);
  drawDetail(pen, data, row, hover, layout.detail, theme);
  drawCosines(pen, data, row, layout.cosines, theme);
  drawGuesses(pen, data, row, layout.guesses, theme);
}

/**
 * @param {Pen} pen
 * @param {Data} data
 * @param {Hover | null} hover
 * @param {Box} box
 * @param {Theme} theme
 */
function drawGrid(pen, data, hover, box, theme) {
  const { header, arrays } = data;
  const { layers, heads, side } = header;
  const [wide, high] = [box.width / heads, box.height / layers];
  const maps = Math.min(wide, high) >= LEGIBLE;
  const most = largestSize(arrays.moved) || 1;
  pen.text(0, 8, maps ? _("every head: weight in B − weight in A") : _("every head: how much of its attention moved"),
    { color: theme.text, size: 12, weight: 600 });
  for (let number = 0; number < layers * heads; number++) {
    const [layer, head] = [Math.floor(number / heads), number % heads];
    if (!head && (high > 9 || layer % 5 === 0)) pen.text(box.x - 5, box.y + (layer + 0.5) * high, layer, { color: theme.muted, size: 10, align: "right" });
    const [x, y] = [box.x + head * wide, box.y + layer * high];
    if (maps) pen.image(once(data, theme, `map ${number}`,
      () => numbersImage(theme, Float32Array.from(arrays.maps.subarray(number * side * side, (number + 1) * side * side), (byte) => byte - 128), side, side,
      true, 127)), x + 1, y + 1, wide - 2, high - 2);
    else drawShare(pen, theme, arrays.moved[number], most, { x, y, width: wide, height: high });
    const chosen = layer === header.head[0] && head === header.head[1];
    const pointed = hover?.part === "head" && hover.layer === layer && hover.head === head;
    if (maps || chosen || pointed) pen.rect(x + 0.5, y + 0.5, wide - 1, high - 1, null, chosen ? theme.primary : pointed ? theme.text : theme.faint,
      { width: chosen ? 2.5 : 1 });
  }
  for (let head = 0; head < heads; head++) if (wide > 12 || head % 5 === 0)
    pen.text(box.x + (head + 0.5) * wide, box.y - 8, head, { color: theme.muted, size: 10, align: "center" });
  if (maps) return legend(pen, box, header.most, theme);
  for (let i = 0; i < 90; i++) pen.rect(box.x + i, box.y + box.height + 12, 1.5, 8, shade(theme.sequential, i / 89));
  pen.text(box.x + 96, box.y + box.height + 16, _("0 to {most} of a head’s attention", { most: inPercent(most) }), { color: theme.muted, size: 10 });
}

/**
 * One head's share, as a colour and, where there is room, a number.
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {number} share
 * @param {number} most
 * @param {Box} box
 */
function drawShare(pen, theme, share, most, { x, y, width, height }) {
  pen.rect(x, y, width - 1, height - 1, shade(theme.sequential, share / most));
  if (width < 26 || height < 10) return;
  pen.text(x + width / 2, y + height / 2, Math.round(100 * share), { color: inkOn(shadeRgb(theme.sequential, share / most)), align: "center", size: 9 });
}

/**
 * The diverging scale and its ends.
 * @param {Pen} pen
 * @param {Box} box
 * @param {number} most
 * @param {Theme} theme
 */
function legend(pen, box, most, theme) {
  const values = Float32Array.from({ length: 64 }, (_, i) => i / 31.5 - 1);
  const wide = Math.min(90, box.width / 3);
  const [x, y] = [box.x + box.width / 2 - wide / 2, box.y + box.height + 16];
  pen.image(numbersImage(theme, values, 1, 64, true, 1), x, y - 4, wide, 8);
  pen.text(x - 5, y, _("more in A {value}", { value: signed(-most) }), { color: theme.muted, size: 10, align: "right" });
  pen.text(x + wide + 5, y, _("{value} more in B", { value: signed(most) }), { color: theme.muted, size: 10 });
}

/**
 * @param {Pen} pen
 * @param {Data} data
 * @param {number} row
 * @param {Hover | null} hover
 * @param {Box} box
 * @param {Theme} theme
 */
function drawDetail(pen, data, row, hover, box, theme) {
  const { header, difference, tokens } = data;
  const count = tokens.length;
  const each = box.width / count;
  const [layer, head] = header.head;
  const most = largestSize(difference);
  const moved = data.arrays.moved[layer * header.heads + head];
  pen.text(box.x - LABELS, box.y - ABOVE - 10, _("L{layer}H{head}: {share} of its attention moved", { layer, head, share: inPercent(moved) }),
    { color: theme.text, size: 12, weight: 600 });
  pen.image(once(data, theme, "detail", () => numbersImage(theme, difference, count, count, true, most)), box.x, box.y, box.width, box.height);
  pen.rect(box.x - 0.5, box.y - 0.5, box.width + 1, box.height + 1, null, theme.faint);
  const step = Math.max(1, Math.ceil(11 / each));
  const col = hover?.part === "cell" ? hover.col : -1;
  for (let i = 0; i < count; i++) {
    const near = (/** @type {number} */ at) => i === at || (i % step === 0 && (at < 0 || Math.abs(i - at) * each > 10));
    const ink = (/** @type {boolean} */ lit) => ({ color: lit ? theme.text : theme.muted, weight: lit ? 700 : 400, size: 10, token: 56 });
    if (near(row)) pen.text(box.x - 4, box.y + (i + 0.5) * each, tokens[i], { ...ink(i === row), align: "right" });
    if (near(col)) pen.text(box.x + (i + 0.5) * each, box.y - 5, tokens[i], { ...ink(i === col), rotate: -Math.PI / 3 });
  }
  pen.rect(box.x - 1, box.y + row * each - 1, box.width + 2, Math.max(3, each + 2), null, theme.text, { width: 1.5 });
  if (col >= 0) pen.rect(box.x + col * each - 1, box.y + row * each - 1, each + 2, each + 2, null, theme.primary, { width: 2 });
  legend(pen, box, most, theme);
}

/**
 * @param {Pen} pen
 * @param {Data} data
 * @param {number} row
 * @param {Box} box
 * @param {Theme} theme
 */
function drawCosines(pen, data, row, box, theme) {
  const { header, arrays, tokens } = data;
  const left = box.x - 22;
  if (header.apart) {
    pen.text(left, box.y - 10, _("residual streams: of different width, no cosine"), { color: theme.muted, size: 12 });
    return;
  }
  const apart = Float32Array.from(arrays.cosines, (value) => Math.max(0, 1 - value));
  const most = largestSize(apart);
  pen.text(left, box.y - 10, _("streams: 1 − cosine, up to {most}", { most: digits(most, 2) }), { color: theme.text, size: 12, weight: 600 });
  const rows = header.layers + 1;
  pen.image(once(data, theme, "cosines", () => numbersImage(theme, apart, rows, tokens.length, false, most)), box.x, box.y, box.width, box.height);
  pen.rect(box.x - 0.5, box.y - 0.5, box.width + 1, box.height + 1, null, theme.faint);
  const high = box.height / rows;
  for (let layer = 0; layer < rows; layer++) {
    if (high >= 10 || layer % 5 === 0) pen.text(box.x - 4, box.y + (layer + 0.5) * high, layer ? layer - 1 : _("in"),
      { color: theme.muted, size: 10, align: "right" });
  }
  const each = box.width / tokens.length;
  pen.rect(box.x + row * each - 1, box.y - 1, each + 2, box.height + 2, null, theme.text, { width: 1.5 });
  pen.text(box.x + box.width / 2, box.y + box.height + 9, _("after each layer, along the text →"), { color: theme.muted, size: 10, align: "center" });
}

/**
 * @param {Pen} pen
 * @param {Data} data
 * @param {number} row
 * @param {Box} box
 * @param {Theme} theme
 */
function drawGuesses(pen, { header, arrays, tokens }, row, box, theme) {
  pen.text(box.x, box.y, _("after “{token}”: KL(A‖B) {kl}", { token: clip(tokens[row] ?? "", 14), kl: digits(arrays.kl[row], 3) }),
    { color: theme.text, size: 12, weight: 600 });
  let y = box.y + 17;
  (header.guesses[row] ?? []).forEach((guesses, run) => {
    const color = theme.heads[run];
    for (const { token, share } of guesses) {
      pen.text(box.x, y, "AB"[run], { color, size: 10, weight: 700 });
      pen.text(box.x + 84, y, visible(token), { color: theme.text, size: 11, align: "right", token: 66 });
      pen.rect(box.x + 90, y - 5, Math.max(1, (box.width - 134) * share), 10, color);
      pen.text(box.x + 94 + (box.width - 134) * share, y, inPercent(share), { color: theme.muted, size: 10 });
      y += EACH;
    }
    y += 6;
  });
}
