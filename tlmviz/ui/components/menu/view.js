// @ts-check
// The menu of the app: a search, which the key / goes to from anywhere, and the pages by chapters.

import { make } from "#canvas/dom.js";
import { mounted } from "#canvas/mount.js";
import { goTo, isTyped, makeBox } from "./box.js";
import { addressOf, linkTo, makeChapters, showCurrent, uncover } from "./chapters.js";
import { termsOf } from "./search.js";

/** @typedef {import("#canvas/mount.js").Component} Component */
/** @typedef {import("./chapters.js").Entry} Entry */
/** @typedef {import("./search.js").Found} Found */
/** @typedef {{ home: string, terms: string, sent: string }} Data `sent`: what `Sent` is, as JSON */
/** @typedef {{ chapters: Record<string, Entry[]>, index: Found[] }} Sent */
/** @typedef {Window & { tlmvizTerms?: Record<string, string> }} Page the terms that its script explains: form -> meaning */
/** @typedef {{ root: HTMLElement, component: Component, data: Data, box: import("./box.js").Box, nav: HTMLElement, leave: () => void }} View */

const [SIDEBAR, EXPAND] = ["stSidebar", "stExpandSidebarButton"].map((name) => `[data-testid=${name}]`);

/**
 * Open what was found: a page within the session, all else by its link, a model with the text that is being read.
 * @param {View} v
 * @param {Found} found
 */
function open(v, { kind, to }) {
  const text = new URLSearchParams(location.search).get("text");
  if (kind === "page") linkTo(addressOf(to, v.data.home))?.click();
  else followLink(kind === "model" && text ? `${to}&${new URLSearchParams({ text })}` : to);
  uncover();
}

/**
 * Follow a link into the app as the cards of a gallery do.
 * @param {string} href
 */
function followLink(href) {
  const link = make("a", { href, hidden: true });
  link.dataset.card = "step";
  document.body.append(link);
  link.click();
  link.remove();
}

/** @param {View} v */
function summon(v) {
  const closed = document.querySelector(`${SIDEBAR}[data-collapsed=true]`);
  const button = document.querySelector(EXPAND);
  if (closed && button instanceof HTMLElement) button.click();
  goTo(v.box);
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ (/** @type {unknown} */ ({ root: make("div"), nav: make("nav") }));
  v.box = makeBox((found) => open(v, found));
  v.root.append(v.box.root, v.nav);
  host.append(v.root);
  const heard = (/** @type {KeyboardEvent} */ event) => {
    if (event.key !== "/" || isTyped(event)) return;
    event.preventDefault();
    summon(v);
  };
  document.addEventListener("keydown", heard);
  const pages = new MutationObserver(() => showCurrent(v.nav));
  pages.observe(document.querySelector(SIDEBAR) ?? document.body, { subtree: true, childList: true, attributeFilter: ["aria-current"] });
  v.leave = () => {
    document.removeEventListener("keydown", heard);
    pages.disconnect();
  };
  return v;
}

/**
 * @param {View} v
 * @param {Data} data
 */
function receive(v, data) {
  if (data.sent !== v.data?.sent) {
    const { chapters, index } = /** @type {Sent} */ (JSON.parse(data.sent));
    const nav = makeChapters(chapters, data.home);
    v.nav.replaceWith(nav);
    v.nav = nav;
    v.box.index = () => [...index, ...termsOf(/** @type {Page} */ (window).tlmvizTerms ?? {}, data.terms)];
  }
  v.data = data;
  showCurrent(v.nav);
}

export default mounted({ create, receive, leave: (/** @type {View} */ v) => v.leave() });
