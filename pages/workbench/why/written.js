// @ts-check
// What the head writes: tokens promoted and lowered, and the sources of its value.

import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { visible } from "#canvas/text.js";
import { two } from "./maps.js";

/** @typedef {import("./maps.js").View} View */

const LOGITS = 4; // that a bar's whole width stands for, or more where a number is larger: noise is a stub on every text

/**
 * Rows of a name, a bar and a number.
 * @param {string} title
 * @param {[string, number][]} pairs
 * @param {number} most what a whole bar stands for
 * @param {((name: string) => (() => void) | null)} open what a click on a row does, if anything
 */
function bars(title, pairs, most, open) {
  const rows = pairs.map(([name, value]) => {
    const action = open(name);
    const label = action ? make("button", { type: "button", className: "name", textContent: name, title: _("Follow it back"), onclick: action }) : make(
      "span", { className: "name", textContent: name });
    const bar = make("span", { className: value < 0 ? "amount minus" : "amount" });
    bar.style.width = `${(100 * Math.abs(value)) / most}%`;
    return make("div", { className: "row" }, label, make("span", { className: "track" }, bar), make("span", { className: "value", textContent: two(value) }));
  });
  return make("div", { className: "bars" }, make("h4", { textContent: title }), ...rows);
}

/**
 * @param {View} v
 * @param {(source: string) => (() => void) | null} open
 */
export function fillWritten(v, open) {
  const { written, steps, at } = v.header;
  v.els.written.hidden = !written;
  if (!written) return;
  const most = Math.max(LOGITS, ...[...written.promoted, ...written.lowered, ...written.shares].map(([, value]) => Math.abs(value)));
  const named = (/** @type {[string, number][]} */ pairs) => pairs.map(([token, value]) => /** @type {[string, number]} */ ([`“${visible(token)}”`, value]));
  const [first] = named(written.promoted)[0];
  v.els.written.replaceChildren(
    bars(_("{head} then writes: logits up", { head: steps[at].name }), named(written.promoted), most, () => null),
    bars(_("and down"), named(written.lowered), most, () => null),
    bars(_("{token}: by the value’s sources", { token: first }), written.shares, most, open),
    make("p", { className: "scale", textContent: _("A whole bar: {most} logits", { most: two(most) }) }),
  );
}
