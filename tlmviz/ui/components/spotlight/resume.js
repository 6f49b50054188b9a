// @ts-check
// On the page Tours: tours that this browser left in an earlier visit, of which the server knows nothing, can be gone on with.

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
    const n = new URLSearchParams(link.split("?")[1]).get("tourstep") ?? "1";
    begin.before(make("a", { href: link, className: "first left", "data-card": "step", textContent: _("Go on at step {n}", { n }) }));
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
