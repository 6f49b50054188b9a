// @ts-check
// A picture's menu: its link, the picture as a file, its data, and what shows it on another page.

import { decode } from "#canvas/decode.js";
import { escape, make } from "#canvas/dom.js";
import { pageCaption, saidOfLink, sentenceAbout } from "#canvas/caption.js";
import { savePictureData, savePictureHtml, savePicturePdf, savePicturePng, savePictureSvg } from "#canvas/files.js";
import { inShownColors, pageGround } from "#canvas/theme.js";
import { fileWishes } from "#canvas/wishes.js";
import { _ } from "#canvas/language.js";

/** @typedef {{ name: string, title: string, svg: string, width: number, height: number }} Figure a whole SVG file, and its name without an ending */
/**
 * What a menu needs of a picture; `figure` draws it, in the colours of the page where `asShown`. The `main`
 * one stands for its page. It `follows` the wishes that it can: one that is as it lies on the page has its width, and a chart its colours.
 * @typedef {{ main?: boolean, follows?: ("grey" | "width")[], figure: (asShown?: boolean) => Figure, data: () => unknown }} Picture
 */
/** @typedef {HTMLElement & { tlmvizPicture?: Picture }} Anchor the element that opens a picture's menu */

const COLUMN = 420; // pixels: text of 11 pixels is of 6 points where the picture is 8 cm wide
const MENU_GAP = 4; // pixels between a menu and what opened it

const MENU_STYLE = `
:host { position: fixed; z-index: 1000001; }
div { display: flex; flex-direction: column; min-width: 9rem; max-width: 17rem; padding: 4px; border: 1px solid; border-radius: 6px;
  border-color: color-mix(in srgb, currentColor 25%, transparent); box-shadow: 0 4px 16px rgb(0 0 0 / 0.25); font-size: 14px; }
button { padding: 7px 10px; border: 0; border-radius: 4px; background: none; color: inherit; font: inherit; text-align: left; cursor: pointer; }
button:hover, button:focus-visible { background: color-mix(in srgb, currentColor 12%, transparent); outline: none; }
button:focus-visible { outline: 2px solid currentColor; outline-offset: -2px; }
[role=menuitemcheckbox]::before { content: "☐ "; }
[aria-checked=true]::before { content: "☑ "; }
textarea { margin: 4px 6px; font: 12px ui-monospace, Consolas, monospace; background: none; color: inherit; border: 1px solid; border-radius: 4px;
  resize: none; }
p { margin: 2px 10px 6px; font-size: 12px; }
@media (pointer: coarse) { button { padding: 11px 12px; } }`;

/**
 * The button that opens a picture's menu. Whatever looks for the pictures of a page finds it.
 * @param {{ component?: { data: any } }} v the view: what the server sent it is the picture's data
 * @param {string} what the picture: "this figure"
 * @param {() => Figure} figure
 * @param {{ main?: boolean, follows?: Picture["follows"] }} [kind]
 */
export function pictureButton(v, what, figure, { main = false, follows = [] } = {}) {
  const label = _("Link, file, data and embedding of {what}", { what });
  /** @type {HTMLButtonElement & Anchor} */
  const button = make("button", { type: "button", className: "picture-menu", textContent: "Save ▾", title: label, "aria-label": label,
    "aria-haspopup": "menu" });
  const picture = { main, follows, figure: (/** @type {boolean} */ asShown = false) => (asShown ? inShownColors(figure) : figure()),
    data: () => plainData(v.component?.data) };
  button.tlmvizPicture = picture;
  button.addEventListener("click", () => openMenu(button, picture));
  return button;
}

/**
 * The same with a style of its own, where no view.css gives it one.
 * @param {Parameters<typeof pictureButton>} given
 */
export function styledPictureButton(...given) {
  const button = pictureButton(...given);
  const faint = "color-mix(in srgb, currentColor 25%, transparent)";
  Object.assign(button.style, { padding: "1px 7px", border: `1px solid ${faint}`, borderRadius: "4px", background: "none", color: "inherit", font: "inherit",
    fontSize: "12px", cursor: "pointer" });
  return button;
}

/**
 * What the server sent a view, with its arrays as lists.
 * @param {any} data packed bytes, or an object
 */
export function plainData(data) {
  return data instanceof Uint8Array || Array.isArray(data) ? decode(data) : data;
}

/**
 * The page's link with its defaults in it, where the page says them: it shows the same when a default is changed. Of a file that
 * lies on a disk its name: what is sent to others says nothing of the disk.
 */
export function completeLink() {
  if (location.protocol === "file:") return decodeURIComponent(location.pathname.split("/").at(-1));
  const { path, whole } = saidOfLink() ?? {};
  return path === location.pathname && whole ? `${location.origin}${path}?${whole}` : location.href;
}

/** The link of what is shown, for a frame of another page: the picture alone, alive. */
function frameCode() {
  const address = new URL(location.href);
  address.searchParams.set("embed", "picture");
  return `<iframe src="${escape(address.href)}" width="100%" height="600" style="border:0" title="${escape(pageCaption().title)}"></iframe>`;
}

// --- the menu ---------------------------------------------------------------------------------------

/** @type {(() => void) | null} */
let closeMenu = null; // what closes the menu that is open

/**
 * Open a picture's menu beside its `anchor`; a second call closes it.
 * @param {HTMLElement} anchor
 * @param {Picture} picture
 */
