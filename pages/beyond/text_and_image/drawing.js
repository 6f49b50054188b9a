// @ts-check
// Weights of both models between words and patches, the pictures they are laid over, and their sentences.

import { _ } from "#canvas/language.js";
import { drawPixels } from "#canvas/pad.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {number[]} Shown word, patch, head, word and head of the turned model, from 1; 0 is none, of heads their mean */
/** @typedef {{ question?: string, grid: string[], shown: Shown, cell: number }} Place cells as a link spells them */
/**
 * `picks`: questions to choose from; `opens`: what is shown; `problem`: why there is no answer, and then nothing follows; `asked` and
 * `words` of question and answer, `read` those that patches attend to; `sizes`: layers and heads of both models.
 * @typedef {{ names: string[], picks: string[], opens: Shown, problem: string, asked: string[], words: string[], probabilities: number[], read: string[],
 *   sizes: { asks: number[], turned: number[] }, verdict: string, marking: string, wrong: boolean, markedWrong: boolean }} Header
 */
/** @typedef {{ pixels: Uint8Array, asks: Float32Array, marks: Float32Array, turned: Float32Array }} Arrays [24, 24]; words, layers, heads,
 * patches; [36]; patches, layers, heads, words */
/** @typedef {import("#canvas/live.js").View<Header, Arrays, Place> & { pad: import("#canvas/pad.js").Pad }} View */
/** @typedef {"asks" | "turned"} Side a model by what it does: its words ask the patches, or its patches ask the words */

export const PATCHES = 6; // along a side
const CELLS = 3;
const APART = 0.06; // of a cell's side, left free around its digit: digits fill their cells, and would touch
const HEAD_GAP = 6;
const HEAD_TITLE = 15;
const HEAD_LEAST = 40; // pixels: a head's name fits above its picture

/** @param {View} v */
export function shownOf(v) {
  return v.place.shown.length ? v.place.shown : v.header.opens;
}

/**
 * How many heads all layers of a model have.
 * @param {View} v
 * @param {Side} side
 */
export function headsOf({ header }, side) {
  return header.sizes[side][0] * header.sizes[side][1];
}

/**
 * What one word and each patch have to do with one another in one head (from 1), or the mean of all (0); null where no word is chosen.
 * @param {View} v
 * @param {Side} side
 * @param {number} [head]
 */
export function patchWeights(v, side, head = shownOf(v)[side === "asks" ? 2 : 4]) {
  const word = shownOf(v)[side === "asks" ? 0 : 3];
  return word && word <= wordsOf(v, side).length ? Array.from({ length: PATCHES ** 2 }, (__, patch) => weight(v, side, word - 1, patch, head)) : null;
}

/**
 * What each word and the chosen patch have to do with one another; null where no patch is chosen.
 * @param {View} v
 * @param {Side} side
 */
export function wordWeights(v, side) {
  const [, patch] = shownOf(v);
  return patch ? wordsOf(v, side).map((__, word) => weight(v, side, word, patch - 1, shownOf(v)[side === "asks" ? 2 : 4])) : null;
}

/**
 * @param {View} v
 * @param {Side} side
 */
export function wordsOf({ header }, side) {
  return side === "asks" ? [...header.asked, ...header.words] : header.read;
}

/**
 * @param {View} v
 * @param {Side} side
 * @param {number} word from 0
 * @param {number} patch from 0
 * @param {number} head
 */
function weight(v, side, word, patch, head) {
  const [row, column, columns] = side === "asks" ? [word, patch, PATCHES ** 2] : [patch, word, v.header.read.length];
  const count = headsOf(v, side);
  const of = (/** @type {number} */ each) => v.arrays[side][(row * count + each) * columns + column];
  if (head) return of(head - 1);
  let sum = 0;
  for (let each = 0; each < count; each++) sum += of(each);
  return sum / count;
}

