// @ts-check
// Two memories and what is in them: the kernel's with its tiles, and those of standard attention with its matrices in HBM.

import { _ } from "#canvas/language.js";
import { numbersImage } from "#canvas/numbers_image.js";
import { fade, textWidth } from "#canvas/theme.js";
import { movedAt, standardAfter, standardMoves } from "./standard.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./standard.js").Step} Step */
/** @typedef {{ x: number, y: number, width: number, height: number }} Box */
/** @typedef {Record<"q" | "k" | "v" | "out" | "weights" | "p" | "m" | "l" | "acc", Float32Array> & { grid: Uint8Array }} Arrays */
/**
 * `step` of the walk; beyond the kernel's last one only standard attention goes on. `share` of it has been drawn while it plays, 1 at
 * rest. `lit` tokens are pointed at; `box` is the kernel's machine in the canvas; `images` are the matrices, made once for a theme.
 * @typedef {import("#canvas/live.js").View<import("./standard.js").Header, Arrays, { step: number | null }> & { step: number, share: number,
 *   lit: number[], box: Box, joined: import("#canvas/hovered.js").Joined, images?: { id: string, made: Map<string, HTMLCanvasElement> } }} View
 */

export const MACHINE = 396; // pixels of height
const SLOW = { y: 42, height: 174 }; // HBM in a machine's box
const FAST = { y: 230, height: 134 };
const STRIP = 132; // pixels of T rows
const DONE = 1, SKIPPED = 2;

/**
 * The part of a machine that is a memory.
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {Box} box
 * @param {{ y: number, height: number }} part
 * @param {string} name
 */
function memory(pen, theme, box, { y, height }, name) {
  pen.rect(box.x + 0.5, box.y + y + 0.5, box.width - 1, height, fade(theme.text, 0.045), theme.faint);
  pen.text(box.x + 8, box.y + y + 10, name, { color: theme.muted, size: 10.5, weight: 600 });
}

/**
 * A matrix with its name above; `rows` of T are filled, the others dashed.
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {Box} box
 * @param {string} name
 * @param {HTMLCanvasElement | null} image
 */
function stored(pen, theme, { x, y, width, height }, name, image, share = 1) {
  pen.text(x + width / 2, y - 8, name, { align: "center", color: theme.text, size: 11 });
  pen.rect(x, y, width, height, null, theme.faint);
  if (share <= 0) return;
  if (image) pen.image(image, x, y, width, height);
  else pen.rect(x, y, width, height * share, fade(theme.primary, 0.38));
  if (image && share < 1) pen.rect(x, y + height * share, width, height * (1 - share), theme.background, theme.faint);
}

/**
 * Bytes moved so far, on a scale that both machines share.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {Box} box
 * @param {string} title
 * @param {number} moved
 * @param {number} whole of this algorithm
 */
function counter(pen, v, theme, box, title, moved, whole) {
  const { header } = v;
  const most = Math.max(standardMoves(header), header.steps.at(-1).moved);
  const kilo = (/** @type {number} */ n) => `${((n * header.bytes) / 1000).toFixed(1)} kB`;
  pen.text(box.x, box.y + 9, title, { color: theme.text, size: 13, weight: 600 });
  const said = _("{moved} of {whole} moved", { moved: kilo(Math.min(moved, whole)), whole: kilo(whole) });
  pen.text(box.x + box.width, box.y + 9, said, { align: "right", color: theme.text, size: 11.5 });
  pen.rect(box.x, box.y + 22, (box.width * whole) / most, 9, null, theme.faint);
  pen.rect(box.x, box.y + 22, (box.width * Math.min(moved, whole)) / most, 9, theme.primary);
}

/**
 * Where the tensors of the kernel's machine lie in a box.
 * @param {View} v
 * @param {Box} box
 */