export function openMenu(anchor, picture) {
  const wasMine = anchor.getAttribute("aria-expanded") === "true";
  closeMenu?.();
  if (wasMine) return;
  const host = make("div", { testid: "picture-menu" });
  const menu = make("div", { role: "menu", "aria-label": "This picture" });
  const inApp = document.querySelector(".stApp");
  const colors = getComputedStyle(inApp ?? document.body);
  Object.assign(menu.style, { background: pageGround(), color: colors.color, fontFamily: colors.fontFamily });
  const outside = (/** @type {Event} */ event) => {
    if (!event.composedPath().includes(host) && !event.composedPath().includes(anchor)) close();
  };
  const follow = () => placeMenu(host, anchor);
  const close = () => {
    host.remove();
    anchor.setAttribute("aria-expanded", "false");
    document.removeEventListener("pointerdown", outside, true);
    removeEventListener("scroll", follow, true);
    closeMenu = null;
  };
  const done = (/** @type {() => void} */ work) => () => {
    close();
    anchor.focus();
    work();
  };
  host.attachShadow({ mode: "open" }).append(make("style", { textContent: MENU_STYLE }), menu);
  const items = [
    ...(inApp ? [menuItem("Copy link", (button) => copyText(button, completeLink()))] : []),
    menuItem("SVG", done(() => savePictureSvg(picture))),
    menuItem("PNG", done(() => void savePicturePng(picture))),
    menuItem("PDF", done(() => void savePicturePdf(picture))),
    menuItem("HTML", done(() => savePictureHtml(picture))),
    ...(sentenceAbout(picture) ? [wishItem("With its sentence", "sentence", true, false)] : []),
    wishItem("Transparent", "transparent", true, false),
    ...(picture.follows?.includes("width") ? [wishItem("For a column, 8 cm wide", "width", COLUMN, null)] : []),
    ...(picture.follows?.includes("grey") ? [wishItem("In greys", "grey", true, false)] : []),
    menuItem("Data", done(() => savePictureData(picture))),
    ...(inApp ? [menuItem("Embed", () => showEmbedding(menu, follow))] : []),
  ];
  menu.append(...items);
  menu.addEventListener("keydown", (event) => moveInMenu(event, menu, done(() => {})));
  anchor.setAttribute("aria-expanded", "true");
  document.body.append(host);
  placeMenu(host, anchor);
  items[0].focus({ preventScroll: true });
  document.addEventListener("pointerdown", outside, true);
  addEventListener("scroll", follow, true);
  closeMenu = close;
}

/**
 * How files are wished for, which stays so until the page is left.
 * @template {keyof import("#canvas/wishes.js").Wishes} Name
 * @param {string} text
 * @param {Name} name
 * @param {import("#canvas/wishes.js").Wishes[Name]} on what the wish is where it is checked
 * @param {import("#canvas/wishes.js").Wishes[Name]} off
 */
function wishItem(text, name, on, off) {
  const button = make("button", { type: "button", role: "menuitemcheckbox", textContent: text });
  const repaint = () => button.setAttribute("aria-checked", String(fileWishes()[name] === on));
  button.addEventListener("click", () => {
    fileWishes()[name] = fileWishes()[name] === on ? off : on;
    repaint();
  });
  repaint();
  return button;
}

/**
 * @param {string} text
 * @param {(button: HTMLButtonElement) => void} act
 */
function menuItem(text, act) {
  const button = make("button", { type: "button", role: "menuitem", textContent: text });
  button.addEventListener("click", () => act(button));
  return button;
}

/**
 * @param {HTMLButtonElement} button
 * @param {string} text
 */
async function copyText(button, text) {
  await navigator.clipboard.writeText(text).then(() => (button.textContent = "Copied"), () => showText(button, text));
}

/**
 * A text to be copied by hand, where the browser does not let a page do it.
 * @param {HTMLElement} after
 * @param {string} text
 */
function showText(after, text) {
  const box = make("textarea", { readOnly: true, rows: 4, value: text, "aria-label": "To copy" });
  after.after(box);
  box.select();
}

/**
 * @param {HTMLElement} menu
 * @param {() => void} follow puts the menu beside its picture again
 */
function showEmbedding(menu, follow) {
  const code = frameCode();
  const copy = menuItem("Copy the frame", (button) => copyText(button, code));
  menu.replaceChildren(make("p", { textContent: _("A live frame for another page:") }),
    make("textarea", { readOnly: true, rows: 4, value: code, "aria-label": "The frame's HTML" }), copy);
  copy.focus();
  follow();
}

/**
 * Arrow keys go round the menu, Escape and Tab leave it.
 * @param {KeyboardEvent} event
 * @param {HTMLElement} menu
 * @param {() => void} leave
 */
function moveInMenu(event, menu, leave) {
  const items = /** @type {HTMLElement[]} */ ([...menu.querySelectorAll("[role^=menuitem]")]);
  const at = items.indexOf(/** @type {HTMLElement} */ (/** @type {ShadowRoot} */ (menu.getRootNode()).activeElement));
  const target = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
  if (target === undefined && event.key !== "Escape" && event.key !== "Tab") return;
  event.preventDefault();
  event.stopPropagation();
  if (target === undefined) leave();
  else items.at(target % items.length)?.focus();
}

/**
 * Below the anchor, or above it where the window ends.
 * @param {HTMLElement} host
 * @param {HTMLElement} anchor
 */
function placeMenu(host, anchor) {
  host.style.left = "0"; // it is as wide as it likes, wherever it was
  const [box, own] = [anchor.getBoundingClientRect(), host.getBoundingClientRect()];
  const below = box.bottom + MENU_GAP;
  const top = below + own.height > innerHeight ? box.top - own.height - MENU_GAP : below;
  host.style.top = `${Math.max(MENU_GAP, top)}px`;
  host.style.left = `${Math.max(MENU_GAP, Math.min(box.left, innerWidth - own.width - MENU_GAP))}px`;
}
