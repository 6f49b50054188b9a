// @ts-check
// Every format's numbers along a line of doublings: one lane a format, darker where it has more numbers.

import { countInDoubling, exponentOf, kept } from "#canvas/bits.js";
import { _ } from "#canvas/language.js";
import { fade } from "#canvas/theme.js";
import { formula, hex, percent, raised, spelled } from "./reading.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("#canvas/bits.js").Format} Format */

const LANE = 25; // as high as a row of the table beside it
const NAMES = 44;
const CLOSE = { low: -28, high: 18 }; // holds every format of 16 bits and less but BF16
const ALL = { low: -150, high: 129 };

/**
 * The exponents that are shown: the close ones, or all where the number lies outside.
 * @param {number} x
 */
export function span(x) {
  if (!Number.isFinite(x) || x === 0) return CLOSE;
  const e = exponentOf(x);
  return e > CLOSE.low && e < CLOSE.high - 1 ? CLOSE : ALL;
}

/** @param {number} lanes */
export function laneHeight(lanes) {
  return LANE * (lanes + 1) + 20;
}

/**
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {{ formats: Format[], chosen: Format, x: number, width: number }} what
 */
export function drawLanes(pen, theme, { formats, chosen, x, width }) {
  const { low, high } = span(x);
  const scale = (width - NAMES - 6) / (high - low);
  const at = (/** @type {number} */ power) => NAMES + (power - low) * scale;
  pen.text(NAMES, 12, _("size |x|, doubling by doubling; darker: more numbers"), { color: theme.muted, size: 12 });
  formats.forEach((format, i) => {
    const y = LANE * (i + 1) + 4;
    pen.text(0, y + 9, format.name, { color: theme.text, size: 12, weight: format === chosen ? 700 : 400 });
    pen.line(NAMES, y + 17.5, width - 6, y + 17.5, theme.faint);
    for (let e = low; e < high; e++) drawDoubling(pen, theme, format, e, at(e), y, scale);
  });
  const bottom = LANE * (formats.length + 1);
  const every = high - low > 100 ? 50 : 6;
  for (let e = Math.ceil(low / every) * every; e < high; e += every) pen.text(at(e), bottom + 10, `2${raised(e)}`, { color: theme.muted, align: "center" });
  if (!Number.isFinite(x) || x === 0) return;
  const here = Math.max(NAMES, at(Math.log2(Math.abs(x))));
  pen.line(here, LANE, here, bottom, theme.primary, { width: 1.5, dash: "4 3" });
  formats.forEach((format, i) => {
    const { value } = kept(format, x);
    if (Number.isFinite(value) && value !== 0) pen.circle(at(Math.log2(Math.abs(value))), LANE * (i + 1) + 13, 3.5, theme.primary);
  });
}

/**
 * One doubling of a lane: each number as a tick where there is room, else one shade for all.
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {Format} format
 * @param {number} e
 * @param {number} left
 * @param {number} y
 * @param {number} scale pixels of a doubling
 */
function drawDoubling(pen, theme, format, e, left, y, scale) {
  const count = countInDoubling(format, e);
  if (!count) return;
  if (count > scale / 3) {
    pen.rect(left, y, scale + 0.3, 17, fade(theme.text, 0.12 + (0.7 * Math.log2(count)) / 23));
    return;
  }
  const step = 2 ** (Math.max(e, format.least) - format.mantissa);
  for (let i = 0; i < count; i++) {
    const value = Math.max(2 ** e, step) + i * step;
    const x = left + scale * (Math.log2(value) - e);
    pen.line(x, y, x, y + 17, fade(theme.text, 0.75));
  }
}

const [CELL, ABOVE, SHEET] = [19, 60, 540]; // of a saved figure: a bit's width, pixels above the rows, and of the table

/** @param {number} lanes */
export function sheetHeight(lanes) {
  return ABOVE + laneHeight(lanes);
}

/**
 * The figure that is saved: the bits and their value, the table of all formats, and the lanes beside it.
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {{ formats: Format[], chosen: Format, x: number, width: number, code: number | null, words: Record<string, string>,
 *   heads: string[] }} what `heads`: of the table
 */
export function drawSheet(pen, theme, { formats, chosen, x, width, code, words, heads }) {
  const tones = ["#7b5ea7", "#b4561a", "#1d62a3"]; // of view.css
  for (let i = 0; i < chosen.bits && code !== null; i++) {
    const tone = tones[i === 0 ? 0 : i <= chosen.exponent ? 1 : 2];
    const on = Math.floor(code / 2 ** (chosen.bits - 1 - i)) % 2 === 1;
    pen.rect(i * CELL, 0, CELL - 3, CELL, on ? tone : null, tone);
    pen.text(i * CELL + CELL / 2 - 1.5, CELL / 2, on ? "1" : "0", { color: on ? "#ffffff" : theme.text, align: "center", size: 12 });
  }
  pen.text(0, 36, code === null ? words.none : formula(chosen, code), { color: theme.text, size: 14 });
  const places = [0, 60, 190, 290, 365, 450];
  heads.forEach((name, k) => pen.text(places[k], ABOVE + 13, name, { color: theme.muted, size: 11 }));
  formats.forEach((format, i) => {
    const { value, code: own, fate } = kept(format, x);
    const error = value - x;
    const [known, row] = [Number.isFinite(error), ABOVE + LANE * (i + 1) + 13];
    const texts = [format.name, fate === "none" ? "–" : spelled(value), known ? spelled(error, 6) : "–", known && x !== 0 ? percent(Math.abs(error / x)) : "–",
      own === null ? "–" : hex(own, format), words[fate]];
    texts.forEach((text, k) => pen.text(places[k], row, text, { color: theme.text, size: 12, weight: format === chosen ? 700 : 400 }));
  });
  pen.shifted(SHEET, ABOVE, () => drawLanes(pen, theme, { formats, chosen, x, width: width - SHEET }));
}
