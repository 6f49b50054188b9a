// @ts-check
// How wide a text is, its bold words, the field for one of one's own, and what a link does.

import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { hiddenContext } from "#canvas/theme.js";
import { LONGEST, follow, linkTo } from "./progress.js";

const STORY = 'Charter, Georgia, "Iowan Old Style", "DejaVu Serif", serif'; // as --story in view.css

/** @param {string} text @param {number} size @param {boolean} [story] */
export function ruler(text, size, story) {
  const context = hiddenContext();
  context.font = `${size}px ${story ? STORY : "system-ui, sans-serif"}`;
  return context.measureText(text).width;
}

/** A sentence whose **words** between stars are bold. @param {string} text */
export const rich = (text) => text.split("**").map((part, n) => (n % 2 ? make("b", { textContent: part }) : part));

/** @param {Event} event @param {string} to */
export function lead(event, to) {
  event.preventDefault();
  follow(to);
}

/** The field for a sentence of one's own. @param {import("./view.js").View} v */
export function ownSentence(v) {
  const { data } = v;
  const field = make("input", { type: "text", maxLength: LONGEST, value: data.sentence, placeholder: _("or your own sentence"),
    "aria-label": _("A sentence of your own"), autocomplete: "off", spellcheck: false });
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault();
    if (field.value.trim() === data.sentence) return;
    v.parts.note.textContent = _("Reading …");
    follow(linkTo({ lesson: data.name, scene: v.at, told: [], sentence: field.value.trim() }, location.search));
  };
  return make("form", { onsubmit: submit }, field, make("button", { className: "act", textContent: _("Read it") }));
}
