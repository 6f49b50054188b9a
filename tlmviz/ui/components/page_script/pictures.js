// @ts-check
// Every picture of a page: views of the canvas kit, which bring their own menus, and Plotly's charts, which get one here.

import { aboutFigure, describedSvg, offlinePage, openMenu, writtenData } from "#canvas/picture.js";
import { appRests } from "#canvas/leaving.js";
import { wantWhole } from "#canvas/painted.js";
import { withMinus } from "./plotly.js";
import { _ } from "#canvas/language.js";

/** @typedef {import("#canvas/picture.js").Picture} Picture */
/** @typedef {import("#canvas/picture.js").Figure} Figure */
/** @typedef {HTMLElement & { data?: any, layout?: any, _fullLayout?: any }} Plot */
/** @typedef {{ format: "svg" | "html", link: string, asShown: boolean, width: number | null, height: number | null }} Wanted */

const CAMERA = ".js-plotly-plot .modebar-btn[data-title^='Download plot']";
const [QUICK, SLOW] = [200, 1500]; // milliseconds that a page stands still: with all that it has, with views to come
const BEGINS = 5000; // milliseconds within which the server begins with what it is asked for
const GLANCE = 25; // milliseconds between looks at a page
const label = () => _("Link, file, data and embedding of this chart");
// Parts of a chart that are there to be pointed at or pressed, and no part of its picture.
const HANDLES = ".hoverlayer, .zoomlayer, .draglayer, .updatemenu-container, .slider-container";

// --- Plotly's charts --------------------------------------------------------------------------------

/**
 * A chart's own camera opens the menu that all pictures have.
 * @param {MouseEvent} event
 */
export function openChartMenu(event) {
  const camera = event.target instanceof Element ? /** @type {HTMLElement | null} */ (event.target.closest(CAMERA)) : null;
  if (!camera) return;
  event.stopPropagation();
  event.preventDefault();
  openMenu(camera, pictureOfChart(/** @type {Plot} */ (camera.closest(".js-plotly-plot"))));
}

/** Say what a chart's camera does. */
export function nameCameras() {
  const said = label();
  for (const camera of document.querySelectorAll(CAMERA)) {
    if (camera.getAttribute("aria-label") === said) continue;
    camera.setAttribute("aria-label", said);
    camera.setAttribute("aria-haspopup", "menu");
    camera.setAttribute("data-title", `Download plot: ${said.toLowerCase()}`);
  }
}

/**
 * @param {Plot} plot
 * @returns {Picture}
 */
export function pictureOfChart(plot) {
  return { figure: () => figureOfChart(plot), data: () => ({ data: plot.data, layout: plot.layout }) };
}

/**
 * A chart as it is on the page. Plotly keeps the styles of what it draws beside it, so that its elements can stand alone.
 * @param {Plot} plot
 * @returns {Figure}
 */
