// @ts-check
// The search box: what is typed is looked for in the browser, arrow keys choose, Enter opens, Escape closes.

import { make } from "#canvas/dom.js";
import { search } from "./search.js";

/** @typedef {import("./search.js").Found} Found */
/** @typedef {{ root: HTMLElement, input: HTMLInputElement, list: HTMLElement, told: HTMLElement, index: () => Found[], found: Found[], at: number,
 * before: Element | null }} Box */

const ROOM = 8; // pixels between the list and the edge of the window
const TYPES = "input, textarea, select, [contenteditable]:not([contenteditable=false]), [role=textbox], [role=combobox]";

/**
 * @param {(found: Found) => void} open
 * @returns {Box}
 */
export function makeBox(open) {
  const input = make("input", { type: "search", placeholder: "Search", autocomplete: "off", spellcheck: false, role: "combobox", "aria-label": "Search the app",
    "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": "found", "aria-keyshortcuts": "/" });
  const list = make("ul", { id: "found", role: "listbox", popover: "manual", "aria-label": "Search results" });
  const told = make("span", { className: "told", role: "status" });
  const root = make("div", { className: "search" }, input, make("kbd", { "aria-hidden": "true", textContent: "/" }), list, told);
  /** @type {Box} */
  const box = { root, input, list, told, index: () => [], found: [], at: 0, before: null };
  const choose = (/** @type {Found | undefined} */ found) => {
    if (!found) return;
    close(box);
    input.blur();
    open(found);
  };
  input.addEventListener("input", () => look(box));
  input.addEventListener("focus", () => look(box));
  input.addEventListener("blur", () => hide(box));
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") mark(box, box.at + (event.key === "ArrowDown" ? 1 : -1));
    else if (event.key === "Enter") choose(box.found[box.at]);
    else if (event.key === "Escape") leave(box);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  list.addEventListener("pointerdown", (event) => event.preventDefault()); // the box keeps the focus
  list.addEventListener("click", (event) => choose(box.found[[...list.children].findIndex((item) => event.composedPath().includes(item))]));
  return box;
}

/**
 * Whether a key is typed into something.
 * @param {KeyboardEvent} event
 */
export function isTyped(event) {
  const [target] = event.composedPath();
  return event.ctrlKey || event.metaKey || event.altKey || (target instanceof Element && Boolean(target.closest(TYPES)));
}

/**
 * Go to the box; Escape leads back to where the focus was.
 * @param {Box} box
 */
export function goTo(box) {
  box.before = document.activeElement;
  box.input.focus();
  box.input.select();
}

/** @param {Box} box */
function look(box) {
  box.found = search(box.input.value, box.index());
  const asked = Boolean(box.input.value.trim());
  box.told.textContent = asked ? `${box.found.length || "None"} found` : "";
  box.list.replaceChildren(...box.found.map(itemOf));
  if (!box.found.length) return hide(box);
  box.input.setAttribute("aria-expanded", "true");
  const open = box.list.matches(":popover-open");
  box.list.showPopover();
  if (!open) followBox(box);
  mark(box, 0);
}

/**
 * @param {Found} found
 * @param {number} place
 */
function itemOf({ kind, title, says }, place) {
  const head = make("span", {}, make("b", { textContent: title }), make("i", { textContent: kind }));
  return make("li", { id: `found-${place}`, role: "option", "aria-selected": "false" }, head, make("small", { textContent: says }));
}

/**
 * Keep the list below the box while it is shown: on a phone the sidebar with the box slides in.
 * @param {Box} box
 * @param {number} [before] where the box was in the frame before
 */
function followBox(box, before) {
  if (!box.list.matches(":popover-open")) return;
  const { left } = box.input.getBoundingClientRect();
  if (left !== before) put(box);
  requestAnimationFrame(() => followBox(box, left));
}

/**
 * Below the box, and within the window.
 * @param {Box} box
 */
function put({ input, list }) {
  const { left, bottom } = input.getBoundingClientRect();
  list.style.left = `${left}px`;
  list.style.top = `${bottom + 4}px`;
  list.style.width = `min(30rem, ${innerWidth - left - ROOM}px)`;
  list.style.maxHeight = `${innerHeight - bottom - 4 - ROOM}px`;
}

/**
 * @param {Box} box
 * @param {number} wanted
 */
function mark(box, wanted) {
  const items = [...box.list.children];
  box.at = (wanted + items.length) % (items.length || 1);
  for (const [place, item] of items.entries()) item.setAttribute("aria-selected", String(place === box.at));
  if (!items.length) return;
  box.input.setAttribute("aria-activedescendant", items[box.at].id);
  items[box.at].scrollIntoView({ block: "nearest" });
}

/** @param {Box} box */
function hide({ input, list }) {
  input.setAttribute("aria-expanded", "false");
  input.removeAttribute("aria-activedescendant");
  if (list.matches(":popover-open")) list.hidePopover();
}

/** @param {Box} box */
function close(box) {
  box.input.value = box.told.textContent = "";
  box.found = [];
  hide(box);
}

/** @param {Box} box */
function leave(box) {
  const open = box.found.length > 0 || box.input.value;
  close(box);
  if (open && !box.before) return; // a second press leaves the box
  box.input.blur();
  if (box.before instanceof HTMLElement) box.before.focus();
  box.before = null;
}
