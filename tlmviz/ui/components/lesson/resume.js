// @ts-check
// On cards of lessons: those that this browser left, of which the server knows nothing, can be gone on with.

import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { mounted } from "#canvas/mount.js";
import { lessonsLeft } from "./left.js";

const LINK = /^(?:\.\/|[\w/]+)\?[^<>"]*$/; // of a page of the app, from any page

/** Offer each card's last scene; what was taken to its end, once more. */
function offer() {
  const left = lessonsLeft();
  for (const card of document.querySelectorAll("article[data-lesson]")) {
    const link = String(left[/** @type {HTMLElement} */ (card).dataset.lesson ?? ""] ?? "");
    const begin = card.querySelector("a");
    if (!begin || !LINK.test(link) || card.querySelector(".left")) continue;
    const said = new URLSearchParams(link.split("?")[1]);
    begin.classList.remove("first");
    if (said.has("done")) {
      begin.textContent = _("Once more");
      begin.before(make("a", { href: link.replace("&done", ""), className: "left", "data-card": "step", textContent: _("✓ Its end") }));
    } else {
      const go = _("Go on at scene {n}", { n: said.get("scene") ?? "1" });
      begin.before(make("a", { href: link, className: "first left", "data-card": "step", textContent: go }));
      begin.textContent = _("From the beginning");
    }
  }
}

/** Where the page has a link to the first lesson, lead to the one that was left last, unless it was taken to its end. */
function goOn() {
  const [lesson, link] = Object.entries(lessonsLeft()).at(-1) ?? ["", ""];
  const title = document.querySelector(`article[data-lesson="${CSS.escape(lesson)}"] h3`)?.textContent;
  const to = document.querySelector(`.onward a[href^="lessons?"]`);
  if (!(to instanceof HTMLAnchorElement) || !title || !LINK.test(String(link)) || String(link).includes("&done")) return;
  to.href = String(link);
  to.textContent = `${_("Go on with lesson {title}", { title })} →`;
}

export default mounted({
  create: (host) => {
    const root = make("i", { hidden: true });
    host.append(root);
    return /** @type {any} */ ({ root });
  },
  receive: () => {
    offer();
    goOn();
  },
  leave: () => {},
});
