// @ts-check
// The card of the chosen head: what its shown row reads, in a sentence, and its tags with what was measured.

import { make } from "#canvas/dom.js";
import { hasBlankHalf, wordedQuery } from "./marks.js";
import { sentenceOf } from "./reading.js";
import { tagsOf } from "./tags.js";
import { _ } from "#canvas/language.js";

/** @typedef {import("./types").View} View */

const ROOM = 340; // pixels of the figure, from which the card fits into the blank half of the map

/**
 * Write the card: of the row that is pointed at or pinned, else of the last.
 * @param {View} v
 */
export function fillCard(v) {
  const { layer, head } = v.state;
  const held = tagsOf(v.header, layer * v.header.heads + head);
  const query = v.state.mode === "map" ? wordedQuery(v) : (v.state.query ?? v.header.tokens.length - 1);
  const names = held.map(({ tag }) => tag.name);
  v.els.sentence.textContent = v.exact ? sentenceOf(`L${layer}H${head}`, v.header.tokens, query, v.exact.row(query), names) : "";
  const key = `${v.textId}|${layer}.${head}`;
  if (v.carded === key) return;
  v.carded = key;
  const items = held.map(({ tag, value, count }) =>
    make("li", { title: _("The mean over {count} tokens of this text: {value}, and {label} from {least} on", { count, value: value.toFixed(3), label: tag.label, least: tag.least }) },
      make("b", { textContent: tag.label }), " ", _("{value} ≥ {least} on {count} tokens · {meaning}", { value: value.toFixed(2), least: tag.least, count, meaning: tag.meaning })));
  const none = make("li", { textContent: _("No tag holds for this head on this text.") });
  v.els.tags.replaceChildren(...(v.header.tags && !items.length ? [none] : items));
}

/**
 * Put the card into the blank half of the map where there is room, else below.
 * @param {View} v
 */
export function placeCard(v) {
  const { card, figure, arcPane } = v.els;
  const over = v.state.mode === "map" && !v.stacked && !v.zoom && hasBlankHalf(v) && figure.clientWidth >= ROOM;
  card.classList.toggle("over", over);
  if (over && card.parentElement !== figure) figure.append(card);
  if (!over && card.parentElement === figure) arcPane.after(card);
}