/** @param {number} patch from 0 @returns {number} its cell, 0 to 8 */
function cellOf(patch) {
  const half = PATCHES / CELLS;
  return Math.floor(Math.floor(patch / PATCHES) / half) * CELLS + Math.floor((patch % PATCHES) / half);
}

/**
 * Weights of patches summed by cell.
 * @param {ArrayLike<number>} weights
 */
export function byCell(weights) {
  const sums = new Array(CELLS * CELLS).fill(0);
  for (let patch = 0; patch < weights.length; patch++) sums[cellOf(patch)] += weights[patch];
  return sums;
}

/**
 * The nine cells' digits, each by itself.
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {Uint8Array} pixels [24, 24]
 * @param {number} size
 */
export function drawCells(pen, theme, pixels, size) {
  const [step, side] = [size / CELLS, Math.sqrt(pixels.length) / CELLS];
  const free = Math.max(1, APART * step);
  pen.rect(0, 0, size, size, theme.background);
  for (let cell = 0; cell < CELLS ** 2; cell++) {
    const [row, column] = [Math.floor(cell / CELLS), cell % CELLS];
    const own = Array.from({ length: side * side }, (__, i) => pixels[(row * side + Math.floor(i / side)) * side * CELLS + column * side + (i % side)]);
    pen.shifted(column * step + free, row * step + free, () => drawPixels(pen, theme, own, side, step - 2 * free));
  }
}

/**
 * The picture, a model's weights over it, what the second one marks outlined, and the chosen patch.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {number} size
 * @param {Side} side
 * @param {number} [head] of a small picture
 */
export function drawScene(pen, v, theme, size, side, head) {
  const small = head !== undefined;
  const [step, weights, [, patch]] = [size / PATCHES, patchWeights(v, side, head), shownOf(v)];
  const full = side === "turned" ? 1 : Math.max(...(weights ?? [0]));
  drawCells(pen, theme, v.arrays.pixels, size);
  for (let i = 0; i < PATCHES ** 2; i++) {
    const [x, y] = [(i % PATCHES) * step, Math.floor(i / PATCHES) * step];
    if (weights && full > 0) pen.rect(x, y, step, step, theme.heads[1], null, { alpha: 0.72 * Math.min(1, weights[i] / full) });
    if (!small) pen.rect(x, y, step, step, null, theme.faint);
  }
  if (side === "turned" && !small && !v.header.problem) drawMarks(pen, v.arrays.marks, step, theme.heads[0]);
  for (let i = 0; i <= CELLS; i++) {
    pen.line((i * size) / CELLS, 0, (i * size) / CELLS, size, small ? theme.faint : theme.muted);
    pen.line(0, (i * size) / CELLS, size, (i * size) / CELLS, small ? theme.faint : theme.muted);
  }
  if (patch && !small) pen.rect(((patch - 1) % PATCHES) * step + 1, Math.floor((patch - 1) / PATCHES) * step + 1, step - 2, step - 2, null, theme.primary,
    { width: 2.5 });
}

/**
 * The sides of marked patches beyond which nothing is marked.
 * @param {Pen} pen
 * @param {ArrayLike<number>} marks
 * @param {number} step
 * @param {string} color
 */
function drawMarks(pen, marks, step, color) {
  const marked = (/** @type {number} */ c, /** @type {number} */ r) => c >= 0 && c < PATCHES && r >= 0 && r < PATCHES && marks[r * PATCHES + c] > 0.5;
  for (let i = 0; i < marks.length; i++) {
    const [c, r] = [i % PATCHES, Math.floor(i / PATCHES)];
    if (!marked(c, r)) continue;
    const [x, y, far] = [c * step, r * step, step - 1.5];
    if (!marked(c - 1, r)) pen.line(x + 1.5, y, x + 1.5, y + step, color, { width: 3 });
    if (!marked(c + 1, r)) pen.line(x + far, y, x + far, y + step, color, { width: 3 });
    if (!marked(c, r - 1)) pen.line(x, y + 1.5, x + step, y + 1.5, color, { width: 3 });
    if (!marked(c, r + 1)) pen.line(x, y + far, x + step, y + far, color, { width: 3 });
  }
}

