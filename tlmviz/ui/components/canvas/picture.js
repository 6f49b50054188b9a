// @ts-check
// A picture's menu: its link, the picture as a file, its data, and what shows it on another page.

import { decode } from "#canvas/decode.js";
import { download, escape, make } from "#canvas/dom.js";
import { describedPng } from "#canvas/png_text.js";
import { inShownColors } from "#canvas/theme.js";
import { _ } from "#canvas/language.js";

/** @typedef {{ name: string, title: string, svg: string, width: number, height: number }} Figure a whole SVG file, and its name without an ending */
/**
 * What a menu needs of a picture; `figure` draws it, in the colours of the page where `asShown`. The `main`
 * one stands for its page.
 * @typedef {{ main?: boolean, figure: (asShown?: boolean) => Figure, data: () => unknown }} Picture
 */
/** @typedef {HTMLElement & { tlmvizPicture?: Picture }} Anchor the element that opens a picture's menu */

const PNG_RATIO = 2; // pixels of a PNG per pixel of the page
const PNG_LARGEST = 12000; // pixels of a PNG's side
const MENU_GAP = 4; // pixels between a menu and what opened it

const MENU_STYLE = `
:host { position: fixed; z-index: 1000001; }
div { display: flex; flex-direction: column; min-width: 9rem; max-width: 17rem; padding: 4px; border: 1px solid; border-radius: 6px;
  border-color: color-mix(in srgb, currentColor 25%, transparent); box-shadow: 0 4px 16px rgb(0 0 0 / 0.25); font-size: 14px; }
button { padding: 7px 10px; border: 0; border-radius: 4px; background: none; color: inherit; font: inherit; text-align: left; cursor: pointer; }
button:hover, button:focus-visible { background: color-mix(in srgb, currentColor 12%, transparent); outline: none; }
button:focus-visible { outline: 2px solid currentColor; outline-offset: -2px; }
textarea { margin: 4px 6px; font: 12px ui-monospace, Consolas, monospace; background: none; color: inherit; border: 1px solid; border-radius: 4px; resize: none; }
p { margin: 2px 10px 6px; font-size: 12px; }
@media (pointer: coarse) { button { padding: 11px 12px; } }`;

/**
 * The button that opens a picture's menu. Whatever looks for the pictures of a page finds it.
 * @param {{ component?: { data: any } }} v the view: what the server sent it is the picture's data
 * @param {string} what the picture: "this figure"
 * @param {() => Figure} figure
 * @param {boolean} [main]
 */
