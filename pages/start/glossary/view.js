// @ts-check
// The glossary: a search box, letters to jump to, and the terms that fit.

import { debounce, make } from "#canvas/dom.js";
import { _, chooseLanguage, ngettext } from "#canvas/language.js";
import { mounted } from "#canvas/mount.js";
import { fits, initial } from "./search.js";

/** @typedef {import("#canvas/mount.js").Component} Component */
/** @typedef {{ title: string, link: string, count?: number }} Target */
/** @typedef {{ name: string, aliases: string[], text: string, link: string, shown: Target & { picture: string } | null, pages: Target[],
 * lessons: Target[] }} Entry */
/** @typedef {{ entries: Entry[], find: string, term: string, lang: string }} Data */
/** @typedef {{ root: HTMLElement, component: Component, box: HTMLInputElement, count: HTMLElement, letters: HTMLElement, list: HTMLElement,
 * parts: Map<string, HTMLElement>, data?: Data, lit: string, typed: string, sendSoon: (() => void) & { cancel: () => void } }} View */

const DELAY = 400; // milliseconds from the last letter typed until the link follows
const FEW = 3; // pages that are shown at once

/** @param {Target} target */
const anchor = ({ title, link, count }) =>
  make("a", { href: link, textContent: title, "data-card": "step",
    ...(count ? { title: ngettext("once in its texts", "{n} times in its texts", count) } : {}) });

/**
 * A line of links behind a word; those beyond FEW on request.
 * @param {string} label
 * @param {Target[]} targets
 */
function line(label, targets) {
  const first = targets.slice(0, FEW).map(anchor);
  const rest = targets.slice(FEW).map(anchor);
  const more = rest.length ? [make("details", {}, make("summary", { textContent: _("{n} more", { n: rest.length }) }), ...rest)] : [];
  return make("p", { className: "where" }, make("span", { textContent: label }), ...first, ...more);
}

/** @param {Entry} entry with the picture of the example that shows what it means, where there is one */
function drawn(entry) {
  const own = make("a", { href: entry.link, textContent: "#", "data-card": "step", "aria-label": _("Link to {term}", { term: entry.name }), className: "own" });
  const name = make("h3", { textContent: entry.name });
  const also = entry.aliases.length ? [make("small", { textContent: _("also: {names}", { names: entry.aliases.join(", ") }) })] : [];
  const where = [
    ...(entry.pages.length ? [line(_("Pages"), entry.pages)] : []),
    ...(entry.lessons.length ? [line(_("Lessons"), entry.lessons)] : []),
  ];
  const example = entry.shown ? [make("a", { href: entry.shown.link, "data-card": "step", className: "example" },
    make("img", { src: entry.shown.picture, alt: "", loading: "lazy" }), make("span", { textContent: entry.shown.title }))] : [];
  return make("article", { testid: "term" }, ...example, make("header", {}, own, name, ...also), make("p", { textContent: entry.text }), ...where);
}

/** Show what fits the search, the lit term always. @param {View} v */
function filter(v) {
  if (!v.data) return;
  const begun = /** @type {Set<string>} */ (new Set());
  let shown = 0;
  for (const entry of v.data.entries) {
    const part = v.parts.get(entry.name);
    if (!part) continue;
    part.hidden = !(entry.name === v.lit || fits(entry, v.box.value));
    part.classList.toggle("lit", entry.name === v.lit);
    if (part.hidden) continue;
    shown += 1;
    begun.add(initial(entry.name));
  }
  const all = v.data.entries.length;
  v.count.textContent = shown === all ? _("{all} terms", { all }) : shown
    ? _("{shown} of {all} terms", { shown, all }) : _("No term has this, in its name or its sentence; a shorter word finds more.");
  for (const letter of v.letters.children) /** @type {HTMLButtonElement} */ (letter).disabled = !begun.has(letter.textContent ?? "");
}

/** @param {HTMLElement | undefined} part @param {ScrollLogicalPosition} block */
function scrollTo(part, block) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  part?.scrollIntoView({ block, behavior: calm ? "auto" : "smooth" });
}

/** Go to the first term of a letter. @param {View} v @param {string} letter */
function jump(v, letter) {
  const first = v.data?.entries.find(({ name }) => initial(name) === letter && !v.parts.get(name)?.hidden);
  const part = first && v.parts.get(first.name);
  scrollTo(part, "start");
  part?.querySelector("a")?.focus({ preventScroll: true });
}

/** @param {HTMLElement} host */
function create(host) {
  const box = make("input", { type: "search", maxLength: 60 });
  const count = make("span", { role: "status", testid: "terms-shown" });
  const letters = make("nav", { className: "letters", });
  const list = make("div", { className: "terms" });
  const root = make("div", { className: "glossary" }, make("div", { className: "top" }, make("div", { className: "search" }, box, count), letters), list);
  host.append(root);
  const v = /** @type {View} */ (/** @type {unknown} */ ({ root, box, count, letters, list, parts: new Map(), lit: "", typed: "" }));
  v.sendSoon = debounce(() => v.component.setStateValue("find", { text: (v.typed = box.value) }), DELAY);
  box.addEventListener("input", () => {
    v.lit = "";
    filter(v);
    v.sendSoon();
  });
  return v;
}

/** @param {View} v @param {Data} data */
function fill(v, { entries }) {
  Object.assign(v.box, { placeholder: _("softmax, cache, learning rate …"), ariaLabel: _("Search the terms") });
  v.letters.ariaLabel = _("Letters");
  v.parts = new Map(entries.map((entry) => [entry.name, drawn(entry)]));
  v.list.replaceChildren(...v.parts.values());
  v.letters.replaceChildren(
    ...[...new Set(entries.map(({ name }) => initial(name)))].map((letter) =>
      make("button", { type: "button", textContent: letter, onclick: () => jump(v, letter) }),
    ),
  );
}

/** @param {View} v @param {Data} data */
function receive(v, data) {
  const before = v.data;
  chooseLanguage(data.lang);
  v.data = data;
  if (!before) fill(v, data);
  const went = !before || data.term !== before.term || (data.find !== before.find && data.find !== v.typed);
  if (!went) return; // only what was typed here came back, and more may have been typed since
  v.sendSoon.cancel();
  v.box.value = v.typed = data.find;
  v.lit = data.term;
  filter(v);
  if (v.lit) requestAnimationFrame(() => scrollTo(v.parts.get(v.lit), "center"));
}

export default mounted({ create, receive, leave: (v) => v.sendSoon.cancel() });