export function places(v, box) {
  const { length, rows, cols } = v.header;
  const strip = Math.min(34, (box.width - STRIP - 60) / 4);
  const slow = { y: box.y + SLOW.y + 36, height: STRIP };
  const [q, k, value, out] = [0, 1, 2, 3].map((n) => ({ x: box.x + 10 + n * (strip + 8), width: strip, ...slow }));
  const scale = Math.min(STRIP / length, 62 / Math.max(rows, cols)); // pixels of a row on chip
  const y = box.y + FAST.y + 44;
  const tall = Math.max(10, Math.min(rows, length) * scale);
  const wide = Math.max(10, Math.min(cols, length) * scale);
  let x = box.x + 10;
  const slot = (/** @type {number} */ width, /** @type {number} */ height) => {
    const found = { x, y, width, height };
    x += width + 14;
    return found;
  };
  const fast = { q: slot(strip, tall), k: slot(strip, wide), p: slot(wide, tall), v: slot(strip, wide), m: slot(8, tall), l: slot(8, tall),
    acc: slot(strip, tall) };
  return { q, k, v: value, out, fast, map: { x: box.x + box.width - STRIP - 10, width: STRIP, ...slow } };
}

/**
 * The kernel: which tiles lie where, and those that are on their way.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {Box} box
 */
export function drawKernel(pen, v, theme, box) {
  const { header, arrays } = v;
  const { length: T, width: D, steps } = header;
  const number = Math.min(v.step, steps.length - 1);
  const over = v.step >= steps.length;
  const share = over ? 1 : v.share;
  const step = steps[number];
  counter(pen, v, theme, box, "FlashAttention", movedAt(header, number, share), steps.at(-1).moved);
  memory(pen, theme, box, SLOW, "HBM");
  memory(pen, theme, box, FAST, _("SRAM, program {n} of {programs}", { n: step.program + 1, programs: steps.at(-1).program + 1 }));
  const at = places(v, box);
  for (const [name, place, values] of /** @type {const} */ ([["Q", at.q, arrays.q], ["K", at.k, arrays.k], ["V", at.v, arrays.v]])) {
    stored(pen, theme, place, name, matrixImage(v, theme, name, values, T, D, true));
  }
  stored(pen, theme, at.out, "O", matrixImage(v, theme, "O", arrays.out, T, D, true));
  for (let row = 0; row < T; row += header.rows) { // blocks of O that are not stored yet
    const last = Math.min(row + header.rows, T);
    if (!finished(v, row, number, share)) pen.rect(at.out.x, at.out.y + (row * STRIP) / T, at.out.width, ((last - row) * STRIP) / T, theme.background,
      theme.faint);
  }
  walkedMap(pen, v, theme, at.map, number);
  onChip(pen, v, theme, at.fast, step, number);
  if (!over) for (const { image, from, to } of flights(v, theme, at, step)) {
    const t = ease(Math.min(1, share / 0.7));
    const mix = (/** @type {keyof Box} */ key) => from[key] + (to[key] - from[key]) * t;
    pen.rect(from.x - 1, from.y - 1, from.width + 2, from.height + 2, null, theme.primary, { width: 2 });
    if (share >= 1) continue;
    pen.image(image, mix("x"), mix("y"), mix("width"), mix("height"));
    pen.rect(mix("x"), mix("y"), mix("width"), mix("height"), null, theme.primary, { width: 1.5 });
  }
}

/** @param {number} t */
function ease(t) {
  return t * t * (3 - 2 * t);
}

/**
 * Whether the block of O that begins at a row has been stored.
 * @param {View} v
 * @param {number} row
 * @param {number} number
 * @param {number} share
 */
function finished(v, row, number, share) {
  const end = v.header.steps.findIndex((step) => step.stages[0] === "finish" && step.rows[0] === row);
  return end < number || (end === number && share >= 1);
}

/**
 * The map in tiles: which of them were on chip so far. It is drawn for the reader; the kernel never has it.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {Box} place
 * @param {number} number
 */
