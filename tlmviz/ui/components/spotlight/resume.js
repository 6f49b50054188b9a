// @ts-check
// On the pages Tours and Lessons: those that this browser left in an earlier visit, of which the server knows nothing, can be gone on with.

import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { mounted } from "#canvas/mount.js";
import { toursLeft } from "./left.js";

const LINK = /^(?:\.\/|[\w/]+)\?[^<>"]*$/; // of a page of the app, from any page

/** Offer each card's last step, but where the server has offered it. */
function offer() {
  const left = toursLeft();
  for (const card of document.querySelectorAll("article[data-tour]:not([data-begun])")) {
    const link = String(left[/** @type {HTMLElement} */ (card).dataset.tour ?? ""] ?? "");
    const begin = card.querySelector("a");
    if (!begin || !LINK.test(link) || card.querySelector(".left")) continue;
    const said = new URLSearchParams(link.split("?")[1]);
    const n = said.get("tourstep") ?? said.get("scene") ?? "1";
    const go = said.has("lesson") ? _("Go on at scene {n}", { n }) : _("Go on at step {n}", { n });
    begin.before(make("a", { href: link, className: "first left", "data-card": "step", textContent: go }));
    begin.classList.remove("first");
    begin.textContent = _("From the beginning");
  }
}

export default mounted({
  create: (host) => {
    const root = make("i", { hidden: true });
    host.append(root);
    return /** @type {any} */ ({ root });
  },
  receive: offer,
  leave: () => {},
});
