// @ts-check
// Every latent's map over the picture, layer by layer, and how much an answer takes from each. Free of the DOM but for small images.

import { _ } from "#canvas/language.js";
import { drawPixels } from "#canvas/pad.js";
import { inkOn, rgb, shadeRgb } from "#canvas/theme.js";

/** @typedef {[layer: number, latent: number]} Latent both from 0 */
/** @typedef {{ at: Latent | null, pixel: number | null }} Pointed a latent's map, a pixel of the picture, or a pixel of a map */
/** @typedef {{ layer: number, latent: number, x: number, y: number }} Box */
/** @typedef {{ width: number, height: number, side: number, boxes: Box[], answers: Box[] }} Layout the maps, and below them the bars of the answer */
/**
 * `names` of the cells, `pixels` of each a letter each; `truth` what each holds (10 is nothing), null where nobody knows; `read` what
 * it is read as; `said` of the chosen cell; `error` why nothing is read.
 * @typedef {{ names: string[], pixels: string[], layers: number, heads: number, latents: number, truth: (number | null)[], read: number[], said: string,
 *   error: string }} Header
 */
/**
 * [layers, heads + 1, latents, pixels or latents], [heads + 1, cells, latents], the mean of heads first; [cells, 11]; [24, 24] as it is read.
 * @typedef {{ reading: Float32Array, mixing: Float32Array, answering: Float32Array, probabilities: Float32Array, picture: Uint8Array }} Arrays
 */
/** @typedef {import("#canvas/live.js").View<Header, Arrays, { drawn: string[], cell: number, muted: number[], pin: Latent | null,
 * head: number }> & { pad: import("#canvas/pad.js").Pad, kept: Arrays, images: Map<string, HTMLCanvasElement> }} View */
/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */

export const CELLS = 3; // along a side of the picture
export const PIXELS = 24;
const CELL = PIXELS / CELLS;
const MAP_GAP = { few: 10, many: 6 };
const MAP_HEAD = 18; // pixels above the maps of a layer
const MAP_FOOT = 19; // below a map: a bar and a number
const ANSWER = 24; // a bar and a number of the answer
const LARGEST_MAP = 118;
const SMALLEST_MAP = { few: 60, many: 56 };
const FULL_PIXEL = 16;
const INKED = 0.38; // how much of a pixel full ink covers
const MAP_ORANGE = "#cf6a1b";

/**
 * The maps in rows: those of a layer in one row where there is room.
 * @param {number} width
 * @param {number} layers
 * @param {number} latents
 * @returns {Layout}
 */
export function layOut(width, layers, latents) {
  const least = latents > 8 ? SMALLEST_MAP.many : SMALLEST_MAP.few;
  const gap = latents > 8 ? MAP_GAP.many : MAP_GAP.few;
  const sideFor = (/** @type {number} */ number) => Math.floor(Math.min(LARGEST_MAP, (width - 2 - gap * (number - 1)) / number));
  let perRow = latents;
  while (perRow > 2 && sideFor(perRow) < least) perRow = Math.ceil(perRow / 2);
  const side = sideFor(perRow);
  const rows = Math.ceil(latents / perRow);
  const place = (/** @type {number} */ latent, /** @type {number} */ top, /** @type {number} */ tall) =>
    ({ x: 1 + (latent % perRow) * (side + gap), y: top + MAP_HEAD + Math.floor(latent / perRow) * tall });
  const height = MAP_HEAD + rows * (side + MAP_FOOT);
  const boxes = Array.from({ length: layers * latents }, (_unused, i) => {
    const [layer, latent] = [Math.floor(i / latents), i % latents];
    return { layer, latent, ...place(latent, layer * height, side + MAP_FOOT) };
  });
  const answers = Array.from({ length: latents }, (_unused, latent) => ({ layer: layers, latent, ...place(latent, layers * height, ANSWER) }));
  return { width: Math.min(width, perRow * (side + gap) - gap + 2), height: layers * height + MAP_HEAD + rows * ANSWER, side, boxes, answers };
}

