// @ts-check
// What the head writes: tokens promoted and lowered, and the sources of its value.

import { make } from "#canvas/dom.js";
import { visible } from "#canvas/text.js";
import { two } from "./maps.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */

/**
 * Rows of a name, a bar and a number.
 * @param {string} title
 * @param {[string, number][]} pairs
 * @param {((name: string) => (() => void) | null)} open what a click on a row does, if anything
 */
function bars(title, pairs, open) {
  const most = Math.max(...pairs.map(([, value]) => Math.abs(value)), 1e-9);
  const rows = pairs.map(([name, value]) => {
    const action = open(name);
    const label = action ? make("button", { type: "button", className: "name", textContent: name, title: "Follow it back", onclick: action }) : make("span", { className: "name", textContent: name });
    const bar = make("span", { className: value < 0 ? "bar minus" : "bar" });
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
  const { written, refused, steps, at } = v.header;
  if (!written) {
    v.els.written.replaceChildren(make("p", { textContent: refused }));
    return;
  }
  const named = (/** @type {[string, number][]} */ pairs) => pairs.map(([token, value]) => /** @type {[string, number]} */ ([`“${visible(token)}”`, value]));
  const first = named(written.promoted)[0][0];
  v.els.written.replaceChildren(
    bars(TEXTS.thenWritesLogits(steps[at].name), named(written.promoted), () => null),
    bars("and down", named(written.lowered), () => null),
    bars(TEXTS.valueSources(first), written.shares, open),
  );
}
