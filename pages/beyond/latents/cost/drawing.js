// @ts-check
// How many scores each way of attending computes, and their areas to scale. Free of the DOM.

import { _ } from "#canvas/language.js";
import { short } from "#canvas/text.js";
import { fade } from "#canvas/theme.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */

const BLUE = "#3b7dc4";
const READ_ORANGE = "#cf6a1b";
const MIX_GREEN = "#2f8f6b";

/**
 * Scores per head and layer: among N inputs, and by M latents that read and mix.
 * @param {number} inputs
 * @param {number} latents
 */
export function scoreCounts(inputs, latents) {
  const [among, read, mix] = [inputs * inputs, inputs * latents, latents * latents];
  return { among, read, mix, ratio: among / (read + mix) };
}

/**
 * @param {number} count
 * @returns {string}
 */
export function grouped(count) {
  return count.toLocaleString("en-US");
}

/**
 * The comparison in a sentence.
 * @param {number} inputs
 * @param {number} latents
 */
export function costSentence(inputs, latents) {
  const { among, read, mix, ratio } = scoreCounts(inputs, latents);
  const times = (/** @type {number} */ count) => (count >= 100 ? grouped(Math.round(count)) : short(count));
  const values = { among: grouped(among), read: grouped(read), mix: grouped(mix), sum: grouped(read + mix) };
  return ratio >= 1
    ? _("Self-attention: N² = {among} scores per head. Latents: N·M + M² = {read} + {mix} = {sum}, {ratio} times fewer.", { ...values, ratio: times(ratio) })
    : _("Self-attention: N² = {among} scores per head. Latents: N·M + M² = {read} + {mix} = {sum}, {ratio} times more.",
      { ...values, ratio: times(1 / ratio) });
}

/**
 * Both as areas to one scale: the square N x N, and beside it M x N on top of M x M.
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {{ inputs: number, latents: number, width: number, height: number }} sizes
 */
export function drawAreas(pen, theme, { inputs, latents, width, height }) {
  const head = 24;
  const gap = 30;
  // Latents in rows, inputs in columns: the strip is N wide.
  const unit = Math.min((width - gap - 2) / (inputs + Math.max(inputs, latents)), (height - head - 26) / Math.max(inputs, 2 * latents));
  const square = inputs * unit;
  pen.text(0, 10, _("self-attention, N × N"), { color: theme.text, size: 12, weight: 600 });
  pen.rect(0, head, square, square, fade(BLUE, 0.35), BLUE);
  const x = Math.max(square + gap, 165);
  const strip = Math.max(1, latents * unit);
  pen.text(x, 10, _("read, M × N"), { color: READ_ORANGE, size: 12, weight: 600 });
  pen.text(x + 84, 10, _("and mix, M × M"), { color: MIX_GREEN, size: 12, weight: 600 });
  pen.rect(x, head, square, strip, fade(READ_ORANGE, 0.45), READ_ORANGE);
  pen.rect(x, head + strip + 6, strip, strip, fade(MIX_GREEN, 0.45), MIX_GREEN);
}
