// @ts-check
// One head among all others, statistic by statistic, and how far it looks.

import { _ } from "#canvas/language.js";
import { minus } from "#canvas/text.js";
import { cellText } from "./table.js";

/** @typedef {import("./scatter.js").Box} Box */
/** @typedef {import("#canvas/live.js").Theme} Theme */
/** @typedef {import("#canvas/live.js").Pen} Pen */
/** @typedef {{ tokens: string[], row: number, link: string, where: string }} Passage `row`: where the statistic is largest;
 * `link`: empty where no model read it */
/**
 * @typedef {{ statistics: string[], names: Record<string, string>, by: string, index: number, heads: number, bins: string[], tokens: Record<"query" | "key",
 *   [string, number][]>,
 *   tops: [string, string][], shown: number, passage: Passage | null }} HeadHeader `heads`: of a layer
 */
/** @typedef {{ header: HeadHeader, arrays: { values: Float32Array, deciles: Float32Array, shares: Float32Array, weights: Uint16Array } }} HeadData */

const NARROW = 620; // pixels, below which the parts stand one above the other
const ROW = 33;
const HIGH = 170; // of the histogram
const STAGGERED = 46; // pixels of a bar, below which the names of every other one, as long as 257–512, stand lower

/**
 * Where the strips and the histogram stand.
 * @param {number} width
 * @param {number} statistics
 * @returns {{ height: number, strips: Box, bars: Box }}
 */
export function headLayout(width, statistics) {
  const strips = { x: 0, y: 20, width: width < NARROW ? width : width * 0.54, height: ROW * statistics };
  if (width >= NARROW) return { height: strips.y + strips.height + 4, strips,
    bars: { x: strips.width + 30, y: 24, width: width - strips.width - 34, height: strips.height - 40 } };
  const bars = { x: 4, y: strips.y + strips.height + 34, width: width - 8, height: HIGH };
  return { height: bars.y + bars.height + 40, strips, bars };
}

/** @param {HeadHeader} header */
export const headTitle = ({ index, heads }) => `L${Math.floor(index / heads)}H${index % heads}`;

/**
 * How many heads have more, counted from 1; 0 where the head has none of it.
 * @param {ArrayLike<number>} values
 * @param {number} index
 */
export function rankOf(values, index) {
  return Number.isNaN(values[index]) ? 0 : 1 + Array.from(values).filter((value) => value > values[index]).length;
}

/**
 * @param {Pen} pen
 * @param {HeadData} data
 * @param {Box} box
 * @param {Theme} theme
 */
function drawStrips(pen, { header, arrays }, box, theme) {
  const count = arrays.values.length / header.statistics.length;
  pen.text(box.x, 8, _("{head} among all {count} heads", { head: headTitle(header), count }), { color: theme.text, size: 12, weight: 600 });
  const name = Math.min(130, box.width * 0.34);
  const wide = box.width - name - 104;
  header.statistics.forEach((statistic, s) => {
    const values = arrays.values.subarray(s * count, (s + 1) * count);
    const deciles = arrays.deciles.subarray(11 * s, 11 * s + 11);
    const y = box.y + (s + 0.45) * ROW;
    const strong = statistic === header.by;
    pen.text(box.x, y, header.names[statistic], { color: strong ? theme.text : theme.muted, size: 11, weight: strong ? 700 : 400 });
    const real = [...values, ...deciles].filter(Number.isFinite);
    const [low, high] = real.length ? [Math.min(...real), Math.max(...real)] : [0, 1];
    const at = (/** @type {number} */ value) => box.x + name + (wide * (value - low)) / (high - low || 1);
    pen.line(box.x + name, y, box.x + name + wide, y, theme.faint);
    if (Number.isFinite(deciles[0])) {
      pen.line(at(deciles[0]), y + 10, at(deciles[10]), y + 10, theme.faint, { width: 2 });
      pen.rect(at(deciles[1]), y + 8, Math.max(2, at(deciles[9]) - at(deciles[1])), 4, theme.primary, null, { alpha: 0.45 });
      pen.rect(at(deciles[5]) - 1, y + 6, 2, 8, theme.primary);
    }
    values.forEach((value, n) => n !== header.index && Number.isFinite(value) && pen.circle(at(value), y, 3, theme.muted, 0.4));
    if (Number.isFinite(values[header.index])) pen.circle(at(values[header.index]), y, 6, theme.primary);
    const rank = rankOf(values, header.index);
    pen.text(box.x + name + wide + 48, y, cellText(statistic, values[header.index]), { color: theme.text, size: 11, weight: 600, align: "right" });
    pen.text(box.x + name + wide + 56, y, rank ? _("{rank} of {count}", { rank, count }) : _("never"), { color: theme.muted, size: 11 });
  });
}

/**
 * @param {Pen} pen
 * @param {HeadData} data
 * @param {Box} box
 * @param {Theme} theme
 */
function drawDistances(pen, { header, arrays }, box, theme) {
  const bins = header.bins.length;
  const [own, mean] = [arrays.shares.subarray(0, bins), arrays.shares.subarray(bins)];
  const last = Math.max(3, Array.from(own, (share, b) => (share > 0.0005 || mean[b] > 0.0005 ? b : 0)).reduce((a, b) => Math.max(a, b), 0)) + 1;
  const most = Math.max(...own, ...mean, 1e-9);
  const each = box.width / last;
  pen.text(box.x, box.y - 16, _("How far back it looks (line: mean head)"), { color: theme.text, size: 12, weight: 600 });
  for (let b = 0; b < last; b++) {
    const high = (box.height - 14) * (own[b] / most);
    pen.rect(box.x + b * each + 1, box.y + box.height - high, Math.max(2, each - 3), high, theme.primary, null, { alpha: 0.8 });
    const level = box.y + box.height - (box.height - 14) * (mean[b] / most);
    pen.line(box.x + b * each, level, box.x + (b + 1) * each, level, theme.text, { width: 1.5 });
    if (own[b] >= 0.005) pen.text(box.x + (b + 0.5) * each, box.y + box.height - high - 7,
      minus(`${(100 * own[b]).toFixed(own[b] < 0.1 && each > 30 ? 1 : 0)}`), { color: theme.muted, size: 10, align: "center" });
    pen.text(box.x + (b + 0.5) * each, box.y + box.height + (each < STAGGERED && b % 2 ? 22 : 10), header.bins[b].replace("-", "–"),
      { color: theme.muted, size: 10, align: "center" });
  }
  pen.line(box.x, box.y + box.height, box.x + box.width, box.y + box.height, theme.muted);
  pen.text(box.x + box.width, box.y + box.height + 33, _("tokens back; bars in %"), { color: theme.muted, size: 10, align: "right" });
}

/**
 * @param {Pen} pen
 * @param {HeadData} data
 * @param {ReturnType<typeof headLayout>} layout
 * @param {Theme} theme
 */
export function drawHead(pen, data, layout, theme) {
  drawStrips(pen, data, layout.strips, theme);
  drawDistances(pen, data, layout.bars, theme);
}
