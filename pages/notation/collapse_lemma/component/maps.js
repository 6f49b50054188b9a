// @ts-check
// Which maps stand where, what they show, and the sentences about them. Free of the DOM.

import { digits, visible } from "#canvas/text.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").Data} Data */
/** @typedef {import("./types").Layout} Layout */
/** @typedef {import("./types").Panel} Panel */
/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Switch} Switch */

const WORDS_WIDE = 132; // pixels of the words beside a row
const NARROW = 620; // pixels, below which they stand above it
const LARGEST_MAP = 128;
const BETWEEN = 8;
const HEAD_HIGH = 15;
const SHARES = 65535;
const DIFFERENCE = 0.5; // of probabilities, at the end of the scale

/** @type {{ [part: string]: Switch[] }} */
export const SWITCHES = { M: ["rope", "norm", "alibi", "same"], U: ["softmax"] };
/** @type {Record<Switch, string>} */
export const SWITCH_NAMES = { rope: "RoPE between", norm: "Norm between", alibi: "ALiBi added", same: "Same factors", softmax: "Softmax between" };

/**
 * The place of what is switched on among all combinations, as EVERY in tlmviz.analysis.notation.collapse counts them.
 * @param {Set<Switch>} on
 */
export function combination(on) {
  return SWITCHES.M.reduce((sum, name) => 2 * sum + Number(on.has(name)), 0);
}

/**
 * One map of an array of maps.
 * @param {ArrayLike<number>} values
 * @param {number} at
 * @param {number} n
 * @param {number} [scale]
 */
function cut(values, at, n, scale = 1) {
  return Float32Array.from({ length: n * n }, (_, i) => values[at * n * n + i] / scale);
}

/**
 * NaN above the diagonal, where nobody looks.
 * @param {Float32Array} values
 * @param {number} n
 */
function unseen(values, n) {
  return values.map((value, i) => (i % n > Math.floor(i / n) ? NaN : value));
}

/**
 * Everything that is drawn, for a width.
 * @param {Data} data
 * @param {State} state
 * @param {number} width
 * @returns {Layout}
 */
export function arranged(data, state, width) {
  const { header, arrays } = data;
  const { heads } = header;
  const n = header.tokens.length;
  const beside = width >= NARROW;
  const left = beside ? WORDS_WIDE : 0;
  const side = Math.min(LARGEST_MAP, (width - left - BETWEEN * (heads - 1) - 2) / heads);
  /** @type {Layout} */
  const layout = { width, height: 0, rows: [], panels: [] };
  let y = 2;
  const row = (/** @type {string} */ text, /** @type {string} */ more, /** @type {Omit<Panel, "x" | "y" | "side">[]} */ maps, size = side) => {
    layout.rows.push({ text, more, x: 0, y: y + 8 });
    const top = y + (beside ? 0 : 34) + HEAD_HIGH;
    maps.forEach((map, i) => layout.panels.push({ ...map, x: left + 1 + i * (size + BETWEEN), y: top, side: size }));
    y = top + size + 12;
  };
  const each = (/** @type {string} */ what, /** @type {(h: number) => Float32Array} */ values, signed = false, most = 1) =>
    Array.from({ length: heads }, (_, h) => ({ head: `head ${h}`, name: `${what}, head ${h}`, values: values(h), signed, most }));
  if (state.part === "M") {
    const first = combination(state.on) * heads;
    const shown = Array.from({ length: heads }, (_, h) => cut(arrays.maps, first + h, n, SHARES));
    row("as trained", `logits to ${digits(header.trained, 3)} apart`, each("as trained", (h) => cut(arrays.trained, h, n, SHARES)));
    row(TEXTS.headMAll, says(state), each("with head 0's M", (h) => shown[h]));
    row("less head 0's", "blank: the same", each("less head 0's map", (h) => unseen(shown[h].map((value, i) => value - shown[0][i]), n), true, DIFFERENCE));
  } else {
    const softmax = state.on.has("softmax");
    const maps = Array.from({ length: heads + 2 }, (_, h) => (softmax ? cut(arrays.weights, h, n, SHARES) : unseen(cut(arrays.scores, h, n), n)));
    const most = softmax ? 1 : Math.max(...maps.map((map) => map.reduce((a, b) => (Number.isNaN(b) ? a : Math.max(a, Math.abs(b))), 0)));
    row("the heads", softmax ? "their softmaxes" : "their scores", each("its own M", (h) => maps[h], !softmax, most));
    const [mean, single] = [maps[heads], maps[heads + 1]];
    const apart = unseen(mean.map((value, i) => value - single[i]), n);
    const kind = { signed: !softmax, most };
    row("the heads' mean,", TEXTS.meanM, [
      { head: TEXTS.meanHeads, name: TEXTS.meanHeads, values: mean, ...kind },
      { head: TEXTS.headMeanM, name: TEXTS.headMeanM2, values: single, ...kind },
      { head: "difference", name: "difference", values: apart, signed: true, most: softmax ? DIFFERENCE : most },
    ], Math.min(beside ? 190 : 130, (width - left - 2 * BETWEEN - 2) / 3));
  }
  layout.height = y;
  return layout;
}

/** @param {State} state */
function says({ on }) {
  const names = SWITCHES.M.filter((name) => on.has(name) && name !== "same").map((name) => ({ rope: "RoPE", norm: "norm", alibi: "ALiBi", same: "", softmax: "" })[name]);
  return names.length ? `with ${names.join(", ")}` : "nothing between";
}

/** @param {number} share */
function percentOf(share) {
  return share < 1e-6 ? `${digits(100 * share, 1)} %` : `${(100 * share).toFixed(1)} %`;
}

/**
 * What is measured, in a sentence.
 * @param {Data} data
 * @param {State} state
 */
export function measuredSentence({ header }, { part, on }) {
  const { heads } = header;
  if (part === "U") {
    const softmax = on.has("softmax");
    const missed = header.missed[Number(softmax)];
    return softmax
      ? TEXTS.softmaxBetweenScores(heads, percentOf(missed))
      : TEXTS.weightsScoresThemselves(heads, percentOf(missed));
  }
  const [logits, maps, output] = header.apart[combination(on)];
  const between = SWITCHES.M.filter((name) => on.has(name) && name !== "same").map((name) => SWITCH_NAMES[name]);
  const factors = on.has("same") ? TEXTS.sameWQ : TEXTS.wQW;
  const intro = between.length ? TEXTS.headsM(between.join(", "), heads, factors) : TEXTS.mWQ(heads, factors);
  const found = TEXTS.logitsUpApart(digits(logits, 3), digits(maps, 3), percentOf(output));
  return TEXTS.roundingTheyHead(intro, found, output);
}

/**
 * The map and the cell under a point, in words; empty where there is none.
 * @param {Data} data
 * @param {Layout} layout
 * @param {number} x
 * @param {number} y
 */
export function pointed({ header }, layout, x, y) {
  const panel = layout.panels.find((each) => x >= each.x && x < each.x + each.side && y >= each.y && y < each.y + each.side);
  if (!panel) return "";
  const n = header.tokens.length;
  const [col, row] = [Math.floor(((x - panel.x) / panel.side) * n), Math.floor(((y - panel.y) / panel.side) * n)];
  const token = (/** @type {number} */ at) => `${at} “${visible(header.tokens[at])}”`;
  const value = col > row ? TEXTS.hiddenMask : digits(panel.values[row * n + col], 3);
  return `${panel.name}, query ${token(row)} to key ${token(col)}: ${value}`;
}