export function pictureButton(v, what, figure, main = false) {
  const label = _("Link, file, data and embedding of {what}", { what });
  /** @type {HTMLButtonElement & Anchor} */
  const button = make("button", { type: "button", className: "picture-menu", textContent: "Save ▾", title: label, "aria-label": label, "aria-haspopup": "menu" });
  const picture = { main, figure: (/** @type {boolean} */ asShown = false) => (asShown ? inShownColors(figure) : figure()), data: () => plainData(v.component?.data) };
  button.tlmvizPicture = picture;
  button.addEventListener("click", () => openMenu(button, picture));
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
 * JSON with arrays of numbers as plain lists; what is no number in them, a NaN, is null.
 * @param {unknown} data
 */
export function writtenData(data) {
  return JSON.stringify(data, (_, value) => (ArrayBuffer.isView(value) && !(value instanceof DataView) ? Array.from(/** @type {any} */ (value)) : value));
}

/** The page's link with its defaults in it, where the page says them: it shows the same when a default is changed. */
export function completeLink() {
  const { path, whole } = /** @type {Window & { tlmvizLink?: { path: string, whole: string } }} */ (window).tlmvizLink ?? {};
  return path === location.pathname && whole ? `${location.origin}${path}?${whole}` : location.href;
}

/** The page's title, and the sentence beside it. */
export function pageCaption() {
  const heading = document.querySelector("h1");
  const claim = heading?.querySelector("small, .stMarkdownColoredText")?.textContent?.trim() ?? "";
  const whole = heading?.textContent?.trim() ?? document.title;
  return { title: whole.replace(claim, "").trim(), claim };
}

/**
 * An SVG file that says what it shows and where it is from.
 * @param {Figure} figure
 * @param {{ title: string, caption: string, link: string }} about
 */
export function describedSvg({ svg }, { title, caption, link }) {
  const said = `<title>${escape(title)}</title><desc>${escape(caption)}</desc>`;
  const source = `<metadata><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/"><rdf:Description rdf:about=""><dc:source>${escape(link)}</dc:source><dc:description>${escape(caption)}</dc:description></rdf:Description></rdf:RDF></metadata>`;
  return svg.replace(/<svg\b[^>]*>/, (tag) => `${tag}\n${said}${source}`);
}

/**
 * A page of its own that needs no network: the picture, its caption, and its data.
 * @param {Figure} figure
 * @param {string} data as JSON
 * @param {{ title: string, caption: string, link: string }} about
 */
export function offlinePage(figure, data, about) {
  const { title, caption, link } = about;
  const svg = describedSvg(figure, about).replace(/<\?xml[^>]*>\s*/, "");
  const web = /^https?:/.test(link);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="description" content="${escape(caption)}">
<meta name="source" content="${escape(link)}">
<title>${escape(title)}</title>
<style>body { margin: 1rem auto; max-width: ${Math.ceil(figure.width)}px; font-family: system-ui, sans-serif; } figure { margin: 0; } figcaption { padding: 0.6rem; } svg { max-width: 100%; height: auto; }</style>
</head>
<body>
<figure>
${svg}
<figcaption>${escape(caption)} ${web ? `<a href="${escape(link)}">Open it live</a>` : escape(link)}</figcaption>
</figure>
<script type="application/json" id="data">${data.replace(/</g, "\\u003c")}<${"/"}script>
</body>
</html>
`;
}

/**
 * What the file of a figure says of itself.
 * @param {Figure} figure
 * @param {string} [link]
 */
export function aboutFigure(figure, link = completeLink()) {
  const { title, claim } = pageCaption();
  return { title: `${title}: ${figure.title}`, caption: [claim, figure.title].filter(Boolean).join(" · "), link };
}

// --- files ------------------------------------------------------------------------------------------

/** @param {Picture} picture */
function savePictureSvg(picture) {
  const figure = picture.figure();
  download(new Blob([describedSvg(figure, aboutFigure(figure))], { type: "image/svg+xml" }), `${figure.name}.svg`);
}

/** @param {Picture} picture */
async function savePicturePng(picture) {
  const figure = picture.figure();
  const url = URL.createObjectURL(new Blob([figure.svg], { type: "image/svg+xml" }));
  const image = new Image();
  image.src = url;
  await image.decode();
  URL.revokeObjectURL(url);
  const ratio = Math.min(PNG_RATIO, PNG_LARGEST / Math.max(figure.width, figure.height));
  const canvas = make("canvas", { width: Math.round(figure.width * ratio), height: Math.round(figure.height * ratio) });
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  const about = aboutFigure(figure);
  const blob = await new Promise((/** @type {BlobCallback} */ made) => canvas.toBlob(made, "image/png"));
  if (!blob) return;
  const parts = describedPng(new Uint8Array(await blob.arrayBuffer()), about);
  download(new Blob(/** @type {BlobPart[]} */ (parts), { type: "image/png" }), `${figure.name}.png`);
}

/** @param {Picture} picture */
function savePictureData(picture) {
  const figure = picture.figure();
  const text = writtenData({ ...aboutFigure(figure), data: picture.data() });
  download(new Blob([text], { type: "application/json" }), `${figure.name}.json`);
}

/** @param {Picture} picture */
function saveOfflinePage(picture) {
  const figure = picture.figure();
  download(new Blob([offlinePage(figure, writtenData(picture.data()), aboutFigure(figure))], { type: "text/html" }), `${figure.name}.html`);
}

/** The link of what is shown, in a frame of another page. */
function frameCode() {
  const address = new URL(location.href);
  address.searchParams.set("embed", "true");
  return `<iframe src="${escape(address.href)}" width="100%" height="700" style="border:0" title="${escape(pageCaption().title)}"></iframe>`;
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
  Object.assign(menu.style, { background: colors.backgroundColor === "rgba(0, 0, 0, 0)" ? "#fff" : colors.backgroundColor, color: colors.color, fontFamily: colors.fontFamily });
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
    menuItem("Data", done(() => savePictureData(picture))),
    inApp ? menuItem("Embed", () => showEmbedding(menu, follow, done(() => saveOfflinePage(picture)))) : menuItem("Offline page", done(() => saveOfflinePage(picture))),
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
 * @param {() => void} save the offline page
 */
function showEmbedding(menu, follow, save) {
  const code = frameCode();
  const copy = menuItem("Copy the frame", (button) => copyText(button, code));
  menu.replaceChildren(make("p", { textContent: _("A live frame for another page, or a file that needs no network:") }), make("textarea", { readOnly: true, rows: 4, value: code, "aria-label": "The frame's HTML" }), copy, menuItem("Offline page", save));
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
  const items = /** @type {HTMLElement[]} */ ([...menu.querySelectorAll("[role=menuitem]")]);
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
