// @ts-check
// Draws the whole tree, every node below its parent and as wide as what reaches it, and the path of one word decision by decision.

import { _ } from "#canvas/language.js";
import { clip } from "#canvas/text.js";
import { fade, textWidth } from "#canvas/theme.js";
import { drawLoss } from "./drawing.js";
import { chance } from "./scenes.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").View} View */
/** @typedef {{ x: number, y: number, width: number, height: number }} Box */

export const TREE_LEAST = 380; // pixels of height
export const HEAD = 22; // pixels above the root
const STEP = 18, LOSS = 122;
const TARGET_COLOR = 1; // of theme.heads: orange

/** @param {View} v */
export function pathHeight({ decisions }) {
  return HEAD + STEP * decisions.length + LOSS + 14;
}

/**
 * Pixels of height of a row of nodes.
 * @param {View} v
 * @param {Box} box
 */
export function rowHeight({ tree }, box) {
  return (box.height - HEAD) / (tree.deepest + 1);
}

/**
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {Box} box
 */
export function drawTree(pen, v, theme, box) {
  const { header, tree: layout } = v;
  const size = header.words.length;
  const tall = rowHeight(v, box);
  const way = new Set(v.decisions.map(({ node }) => node)).add(layout.share.length - 1);
  const what = v.place.widths === "model" ? _("as wide as its Pr(· | {center})", { center: header.center }) : _("as wide as its share of the text");
  pen.text(box.x, box.y + 8, clip(_("All {count} words: each node is {what}", { count: size.toLocaleString("en"), what }), Math.floor(box.width / 6.2)),
    { color: theme.text, size: 11, weight: 600 });
  const place = (/** @type {number} */ at) => ({ x: box.x + box.width * layout.left[at], y: box.y + HEAD + tall * layout.depth[at],
    width: box.width * layout.share[at] });
  for (let at = layout.share.length - 1; at >= 0; at--) {
    const { x, y, width } = place(at);
    if (width < 0.35 || way.has(at)) continue;
    const leaf = at < size;
    pen.rect(x, y, Math.max(width - (width > 3 ? 1 : 0), 0.35), tall - 1, leaf ? fade(theme.primary, 0.55) : fade(theme.text, 0.11));
    if (leaf && width > 16) {
      const word = header.words[at];
      if (textWidth(theme, word, 10) < width - 3) pen.text(x + width / 2, y + tall / 2, word, { align: "center", color: theme.text, size: 10 });
    }
  }
  for (const at of way) { // at least two pixels: the path is seen where it is too thin for its share
    const { x, y, width } = place(at);
    pen.rect(Math.min(x, box.x + box.width - 2), y, Math.max(width, 2), tall - 1, fade(theme.heads[TARGET_COLOR], at === header.target ? 1 : 0.55));
  }
  const { x, y, width } = place(header.target);
  const name = `${header.context} ${chance(v.reached[header.target])}`;
  const wide = textWidth(theme, name, 12, 700);
  const below = layout.depth[header.target] < layout.deepest;
  pen.text(Math.max(box.x + wide / 2, Math.min(box.x + box.width - wide / 2, x + width / 2)), y + tall * (below ? 1.5 : -0.5), name,
    { align: "center", color: theme.text, size: 12, weight: 700 });
}

/**
 * The decisions one below the other: which way with which probability, the product so far, and who lies on the other side.
 * @param {Pen} pen
 * @param {View} v
 * @param {Theme} theme
 * @param {Box} box
 */
export function drawPath(pen, v, theme, box) {
  const { decisions, header } = v;
  const [turn, bar, product] = [46, Math.max(60, box.width * 0.26), 62];
  pen.text(box.x, box.y + 8, _("The way to “{word}”: turn, probability", { word: clip(header.context, 14) }), { color: theme.text, size: 11, weight: 600 });
  pen.text(box.x + box.width, box.y + 8, _("product"), { align: "right", color: theme.muted, size: 10.5 });
  decisions.forEach((decision, k) => {
    const y = box.y + HEAD + STEP * k;
    pen.text(box.x, y + STEP / 2, decision.turn === "left" ? _("↙ left") : _("↘ right"), { color: theme.muted, size: 10.5 });
    pen.rect(box.x + turn, y + 3, bar, STEP - 6, fade(theme.text, 0.1));
    pen.rect(box.x + turn, y + 3, bar * decision.after, STEP - 6, theme.heads[TARGET_COLOR], null, { alpha: 0.75 });
    const tick = box.x + turn + bar * decision.before;
    pen.line(tick, y + 1, tick, y + STEP - 2, theme.text, { width: 1.5 });
    const said = box.x + turn + bar + 6;
    pen.text(said, y + STEP / 2, decision.after.toFixed(3), { color: theme.text, size: 10.5 });
    const room = box.width - (said - box.x) - 38 - product;
    if (room > 60) pen.text(said + 36, y + STEP / 2, clip(_("not: {others}", { others: decision.others }), Math.floor(room / 5.4)),
      { color: theme.muted, size: 10 });
    pen.text(box.x + box.width, y + STEP / 2, chance(decision.product),
      { align: "right", color: theme.text, size: 10.5, weight: k === decisions.length - 1 ? 700 : 400 });
  });
  const top = box.y + HEAD + STEP * decisions.length + 12;
  drawLoss(pen, v, theme, { x: box.x, y: top, width: box.width, height: box.y + box.height - top });
}