function walkedMap(pen, v, theme, place, number) {
  const { header, arrays } = v;
  const { length: T, rows, cols } = header;
  const [down, across] = [Math.ceil(T / rows), Math.ceil(T / cols)];
  const step = header.steps[number];
  pen.text(place.x + place.width / 2, place.y - 8, _("tiles on chip so far"), { align: "center", color: theme.muted, size: 10.5 });
  pen.image(matrixImage(v, theme, "weights", arrays.weights, T, T, false), place.x, place.y, place.width, place.height);
  const unit = STRIP / T;
  for (let i = 0; i < down; i++) {
    for (let j = 0; j < across; j++) {
      const state = arrays.grid[(number * down + i) * across + j];
      const cell = { x: place.x + j * cols * unit, y: place.y + i * rows * unit, width: Math.min(cols, T - j * cols) * unit,
        height: Math.min(rows, T - i * rows) * unit };
      if (state !== DONE) pen.rect(cell.x, cell.y, cell.width, cell.height, state === SKIPPED ? theme.missing : theme.background);
      pen.rect(cell.x, cell.y, cell.width, cell.height, null, theme.faint);
    }
  }
  const [first, last] = step.rows;
  const [begin, end] = step.cols;
  pen.rect(place.x + begin * unit, place.y + first * unit, (end - begin) * unit, (last - first) * unit, null, theme.primary, { width: 2 });
}

/**
 * What is in SRAM at a step.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {ReturnType<typeof places>["fast"]} fast
 * @param {Step} step
 * @param {number} number
 */
function onChip(pen, v, theme, fast, step, number) {
  const { header, arrays } = v;
  const { width: D, rows: R, cols: C } = header;
  const arriving = v.share < 1 && v.step < header.steps.length;
  const has = (/** @type {string} */ stage) => step.stages.includes(stage);
  const cut = (/** @type {Float32Array} */ all, /** @type {number[]} */ [first, last]) => all.subarray(first * D, last * D);
  /** @type {[keyof typeof fast, string, boolean][]} */
  const slots = [
    ["q", "q", !(has("start") && arriving)], ["k", "k", step.visit >= 0 && !(has("load") && arriving)],
    ["p", "p", step.visit >= 0 && (has("add") || has("scores")) && !arriving], ["v", "v", has("add") && !arriving],
    ["m", "m", true], ["l", "l", true], ["acc", has("finish") ? "acc / l" : "acc", true],
  ];
  for (const [name, label, there] of slots) {
    const place = fast[name];
    pen.text(place.x + place.width / 2, place.y - 9, label, { align: "center", color: theme.text, size: 11 });
    pen.rect(place.x, place.y, place.width, place.height, null, theme.faint);
    if (!there) continue;
    const images = {
      q: () => matrixImage(v, theme, `q${step.rows}`, cut(arrays.q, step.rows), step.rows[1] - step.rows[0], D, true),
      k: () => matrixImage(v, theme, `k${step.cols}`, cut(arrays.k, step.cols), step.cols[1] - step.cols[0], D, true),
      v: () => matrixImage(v, theme, `v${step.cols}`, cut(arrays.v, step.cols), step.cols[1] - step.cols[0], D, true),
      p: () => matrixImage(v, theme, `p${step.visit}`, arrays.p.subarray(step.visit * R * C, (step.visit + 1) * R * C), R, C, false),
      m: () => matrixImage(v, theme, `m${number}`, arrays.m.subarray(number * R, (number + 1) * R), R, 1, true),
      l: () => matrixImage(v, theme, `l${number}`, arrays.l.subarray(number * R, (number + 1) * R), R, 1, false),
      acc: () => matrixImage(v, theme, `acc${number}`, arrays.acc.subarray(number * R * D, (number + 1) * R * D), R, D, true),
    };
    pen.image(images[name](), place.x, place.y, place.width, place.height);
  }
}

/**
 * The tiles that move during a step: a picture, from where to where.
 * @param {View} v
 * @param {Theme} theme
 * @param {ReturnType<typeof places>} at
 * @param {Step} step
 */