/**
 * A latent's weights over the pixels ("reading") or the latents ("mixing") in a layer, of the chosen head.
 * @param {View} v
 * @param {"reading" | "mixing"} what
 * @param {Latent} at
 */
export function weightsOf(v, what, [layer, latent]) {
  const { heads, latents } = v.header;
  const size = what === "reading" ? PIXELS ** 2 : latents;
  const begin = ((layer * (heads + 1) + v.place.head) * latents + latent) * size;
  return v.kept[what].subarray(begin, begin + size);
}

/**
 * What the answer for the chosen cell takes from each latent, in the chosen head.
 * @param {View} v
 */
export function answerOf(v) {
  const { latents } = v.header;
  const begin = (v.place.head * CELLS ** 2 + v.place.cell) * latents;
  return v.kept.answering.subarray(begin, begin + latents);
}

/** @param {View} v @returns {Latent | null} */
export function focus(v) {
  return v.hover?.at ?? v.place.pin;
}

/**
 * The map that an arrow key leads to.
 * @param {View} v
 * @param {number} right
 * @param {number} down
 * @returns {Latent}
 */
export function beside(v, right, down) {
  const { layers, latents } = v.header;
  const [layer, latent] = v.place.pin ?? [-down, -right];
  return [(layer + down + layers) % layers, (latent + right + latents) % latents];
}

/**
 * @param {Layout} layout
 * @param {number} x
 * @param {number} y
 * @returns {Pointed | null}
 */
export function pointedAt({ boxes, side }, x, y) {
  const box = boxes.find((each) => x >= each.x && x < each.x + side && y >= each.y && y < each.y + side + MAP_FOOT);
  if (!box) return null;
  const [column, row] = [Math.floor((PIXELS * (x - box.x)) / side), Math.floor((PIXELS * (y - box.y)) / side)];
  return { at: [box.layer, box.latent], pixel: row < PIXELS ? PIXELS * row + column : null };
}

/** @param {number} pixel @returns {number} its cell, 0 to 8 */
export function cellOf(pixel) {
  return Math.floor(Math.floor(pixel / PIXELS) / CELL) * CELLS + Math.floor((pixel % PIXELS) / CELL);
}

/**
 * Weights of pixels summed by cell.
 * @param {ArrayLike<number>} weights
 */
export function byCell(weights) {
  const sums = new Array(CELLS ** 2).fill(0);
  for (let pixel = 0; pixel < weights.length; pixel++) sums[cellOf(pixel)] += weights[pixel];
  return sums;
}

/**
 * The picture as it was drawn, with what each cell is read as, and the chosen cell.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {number} size
 * @param {(text: string) => Uint8Array} pixelsOf the pixels of a cell's letters
 */
export function drawCells(pen, v, theme, size, pixelsOf) {
  const step = size / CELLS;
  v.header.pixels.forEach((letters, cell) => {
    const [x, y] = [(cell % CELLS) * step, Math.floor(cell / CELLS) * step];
    const own = cell === v.place.cell ? v.pad.values : pixelsOf(letters);
    pen.shifted(x + 3, y + 3, () => drawPixels(pen, theme, own, CELL, step - 6));
    pen.rect(x + 0.5, y + 0.5, step - 1, step - 1, null, theme.faint);
    const [read, truth] = [v.header.read[cell], v.header.truth[cell]];
    if (read === undefined || v.header.error) return;
    const wrong = truth !== null && read !== truth;
    pen.rect(x + 1, y + 1, 14, 14, wrong ? MAP_ORANGE : theme.background, wrong ? null : theme.faint);
    pen.text(x + 8, y + 8.5, read > 9 ? "–" : read, { color: wrong ? "#ffffff" : theme.text, align: "center", size: 11, weight: 600 });
  });
  const { cell } = v.place;
  pen.rect((cell % CELLS) * step + 1.5, Math.floor(cell / CELLS) * step + 1.5, step - 3, step - 3, null, theme.primary, { width: 3 });
}

