// @ts-check
// The pages by chapters, of which the current page's alone is open.

import { make } from "#canvas/dom.js";

/** @typedef {{ path: string, title: string, icon: string }} Entry */

const LINKS = "[data-testid=stSidebarNavLink]"; // Streamlit's own menu, which is there and not seen

const [OPEN, COLLAPSE] = ["[data-testid=stSidebar][data-collapsed=false]", "[data-testid=stSidebarCollapseButton] button"];
const PHONE = "(max-width: 768px)"; // where the sidebar lies over the page

/** Close the sidebar behind what was gone to, where it lies over the page and Streamlit has not closed it. */
export function uncover() {
  requestAnimationFrame(() => {
    const button = document.querySelector(OPEN)?.querySelector(COLLAPSE);
    if (matchMedia(PHONE).matches && button instanceof HTMLElement) button.click();
  });
}

/** @type {(a: HTMLAnchorElement, b: HTMLAnchorElement) => boolean} */
const same = (a, b) => a.pathname === b.pathname;

/**
 * The link in Streamlit's menu that goes to a page within the session, which keeps the text, the model and all else.
 * @param {string} path
 * @returns {HTMLAnchorElement | undefined}
 */
export function linkTo(path) {
  const { pathname } = new URL(path, location.href);
  return /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll(LINKS)]).find((link) => link.pathname === pathname);
}

/**
 * Where a page is: the first of the explorer's addresses is the app's own.
 * @param {string} path
 * @param {string} home
 */
export const addressOf = (path, home) => (path === home ? "./" : path);

/**
 * @param {Record<string, Entry[]>} chapters
 * @param {string} home the path of the page at the app's own address
 */
export function makeChapters(chapters, home) {
  const nav = make("nav", { "aria-label": "Pages" });
  for (const [title, pages] of Object.entries(chapters)) {
    const items = pages.map(({ path, title: name, icon }) => {
      const link = make("a", { href: addressOf(path, home) }, make("span", { className: "icon", "aria-hidden": "true", translate: false, textContent: icon }),
        make("span", { className: "title", textContent: name }));
      return make("li", {}, link);
    });
    nav.append(make("details", {}, make("summary", {}, title), make("ul", {}, ...items)));
  }
  nav.addEventListener("click", follow);
  return nav;
}

/** @param {MouseEvent} event */
function follow(event) {
  const link = event.target instanceof Element && event.target.closest("a");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const inside = linkTo(link.href);
  if (!inside) return; // a link like any other
  event.preventDefault();
  inside.click();
  uncover();
}

/**
 * Mark the page that Streamlit's menu marks, open its chapter and close all others; nothing where it is marked already.
 * @param {HTMLElement} nav
 */
export function showCurrent(nav) {
  const current = document.querySelector(`${LINKS}[aria-current]`);
  const marked = nav.querySelector("[aria-current]");
  if (!(current instanceof HTMLAnchorElement) || (marked instanceof HTMLAnchorElement && same(marked, current))) return;
  for (const chapter of nav.querySelectorAll("details")) {
    chapter.open = false;
    for (const link of chapter.querySelectorAll("a")) {
      const here = same(link, current);
      if (here) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
      chapter.open ||= here;
    }
  }
  nav.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
}
