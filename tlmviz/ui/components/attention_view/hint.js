// @ts-check
// The line below the overview.

import { _ } from "#canvas/language.js";
import { STATISTICS, search } from "./statistics.js";
import { legendOf } from "./written.js";

/** @typedef {import("./types").View} View */

/**
 * The line below the overview: what the search found, what the order means, or what can be done.
 * @param {View} v
 */
export function hintOf({ header, state, overlaying }) {
  if (overlaying) return _("Tap or click heads to draw them over this one, or to take them off; Overlay ends it.");
  if (state.find.trim()) {
    const found = search(header, state.order, state.find);
    const all = Array.from({ length: header.layers * header.heads }, (_, i) => i);
    return found ? _("{found} of {all} heads.", { found: all.filter(found).length, all: all.length }) : _(
      "Find a layer (5), a head (5.3), a tag (induction), or a statistic (induction > 0.4).");
  }
  if (header.written) return legendOf(header.written).join(" ");
  if (state.mute.length) return _("Muted: {mute}. The predictions are without them; the maps stay those of the whole model.",
    { mute: state.mute.map(([l, h]) => `L${l}H${h}`).join(", ") });
  if (state.order === "position") {
    const tile = _("A tile is a head: a row for each token, darker where that token looks.");
    if (matchMedia("(pointer: coarse)").matches) return `${tile} ${_("In Arcs, Overlay draws further heads.")}`;
    return `${tile} ${_("In Arcs, Overlay or Shift-click draws further heads.")} ${header.mutable ? _("Alt-click mutes one.") : ""}`;
  }
  const { label, note } = STATISTICS[state.order];
  return _("{statistic}, on average over the text's tokens: {note}.", { statistic: _(label), note: _(note) });
}