function flights(v, theme, at, step) {
  const { length: T, width: D } = v.header;
  const part = (/** @type {Box} */ { x, y, width, height }, /** @type {number[]} */ [first, last]) =>
    ({ x, y: y + (first * height) / T, width, height: ((last - first) * height) / T });
  const image = (/** @type {"q" | "k" | "v" | "out"} */ name, /** @type {number[]} */ [first, last]) =>
    matrixImage(v, theme, `${name}${[first, last]}`, v.arrays[name].subarray(first * D, last * D), last - first, D, true);
  const found = [];
  if (step.stages.includes("start")) found.push({ image: image("q", step.rows), from: part(at.q, step.rows), to: at.fast.q });
  if (step.stages.includes("load")) found.push({ image: image("k", step.cols), from: part(at.k, step.cols), to: at.fast.k });
  if (step.stages.includes("add")) found.push({ image: image("v", step.cols), from: part(at.v, step.cols), to: at.fast.v });
  if (step.stages.includes("finish")) found.push({ image: image("out", step.rows), from: at.fast.acc, to: part(at.out, step.rows) });
  return found;
}

/**
 * Standard attention after as many moved numbers: its matrices pile up in HBM.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {Box} box
 */
export function drawStandard(pen, v, theme, box) {
  const { header, arrays } = v;
  const { length: T, width: D } = header;
  const moved = movedAt(header, v.step, v.share);
  const done = standardAfter(header, moved);
  counter(pen, v, theme, box, _("Standard attention"), moved, standardMoves(header));
  memory(pen, theme, box, SLOW, "HBM");
  memory(pen, theme, box, FAST, "SRAM");
  const matrix = Math.min(STRIP, (box.width - 20) * 0.31);
  const strip = Math.min(30, (box.width - 20 - 2 * matrix - 5 * 7) / 4);
  const y = box.y + SLOW.y + 36;
  let x = box.x + 10;
  const next = (/** @type {number} */ width, /** @type {number} */ height) => {
    const place = { x, y, width, height };
    x += width + 7;
    return place;
  };
  for (const [name, values] of /** @type {const} */ ([["Q", arrays.q], ["K", arrays.k], ["V", arrays.v]])) {
    stored(pen, theme, next(strip, STRIP), name, matrixImage(v, theme, name, values, T, D, true));
  }
  stored(pen, theme, next(matrix, matrix), `S, ${T} × ${T}`, null, done.S / T);
  stored(pen, theme, next(matrix, matrix), `P, ${T} × ${T}`, done.P ? matrixImage(v, theme, "weights", arrays.weights, T, T, false) : null, done.P / T);
  stored(pen, theme, next(strip, STRIP), "O", done.O ? matrixImage(v, theme, "O", arrays.out, T, D, true) : null, done.O / T);
  const kept = [done.S && `S ${amount(v, done.S)}`, done.P && `P ${amount(v, done.P)}`].filter(Boolean).join(", ");
  const lines = [_("Now: {phase}.", { phase: done.phase }), kept ? _("Kept in HBM besides Q, K, V, O: {kept}.", { kept }) : _("No matrix in HBM yet."),
    _("Three kernels, one after the other:"), _("each passes T × T numbers through HBM.")];
  lines.forEach((line, k) => {
    const size = textWidth(theme, line, 12) > box.width - 20 ? 10 : 12;
    pen.text(box.x + 10, box.y + FAST.y + 38 + 20 * k, line, { color: k < 2 ? theme.text : theme.muted, size });
  });
}

/**
 * Kilobytes of so many rows of a T x T matrix.
 * @param {View} v
 * @param {number} rows
 */
function amount({ header }, rows) {
  return `${((rows * header.length * header.bytes) / 1000).toFixed(1)} kB`;
}

/**
 * A matrix as a small picture, a pixel a number, made once: the diverging scale around 0, the sequential one from 0 for probabilities.
 * @param {View} v
 * @param {Theme} theme
 * @param {string} name under which it is kept
 * @param {ArrayLike<number>} values
 * @param {number} rows
 * @param {number} cols
 * @param {boolean} signed
 */
function matrixImage(v, theme, name, values, rows, cols, signed) {
  const { id } = theme;
  if (v.images?.id !== id) v.images = { id, made: new Map() };
  const image = v.images.made.get(name) ?? numbersImage(theme, values, rows, cols, signed);
  v.images.made.set(name, image);
  return image;
}