/**
 * Where the small picture of each head stands: the mean first.
 * @param {number} count heads of all layers
 * @param {number} width
 */
export function headPlaces(count, width) {
  const rows = Math.ceil((count + 1) / Math.max(1, Math.floor((width + HEAD_GAP) / (HEAD_LEAST + HEAD_GAP))));
  const across = Math.ceil((count + 1) / rows);
  const size = Math.min(66, Math.floor((width - (across - 1) * HEAD_GAP) / across));
  const places = Array.from({ length: count + 1 }, (__, i) => ({
    x: (i % across) * (size + HEAD_GAP),
    y: Math.floor(i / across) * (size + HEAD_TITLE + HEAD_GAP) + HEAD_TITLE,
  }));
  return { size, places, height: rows * (size + HEAD_TITLE + HEAD_GAP) };
}

/**
 * The small pictures of the mean and of each head.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {number} width
 * @param {Side} side
 */
export function drawHeads(pen, v, theme, width, side) {
  const { size, places } = headPlaces(headsOf(v, side), width);
  const chosen = shownOf(v)[side === "asks" ? 2 : 4];
  places.forEach(({ x, y }, head) => {
    const bold = head === chosen;
    pen.text(x + 1, y - 8, headName(v, side, head) || _("mean"), { color: bold ? theme.text : theme.muted, weight: bold ? 700 : 400, size: 10 });
    pen.shifted(x, y, () => drawScene(pen, v, theme, size, side, head));
    if (bold) pen.rect(x + 1, y + 1, size - 2, size - 2, null, theme.primary, { width: 2 });
  });
}

/** @param {View} v @param {Side} side @param {number} head from 1; 0 is the mean, which has no name */
function headName({ header }, side, head) {
  const perLayer = header.sizes[side][1];
  return head ? `L${Math.floor((head - 1) / perLayer)}H${(head - 1) % perLayer}` : "";
}

/** @param {number[]} values */
function largest(values) {
  const most = Math.max(...values);
  return { at: values.indexOf(most), share: `${(100 * most).toFixed(0)}%` };
}

/**
 * What is seen on a model's side, in a sentence.
 * @param {View} v
 * @param {Side} side
 */
export function sideSentence(v, side) {
  const { header } = v;
  const [word, patch, head, turnedWord, turnedHead] = shownOf(v);
  const name = headName(v, side, side === "asks" ? head : turnedHead);
  const who = name ? _("Head {name}", { name }) : _("The mean of all heads");
  const [words, read, weights] = [wordsOf(v, side).map((each) => (each === "⟨end⟩" ? _("end") : each)), wordWeights(v, side), patchWeights(v, side)];
  if (side === "asks") {
    if (read) return _("{who}: the chosen patch was looked at most for “{word}” ({share} of that word's weight).",
      { who, word: words[largest(read).at], share: largest(read).share });
    if (!weights) return _("Choose a word to see where it looked.");
    const { at, share } = largest(byCell(weights));
    const values = { who, word: words[word - 1], share, cell: header.names[at] };
    return word > header.asked.length
      ? _("{who}, to say “{word}”: {share} of the weight is on the cell at the {cell}.", values)
      : _("{who}, at the word “{word}”: {share} of the weight is on the cell at the {cell}.", values);
  }
  if (read) {
    const { at, share } = largest(read);
    return _("{who}: the chosen patch, in the cell at the {cell}, gives “{word}” {share} of its weight.",
      { who, cell: header.names[cellOf(patch - 1)], word: words[at], share });
  }
  if (!weights) return _("Choose a word to see which patches look at it.");
  const { at, share } = largest(byCell(weights).map((sum) => sum / 4));
  return _("{who}: “{word}” is looked at most from the cell at the {cell} ({share} of a patch's weight).",
    { who, word: words[turnedWord - 1], cell: header.names[at], share });
}