function figureOfChart(plot) {
  const { width, paper_bgcolor: paper, font } = plot._fullLayout;
  const height = heightOf(plot);
  const sheets = [...plot.querySelectorAll(".main-svg")];
  const layers = [...plot.querySelectorAll(".gl-container canvas")].map((canvas) => imageOf(/** @type {HTMLCanvasElement} */ (canvas), plot));
  const parts = sheets.map((sheet) => {
    const copy = /** @type {SVGElement} */ (sheet.cloneNode(true));
    for (const handle of copy.querySelectorAll(HANDLES)) handle.remove();
    const address = location.href.replace(/#.*$/, "");
    for (const element of copy.querySelectorAll("*")) ownReferences(element, address);
    return new XMLSerializer().serializeToString(copy).replace(/^<svg[^>]*>|<\/svg>$/g, "");
  });
  parts.splice(1, 0, ...layers);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" style="background: ${paper}"><rect width="${width}" height="${height}" fill="${paper}"/>\n${parts.join("\n")}\n</svg>\n`;
  return { name: `tlmviz-${keyOf(plot)}`, title: titleOf(plot), svg: svg.replaceAll("font-family: &quot;&quot;", `font-family: ${font.family}`), width, height };
}

/**
 * Pixels of a chart's height down to its player, where it has one below it.
 * @param {Plot} plot
 */
function heightOf(plot) {
  const { height } = plot._fullLayout;
  const top = plot.getBoundingClientRect().top;
  const players = [...plot.querySelectorAll(".updatemenu-container, .slider-container")].map((part) => part.getBoundingClientRect().top - top);
  const player = Math.min(height, ...players);
  return player > height / 2 ? Math.floor(player) : height;
}

/**
 * References to clip paths and gradients name the page's address; in a file they name nothing but the part.
 * @param {Element} element
 * @param {string} address
 */
function ownReferences(element, address) {
  for (const { name, value } of [...element.attributes]) {
    if (value.includes("url(") && value.includes(address)) element.setAttribute(name, value.replaceAll(address, ""));
  }
  if (element.tagName === "text" && element.getAttribute("style")?.includes("display: none")) element.remove();
}

/**
 * A canvas of a chart as an image where it lies.
 * @param {HTMLCanvasElement} canvas
 * @param {Plot} plot
 */
function imageOf(canvas, plot) {
  const [box, origin] = [canvas.getBoundingClientRect(), plot.getBoundingClientRect()];
  return `<image x="${box.x - origin.x}" y="${box.y - origin.y}" width="${box.width}" height="${box.height}" href="${canvas.toDataURL("image/png")}"/>`;
}

/**
 * The key that the page gave a chart: the class of a container of Streamlit.
 * @param {Element} element
 */
function keyOf(element) {
  const named = element.closest("[class*='st-key-']");
  return named?.className.match(/st-key-(\S+)/)?.[1] ?? "chart";
}

/**
 * What a chart shows, as its title or its description for screen readers says it.
 * @param {Plot} plot
 */
function titleOf(plot) {
  const title = plot._fullLayout.title?.text || plot.closest("[aria-label]")?.getAttribute("aria-label") || keyOf(plot);
  return withMinus(title.replace(/<[^>]*>/g, ""));
}

// --- all pictures -----------------------------------------------------------------------------------

/**
 * The pictures of the page that are seen, from top to bottom.
 * @param {ParentNode} [part]
 * @returns {Picture[]}
 */
function picturesIn(part = document) {
  return [...part.querySelectorAll("*")].flatMap((element) => {
    const own = /** @type {import("#canvas/picture.js").Anchor} */ (element).tlmvizPicture;
    if (own) return element.getClientRects().length ? [own] : [];
    if (element.matches(".js-plotly-plot")) return /** @type {Plot} */ (element)._fullLayout ? [pictureOfChart(/** @type {Plot} */ (element))] : [];
    return element.shadowRoot ? picturesIn(element.shadowRoot) : [];
  });
}

/**
 * A figure of another size: scaled, or in the middle where both sides are asked for.
 * @param {Figure} figure
 * @param {number | null} wide
 * @param {number | null} high
 * @returns {Figure}
 */
function resized(figure, wide, high) {
  const width = wide ?? (high ? (figure.width * high) / figure.height : figure.width);
  const height = high ?? (figure.height * width) / figure.width;
  const svg = figure.svg.replace(/<svg\b[^>]*>/, (tag) => tag.replace(/ width="[^"]*"/, ` width="${width}"`).replace(/ height="[^"]*"/, ` height="${height}"`));
  return { ...figure, svg, width, height };
}

let begins = Promise.resolve(); // until the server has begun with the link that the page was sent to last

/**
 * Until the server begins to draw the page; watched from when it is asked on, as it may be done before anybody looks.
 * @returns {Promise<void>}
 */
function beginning() {
  return new Promise((done) => {
    const end = () => {
      watch.disconnect();
      done();
    };
    const watch = new MutationObserver(() => appRests() || end());
    watch.observe(document.body, { subtree: true, attributes: true, attributeFilter: ["data-test-script-state"] });
    setTimeout(end, BEGINS);
  });
}

/** Whether the server has drawn the page and nothing is on its way. */
function isIdle() {
  if (!appRests() || document.querySelector('[data-stale="true"], [data-testid="stSkeleton"], [data-testid="stSpinner"]')) return false;
  return [...document.querySelectorAll(".stPlotlyChart")].every((chart) => chart.querySelector(".main-svg"));
}

const viewRoots = () => [...document.querySelectorAll('[data-testid="stBidiComponentIsolated"]')].map(({ shadowRoot }) => shadowRoot);

/** Whether a part of the page below its pictures has not arrived. */
const awaitsPart = () => viewRoots().some((root) => root?.querySelector("[data-awaited]"));

/** How many views have nothing in them yet; one may stay so, where its page has nothing to show in it. */
function countBlank() {
  return viewRoots().filter((root) => !root || (root.childElementCount < 2 && !root.querySelector("i[hidden]"))).length;
}

/**
 * Wait until all that a page shows is there; at most `patience` milliseconds.
 * @param {number | string | null} wanted a picture that may come below others, once they are painted
 * @param {number} patience
 * @returns {Promise<boolean>} whether it stands still
 */
async function standStill(wanted, patience) {
  const begun = performance.now();
  await begins;
  let [before, since] = ["", begun];
  for (let now = begun; now - begun < patience; now = performance.now()) {
    const blank = countBlank();
    const state = isIdle() && !(wanted !== null && awaitsPart()) ? [blank, location.search, document.getElementsByTagName("*").length].join() : "";
    if (!state || state !== before) [before, since] = [state, now];
    else if (now - since > SLOW || (now - since > QUICK && !blank && (wanted === null || place(picturesIn(), wanted) >= 0))) return true;
    await pause(GLANCE);
  }
  return false;
}

const pause = (/** @type {number} */ milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** Whether the app's menu does not name the page that the address does; to Streamlit the page before stays then. */
function isLost() {
  if ([...document.querySelectorAll('[role="dialog"]')].some((dialog) => dialog.textContent?.includes("Page not found"))) return true;
  const entries = [...document.querySelectorAll('[data-testid="stSidebarNavLink"]')].map((entry) => new URL(/** @type {HTMLAnchorElement} */ (entry).href).pathname);
  return entries.length > 0 && !entries.includes(location.pathname);
}

/**
 * Which picture is wanted: by its number from 1, by a part of its title, or the one that stands for the page; -1 where it is not there.
 * @param {Picture[]} among
 * @param {number | string | null} wanted
 */
function place(among, wanted) {
  if (typeof wanted === "string") return among.findIndex((picture) => picture.figure().title.toLowerCase().includes(wanted.toLowerCase()));
  const index = wanted === null ? Math.max(0, among.findIndex((picture) => picture.main)) : wanted - 1;
  return index < among.length ? index : -1;
}

/** What drives a page from outside, `tlmviz shot`, asks here for its pictures. */
export const pictures = {
  /**
   * Go to another link of the app, as along a card: nothing is loaded anew.
   * @param {string} address
   */
  follow(address) {
    history.pushState({}, "", address);
    dispatchEvent(new PopStateEvent("popstate"));
    begins = beginning();
  },
  /**
   * What the page shows once it stands still: the titles of its pictures, which of them is asked for or else stands for the
   * page (-1: none), its address, what it says went wrong, whether the server has no such page,
   * and whether it stands still at all.
   * @param {number | string | null} wanted
   * @param {number} patience
   */
  async settled(wanted, patience) {
    if (wanted !== null) wantWhole();
    const done = await standStill(wanted, patience);
    const there = picturesIn();
    const alerts = document.querySelectorAll('[data-testid="stAlertContainer"], [data-testid="stException"]');
    return {
      titles: there.map((picture) => picture.figure().title),
      index: place(there, wanted),
      address: location.href,
      said: alerts[0]?.textContent?.trim() ?? "",
      lost: isLost(),
      done,
    };
  },
  /**
   * A picture as a file.
   * @param {number} index
   * @param {Wanted} wanted
   */
  file(index, { format, link, asShown, width, height }) {
    const picture = picturesIn()[index];
    const figure = resized(picture.figure(asShown), width, height);
    const about = aboutFigure(figure, link);
    const text = format === "html" ? offlinePage(figure, writtenData(picture.data()), about) : describedSvg(figure, about);
    return { ...about, text, width: figure.width, height: figure.height };
  },
};
