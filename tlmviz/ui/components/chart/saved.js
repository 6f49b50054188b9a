// @ts-check
// A chart's menu *Save*, and the chart as a figure of its own.

import { styledPictureButton } from "#canvas/picture.js";
import { pageGround } from "#canvas/theme.js";
import { withMinus } from "#components/page_script/plotly.js";
import { _ } from "#canvas/language.js";

/** @typedef {import("#canvas/picture.js").Figure} Figure */
/** @typedef {HTMLElement & { data?: any, layout?: any, _fullLayout?: any }} Plot */

// Parts of a chart that are there to be pointed at or pressed, and no part of its picture.
const HANDLES = ".hoverlayer, .zoomlayer, .draglayer, .updatemenu-container, .slider-container";

/**
 * The button that opens a chart's menu.
 * @param {Plot} plot
 */
export function chartButton(plot) {
  const shown = { get data() { return { data: plot.data, layout: plot.layout }; } }; // as it is when it is asked for
  return styledPictureButton({ component: shown }, _("this chart"), () => figureOfChart(plot));
}

/**
 * A chart as it is on the page. Plotly keeps the styles of what it draws beside it, so that its elements can stand alone.
 * @param {Plot} plot
 * @returns {Figure}
 */
function figureOfChart(plot) {
  const { width, font } = plot._fullLayout;
  const paper = pageGround(); // a chart has none of its own
  const height = heightOfChart(plot);
  const sheets = [...plot.querySelectorAll(".main-svg")];
  const layers = [...plot.querySelectorAll(".gl-container canvas")].map((canvas) => imageOfChart(/** @type {HTMLCanvasElement} */ (canvas), plot));
  const parts = sheets.map((sheet) => {
    const copy = /** @type {SVGElement} */ (sheet.cloneNode(true));
    for (const handle of copy.querySelectorAll(HANDLES)) handle.remove();
    const address = location.href.replace(/#.*$/, "");
    for (const element of copy.querySelectorAll("*")) ownReferences(element, address);
    return new XMLSerializer().serializeToString(copy).replace(/^<svg[^>]*>|<\/svg>$/g, "");
  });
  parts.splice(1, 0, ...layers);
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="${width}" height="${height}" viewBox="0 0 ${width} ` +
    `${height}" style="background: ${paper}"><rect width="${width}" height="${height}" fill="${paper}"/>\n${parts.join("\n")}\n</svg>\n`;
  return { name: `tlmviz-${keyOfChart(plot)}`, title: titleOfChart(plot), svg: svg.replaceAll("font-family: &quot;&quot;", `font-family: ${font.family}`),
    width, height };
}

/**
 * Pixels of a chart's height down to its player, where it has one below it.
 * @param {Plot} plot
 */
function heightOfChart(plot) {
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
function imageOfChart(canvas, plot) {
  const [box, origin] = [canvas.getBoundingClientRect(), plot.getBoundingClientRect()];
  return `<image x="${box.x - origin.x}" y="${box.y - origin.y}" width="${box.width}" height="${box.height}" href="${canvas.toDataURL("image/png")}"/>`;
}

/**
 * The key that the page gave a chart: the class of a container of Streamlit.
 * @param {Element} element
 */
function keyOfChart(element) {
  const named = element.closest("[class*='st-key-']");
  return named?.className.match(/st-key-(\S+)/)?.[1] ?? "chart";
}

/**
 * What a chart shows, as its title or its description for screen readers says it.
 * @param {Plot} plot
 */
function titleOfChart(plot) {
  const title = plot._fullLayout.title?.text || plot.closest("[aria-label]")?.getAttribute("aria-label") || keyOfChart(plot);
  return withMinus(title.replace(/<br *\/?>/g, " · ").replace(/<[^>]*>/g, ""));
}