/**
 * All maps, and the bars of the chosen cell's answer.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {Layout} layout
 */
export function drawMaps(pen, v, theme, layout) {
  const chosen = focus(v);
  const barsOf = heightsOfBars(v, layout, chosen);
  for (const box of layout.boxes) {
    if (box.latent === 0) pen.text(1, box.y - MAP_HEAD / 2, _("Layer {n}", { n: box.layer }), { color: theme.text, size: 12, weight: 600 });
    const muted = v.place.muted.includes(box.latent);
    const here = chosen && chosen[0] === box.layer && chosen[1] === box.latent;
    pen.shifted(box.x, box.y, () => {
      drawMap(pen, v, theme, { at: [box.layer, box.latent], side: layout.side, muted });
      if (here) pen.rect(-1, -1, layout.side + 2, layout.side + 2, null, MAP_ORANGE, { width: 2.5 });
      drawFoot(pen, theme, { bar: barsOf(box), side: layout.side, top: layout.side, latent: box.latent, muted });
    });
  }
  drawAnswer(pen, v, theme, layout);
}

/**
 * How much the answer for the chosen cell takes from each latent.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {Layout} layout
 */
function drawAnswer(pen, v, theme, { answers, side }) {
  const title = _("Answer for the cell at the {cell}", { cell: v.header.names[v.place.cell] });
  pen.text(1, answers[0].y - MAP_HEAD / 2, title, { color: theme.text, size: 12, weight: 600 });
  const weights = answerOf(v);
  for (const { latent, x, y } of answers) {
    const muted = v.place.muted.includes(latent);
    pen.shifted(x, y, () => drawFoot(pen, theme, { bar: { share: weights[latent], value: weights[latent] }, side, top: -3, latent, muted }));
  }
}

/**
 * What the bar below each map shows: how much the chosen latent takes from each, or how much each reads of the pixel.
 * @param {View} v
 * @param {Layout} layout
 * @param {Latent | null} chosen
 * @returns {(box: { layer: number, latent: number }) => { share: number, value: number } | null}
 */
function heightsOfBars(v, layout, chosen) {
  const pixel = v.hover?.pixel ?? null;
  if (chosen) {
    const weights = weightsOf(v, "mixing", chosen);
    return ({ layer, latent }) => (layer === chosen[0] ? { share: weights[latent], value: weights[latent] } : null);
  }
  if (pixel === null) return () => null;
  const most = Math.max(...layout.boxes.map((box) => weightsOf(v, "reading", [box.layer, box.latent])[pixel]));
  return ({ layer, latent }) => {
    const value = weightsOf(v, "reading", [layer, latent])[pixel];
    return { share: value / most, value };
  };
}

/**
 * One latent's weights as colours, up to its own largest, with the picture's ink in them.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {{ at: Latent, side: number, muted: boolean }} map
 */
function drawMap(pen, v, theme, { at, side, muted }) {
  const pixel = v.hover?.pixel ?? null;
  const cell = side / PIXELS;
  pen.image(mapImage(v, theme, at), 0, 0, side, side);
  if (muted || v.header.error) pen.rect(0, 0, side, side, theme.background, null, { alpha: muted ? 0.85 : 0.6 });
  for (let i = 1; i < CELLS; i++) {
    pen.line((i * side) / CELLS, 0, (i * side) / CELLS, side, theme.faint);
    pen.line(0, (i * side) / CELLS, side, (i * side) / CELLS, theme.faint);
  }
  pen.rect(0, 0, side, side, null, theme.faint);
  if (pixel !== null) pen.rect((pixel % PIXELS) * cell - 1, Math.floor(pixel / PIXELS) * cell - 1, cell + 2, cell + 2, null, MAP_ORANGE, { width: 2 });
}

