// @ts-check
// The card of the chosen head: what its shown row reads, in a sentence, and its tags with what was measured.

import { make } from "#canvas/dom.js";
import { arcQuery } from "./arcs.js";
import { hasBlankHalf, wordedQuery } from "./marks.js";
import { pinnedWeight, sentenceOf } from "./reading.js";
import { tagsOf } from "./tags.js";
import { _ } from "#canvas/language.js";

/** @typedef {import("./types").View} View */

const ROOM = 340; // pixels of the figure, from which the card fits into the blank half of the map
const [BESIDE, INSIDE] = [200, 300]; // pixels right of the map from which it stands there, and of the map's side from which it stands in it
const SAMPLE = 64; // queries of a longer text whose tags are measured: MOST_QUERIES of tlmviz/browser/tags.js

/**
 * Write the card: of the row that is pointed at or pinned, else of the last.
 * @param {View} v
 */
export function fillCard(v) {
  const { layer, head } = v.state;
  const held = tagsOf(v.header, layer * v.header.heads + head);
  const { tokens } = v.header;
  const query = v.state.mode === "map" ? wordedQuery(v) : arcQuery(v);
  const names = held.map(({ tag }) => tag.name);
  const said = v.exact ? [sentenceOf(`L${layer}H${head}`, tokens, query, v.exact.row(query), names)] : [];
  if (v.exact && v.state.key !== null && v.state.query === query) said.push(pinnedWeight(tokens, query, v.state.key, v.exact.row(query)));
  v.els.sentence.textContent = said.join(" ").trim();
  const key = `${v.textId}|${layer}.${head}`;
  if (v.carded === key) return;
  v.carded = key;
  const of = tokens.length > SAMPLE ? "{value} ≥ {least} on {count} of the last 64 tokens · {meaning}" : "{value} ≥ {least} on {count} tokens · {meaning}";
  const items = held.map(({ tag, value, count }) =>
    make("li", { title: _("The mean over {count} tokens of this text: {value}, and {label} from {least} on",
      { count, value: value.toFixed(3), label: tag.label, least: tag.least }) },
      make("b", { textContent: tag.label }), " ", _(of, { value: value.toFixed(2), least: tag.least, count, meaning: tag.meaning })));
  const none = make("li", { textContent: _("No tag holds for this head on this text.") });
  v.els.tags.replaceChildren(...(v.header.tags && !items.length ? [none] : items));
}

/**
 * Put the card right of the map where there is room, else into its blank half, else below.
 * @param {View} v
 */
export function placeCard(v) {
  const { card, figure, arcPane } = v.els;
  const plan = v.mapPlan;
  const end = plan ? plan.x + plan.side : 0;
  const beside = Boolean(plan) && figure.clientWidth - end >= BESIDE;
  const fits = hasBlankHalf(v) && figure.clientWidth >= ROOM && (beside || plan?.side >= INSIDE);
  const over = v.state.mode === "map" && !v.stacked && !v.zoom && fits;
  card.classList.toggle("over", over);
  card.classList.toggle("beside", beside);
  card.style.left = over && beside ? `${end + 14}px` : "";
  card.style.right = !over ? "" : beside ? "14px" : `${Math.max(14, figure.clientWidth - end + 8)}px`;
  if (over && card.parentElement !== figure) figure.append(card);
  if (!over && card.parentElement === figure) arcPane.after(card);
}
