// @ts-check
// Which maps stand where, what they show, and how they are drawn.

import { _ } from "#canvas/language.js";
import { numbersImage } from "#canvas/numbers_image.js";
import { digits, visible } from "#canvas/text.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {"M" | "U"} Part what all heads share: W_Q W_K', or W_V W_O */
/** @typedef {{ part: Part, on: string[] }} Place */
/** @typedef {{ title: string, said: Record<Part, string[]>, tokens: string[], heads: number, head: number,
 * trained: number }} Header `trained`: how far the trained heads' logits are apart */
/** @typedef {{ trained: Uint16Array, maps: Uint16Array, scores: Float32Array, weights: Uint16Array }} Arrays [H, n, n], [16, H, n, n], and twice [H + 2, n,
 * n]; probabilities as shares of 65,535 */
/** @typedef {import("#canvas/live.js").View<Header, Arrays, Place>} View */
/** @typedef {{ name: string, values: Float32Array, signed: boolean, most: number }} Map a map, and how it is coloured */
/** @typedef {Map & { x: number, y: number, side: number }} Panel */
/** @typedef {{ height: number, rows: { text: string, more: string, x: number, y: number }[], panels: Panel[] }} Layout */

const WORDS_WIDE = 132; // pixels of the words beside a row
const NARROW = 620; // pixels, below which they stand above it
const LARGEST_MAP = 112;
const BETWEEN = 8;
const HEAD_HIGH = 15;
const ONE = 65535; // a probability of 1
const DIFFERENCE = 0.5; // of probabilities, at the end of the scale

/** @param {Part} part @returns {[string, string][]} names of what can be switched, and their words */
export function switches(part) {
  if (part === "U") return [["softmax", _("Softmax between")]];
  return [["rope", _("RoPE between")], ["norm", _("Norm between")], ["alibi", _("ALiBi added")], ["same", _("Same factors")]];
}

/**
 * The place of what is switched on among all combinations of its part, as they are counted in Python.
 * @param {Place} place
 */
export function combination({ part, on }) {
  return switches(part).reduce((sum, [name]) => 2 * sum + Number(on.includes(name)), 0);
}

/**
 * A map less another one; NaN above the diagonal, where nobody looks.
 * @param {Float32Array} values
 * @param {number} n
 * @param {ArrayLike<number>} [other]
 */
function seen(values, n, other) {
  return values.map((value, i) => (i % n > Math.floor(i / n) ? NaN : value - (other?.[i] ?? 0)));
}

/**
 * Rows of maps: what they show, two lines of words, and the largest side of a map.
 * @param {Pick<View, "header" | "arrays" | "place">} view
 * @returns {[string, string, Map[], number][]}
 */
function rowsOf({ header, arrays, place }) {
  const { heads, head } = header;
  const n = header.tokens.length;
  const cut = (/** @type {ArrayLike<number>} */ values, /** @type {number} */ at, scale = ONE) =>
    Float32Array.from({ length: n * n }, (__, i) => values[at * n * n + i] / scale);
  const each = (/** @type {(h: number) => Float32Array} */ values, signed = false, most = 1) =>
    Array.from({ length: heads }, (__, h) => ({ name: _("head {h}", { h }), values: values(h), signed, most }));
  if (place.part === "M") {
    const shown = Array.from({ length: heads }, (__, h) => cut(arrays.maps, combination(place) * heads + h));
    const between = switches("M").filter(([name]) => name !== "same" && place.on.includes(name)).map(([, text]) => text.split(" ")[0]);
    return [
      [_("as trained"), _("logits to {trained} apart", { trained: digits(header.trained, 3) }), each((h) => cut(arrays.trained, h)), LARGEST_MAP],
      [_("head {head}'s M in all", { head }), between.length ? _("with {between}", { between: between.join(", ") }) : _("nothing between"),
        each((h) => shown[h]), LARGEST_MAP],
      [_("less head {head}'s", { head }), _("blank: the same"), each((h) => seen(shown[h], n, shown[head]), true, DIFFERENCE), LARGEST_MAP],
    ];
  }
  const softmax = place.on.includes("softmax");
  const maps = Array.from({ length: heads + 2 }, (__, h) => (softmax ? cut(arrays.weights, h) : seen(cut(arrays.scores, h, 1), n)));
  const most = softmax ? 1 : Math.max(...maps.flatMap((map) => Array.from(map, (value) => Math.abs(value) || 0)));
  const [mean, single] = [maps[heads], maps[heads + 1]];
  const signed = !softmax;
  return [
    [_("the heads"), softmax ? _("their softmaxes") : _("their scores"), each((h) => maps[h], signed, most), LARGEST_MAP],
    [_("the heads' mean,"), _("and the mean M's"), [
      { name: _("mean of the heads"), values: mean, signed, most },
      { name: _("one head, mean M"), values: single, signed, most },
      { name: _("difference"), values: seen(mean, n, single), signed: true, most: softmax ? DIFFERENCE : most },
    ], 190],
  ];
}

/**
 * Everything that is drawn, for a width.
 * @param {Pick<View, "header" | "arrays" | "place">} view
 * @param {number} width
 * @returns {Layout}
 */
export function arranged(view, width) {
  const beside = width >= NARROW;
  const left = beside ? WORDS_WIDE : 0;
  const layout = /** @type {Layout} */ ({ height: 2, rows: [], panels: [] });
  for (const [text, more, maps, largest] of rowsOf(view)) {
    const side = Math.min(largest, (width - left - BETWEEN * (maps.length - 1) - 2) / maps.length);
    layout.rows.push({ text, more, x: 0, y: layout.height + 8 });
    const y = layout.height + (beside ? 0 : 34) + HEAD_HIGH;
    maps.forEach((map, i) => layout.panels.push({ ...map, x: left + 1 + i * (side + BETWEEN), y, side }));
    layout.height = y + side + 12;
  }
  return layout;
}

/**
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {Layout} layout
 * @param {number} n
 */
export function drawLemma(pen, theme, { rows, panels }, n) {
  for (const { text, more, x, y } of rows) {
    pen.text(x, y, text, { color: theme.text, size: 13, weight: 600 });
    pen.text(x, y + 17, more, { color: theme.muted, size: 12 });
  }
  for (const { x, y, side, name, values, signed, most } of panels) {
    pen.text(x, y - 8, name, { color: theme.muted, size: 11 });
    pen.image(numbersImage(theme, values, n, n, signed, most), x, y, side, side);
    pen.rect(x - 0.5, y - 0.5, side + 1, side + 1, null, theme.faint);
  }
}

/**
 * The map and the cell under a point, in words; null where there is none.
 * @param {Pick<View, "header">} view
 * @param {Layout} layout
 * @param {number} x
 * @param {number} y
 */
export function pointed({ header: { tokens } }, layout, x, y) {
  const panel = layout.panels.find((each) => x >= each.x && x < each.x + each.side && y >= each.y && y < each.y + each.side);
  if (!panel) return null;
  const [row, col] = [y - panel.y, x - panel.x].map((at) => Math.floor((at / panel.side) * tokens.length));
  const token = (/** @type {number} */ at) => `${at} “${visible(tokens[at])}”`;
  const value = col > row ? _("hidden by the mask") : digits(panel.values[row * tokens.length + col], 3);
  return _("{map}, query {row} to key {col}: {value}", { map: panel.name, row: token(row), col: token(col), value });
}