/**
 * A latent's map as a small image, kept until there are others: the scale is of square roots, so that small weights are seen.
 * @param {View} v
 * @param {Theme} theme
 * @param {Latent} at
 */
function mapImage(v, theme, at) {
  const key = [theme.id, v.place.head, ...at].join();
  const known = v.images.get(key);
  if (known) return known;
  const weights = weightsOf(v, "reading", at);
  const most = Math.max(1e-9, ...weights);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = PIXELS;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  const image = context.createImageData(PIXELS, PIXELS);
  for (let i = 0; i < PIXELS ** 2; i++) {
    const paper = shadeRgb(theme.sequential, Math.sqrt(weights[i] / most));
    const ink = rgb(inkOn(paper));
    const share = INKED * (v.kept.picture[i] / FULL_PIXEL);
    for (let c = 0; c < 3; c++) image.data[4 * i + c] = paper[c] * (1 - share) + ink[c] * share;
    image.data[4 * i + 3] = 255;
  }
  context.putImageData(image, 0, 0);
  v.images.set(key, canvas);
  return canvas;
}

/**
 * Below a map: the latent's number, and a bar with its value where one is asked for.
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {{ bar: { share: number, value: number } | null, side: number, top: number, latent: number, muted: boolean }} foot
 */
function drawFoot(pen, theme, { bar, side, top, latent, muted }) {
  const name = side < 60 ? String(latent) : _("latent {n}", { n: latent });
  if (!bar || muted) {
    pen.text(side / 2, top + 9, muted && side >= 60 ? `${name} ${_("muted")}` : muted ? `${name} ×` : name,
      { color: theme.muted, align: "center", size: 10.5 });
    return;
  }
  const track = side - (side < 60 ? 0 : 34);
  pen.rect(0, top + 5, track, 7, inkOn(rgb(theme.background)), null, { alpha: 0.09 });
  pen.rect(0, top + 5, track * bar.share, 7, MAP_ORANGE);
  if (side >= 60) pen.text(side, top + 9, bar.value.toFixed(3), { color: theme.text, align: "right", size: 10.5 });
}

/**
 * What is pointed at, in a sentence; what the chosen cell's answer is made of where nothing is.
 * @param {View} v
 */
export function pointedSentence(v) {
  const { names } = v.header;
  const chosen = focus(v);
  const pixel = v.hover?.pixel ?? null;
  if (chosen) {
    const cells = byCell(weightsOf(v, "reading", chosen)), most = Math.max(...cells);
    const others = Array.from(weightsOf(v, "mixing", chosen), (weight, latent) => ({ weight, latent })).sort((a, b) => b.weight - a.weight);
    const [first, second] = others.map(({ weight, latent }) => `${latent} (${(100 * weight).toFixed(0)}%)`);
    const values = { latent: chosen[1], layer: chosen[0], place: names[cells.indexOf(most)], share: (100 * most).toFixed(0), first, second };
    return second
      ? _("Latent {latent} in layer {layer} reads most in the cell at the {place}, {share}% of its reading; then it takes most from latents {first} and " +
        "{second}, as the bars say.", values)
      : _("Latent {latent} in layer {layer} reads most in the cell at the {place}, {share}% of its reading.", values);
  }
  if (pixel !== null) {
    const heard = v.layout.boxes.filter((/** @type {Box} */ { latent }) => !v.place.muted.includes(latent));
    if (!heard.length) return "";
    const weights = heard.map((/** @type {Box} */ { layer, latent }) => weightsOf(v, "reading", [layer, latent])[pixel]);
    const best = heard[weights.indexOf(Math.max(...weights))];
    return _("This pixel, in the cell at the {place}, is read most by latent {latent} in layer {layer}: {weight}; the bars say how much by each.",
      { place: names[cellOf(pixel)], latent: best.latent, layer: best.layer, weight: Math.max(...weights).toFixed(3) });
  }
  return "";
}
