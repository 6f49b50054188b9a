// @ts-check
// Colours: Streamlit's theme, the palette that the server sends, and lookup tables for the colour scales.

import { fileWishes } from "#canvas/wishes.js";

/** @typedef {{ sequential: string[], diverging: string[], places: string[], missing: string }} Scales */
/** @typedef {{ light: Scales, dark: Scales, heads: string[] }} Palette as `figures.palette()` in Python */
/**
 * Every colour of a view. `sequential`, `diverging` and `places` are tables of 256 colours, bytes [256 * 3].
 * @typedef {object} Theme
 * @property {string} id equal for equal themes
 * @property {boolean} dark
 * @property {string} background
 * @property {string} text
 * @property {string} muted text of less weight
 * @property {string} faint lines
 * @property {string} primary
 * @property {string} font
 * @property {string[]} heads colours that tell things apart
 * @property {string} missing
 * @property {number[]} missingRgb
 * @property {Uint8Array} sequential
 * @property {Uint8Array} diverging
 * @property {Uint8Array} places of a token's place in its text, from the first to the last
 */

/** @type {CanvasRenderingContext2D | null} */
let hidden = null; // made when it is first used, so that this file loads without a DOM

/** The context of a canvas that is never shown, to read colours and to measure text. */
export function hiddenContext() {
  hidden ??= /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d", { willReadFrequently: true }));
  return hidden;
}

/** @type {Map<string, number[]>} */
const known = new Map();

/**
 * Any CSS colour as [r, g, b].
 * @param {string} color
 * @returns {number[]}
 */
export function rgb(color) {
  let value = known.get(color);
  if (!value) {
    const context = hiddenContext();
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = "#000";
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    known.set(color, (value = Array.from(context.getImageData(0, 0, 1, 1).data.slice(0, 3))));
  }
  return value;
}

/** How strong a colour of `heads` may be behind text: it is read at 4.5 to 1 then, in both themes (WCAG AA). */
export const BEHIND_TEXT = 0.55;

/**
 * @param {string} color
 * @param {number} alpha
 */
export function fade(color, alpha) {
  const [r, g, b] = rgb(color);
  return `rgba(${r},${g},${b},${alpha})`;
}

/**
 * 256 colours between the stops, as bytes [256 * 3].
 * @param {string[]} stops
 * @returns {Uint8Array}
 */
export function ramp(stops) {
  const points = stops.map(rgb);
  const table = new Uint8Array(256 * 3);
  for (let i = 0; i < 256; i++) {
    const x = (i / 255) * (points.length - 1);
    const low = Math.min(Math.floor(x), points.length - 2);
    for (let c = 0; c < 3; c++) {
      table[3 * i + c] = Math.round(points[low][c] + (x - low) * (points[low + 1][c] - points[low][c]));
    }
  }
  return table;
}

/**
 * The colour at a share of a scale, 0 to 1, as [r, g, b].
 * @param {Uint8Array} table
 * @param {number} share
 */
export function shadeRgb(table, share) {
  const k = 3 * Math.round(255 * Math.max(0, Math.min(1, share)));
  return [table[k], table[k + 1], table[k + 2]];
}

/**
 * @param {Uint8Array} table
 * @param {number} share from 0 to 1
 */
export function shade(table, share) {
  return `rgb(${shadeRgb(table, share)})`;
}

/**
 * Dark or light ink, whichever is read better on a colour (relative luminance of WCAG 2).
 * @param {number[]} color
 */
export function inkOn(color) {
  const [r, g, b] = color.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? "#10151d" : "#ffffff";
}

/** What the page lies on, as computed. */
export function pageGround() {
  const { backgroundColor } = getComputedStyle(document.querySelector(".stApp") ?? document.body);
  return backgroundColor === "rgba(0, 0, 0, 0)" ? "#ffffff" : backgroundColor;
}

/**
 * The value of a CSS variable at an element.
 * @param {Element} element
 * @param {string} name
 * @param {string} otherwise where it has none
 */
function variable(element, name, otherwise) {
  return getComputedStyle(element).getPropertyValue(name).trim() || otherwise;
}

/**
 * Whether Streamlit's theme at an element has a dark ground.
 * @param {Element} element
 */
export function isDark(element) {
  const [r, g, b] = rgb(variable(element, "--st-background-color", "#ffffff"));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b < 110;
}

/**
 * The colours in force at an element: the previous object as long as none of them has changed.
 * @param {Element} element
 * @param {Palette} colors
 * @param {Theme} [previous]
 * @returns {Theme}
 */
export function readTheme(element, colors, previous) {
  const get = (/** @type {string} */ name, /** @type {string} */ otherwise) => variable(element, name, otherwise);
  const background = get("--st-background-color", "#ffffff");
  const dark = isDark(element);
  const text = get("--st-text-color", dark ? "#fafafa" : "#31333f");
  const primary = get("--st-primary-color", "#ff4b4b");
  const font = get("--st-font", "system-ui, sans-serif");
  const id = [background, text, primary, font, JSON.stringify(colors)].join("|");
  if (previous?.id === id) return previous;
  return { id, dark, background, text, primary, font, ...scales(colors, dark), muted: fade(text, 0.68), faint: fade(text, 0.16) };
}

/**
 * @param {Palette} colors
 * @param {boolean} dark
 */
function scales(colors, dark) {
  const side = colors[dark ? "dark" : "light"];
  return {
    heads: colors.heads,
    missing: side.missing,
    missingRgb: rgb(side.missing),
    sequential: ramp(side.sequential),
    diverging: ramp(side.diverging),
    places: ramp(side.places),
  };
}

// What is printed without colour. The sign of a number is its side of the middle grey: no pair of hues survives a printer.
const GREYS = { sequential: ["#ffffff", "#000000"], diverging: ["#ffffff", "#9a9a9a", "#000000"], places: ["#000000", "#c4c4c4"], missing: "#f1f1f1" };
const GREY_HEADS = ["#000000", "#a3a3a3", "#5c5c5c", "#c9c9c9", "#333333", "#808080", "#b8b8b8", "#474747"]; // neighbours far apart

let asShown = false;

/**
 * What `draw` returns, while figures are saved in the colours of the page and not on paper.
 * @template Result
 * @param {() => Result} draw
 */
export function inShownColors(draw) {
  asShown = true;
  try {
    return draw();
  } finally {
    asShown = false;
  }
}

/**
 * What a figure is saved with: dark text on white, whatever the theme of the app, unless `inShownColors`.
 * @param {Theme} theme
 * @param {Palette} colors
 * @returns {Theme}
 */
export function paperTheme(theme, colors) {
  if (asShown) return theme;
  const { grey } = fileWishes();
  const paper = { background: "#ffffff", text: "#1f2430", muted: "#5b6170", faint: "#d9dbe0", primary: grey ? "#1f1f1f" : "#1f5fa8", dark: false };
  return { ...theme, ...paper, ...scales(grey ? { ...colors, light: GREYS, heads: GREY_HEADS } : colors, false), id: `${theme.id}|${grey ? "grey" : "paper"}` };
}

const COLOR = /#[0-9a-f]{6}\b|rgba?\((\d+), ?(\d+), ?(\d+)|color\(srgb ([\d.]+) ([\d.]+) ([\d.]+)/g;
const WITHOUT_HUE = '<filter id="tlmviz-grey"><feColorMatrix type="saturate" values="0"/></filter>';

/**
 * A picture whose last colours, those that are no part of a theme, are what a printer makes of them: as light as they were.
 * @param {string} svg
 */
export function greyed(svg) {
  const inks = svg.replace(COLOR, (color, ...parts) => {
    const given = parts.slice(0, 6).filter((part) => part !== undefined).map(Number);
    const [r, g, b] = color[0] === "#" ? rgb(color) : given.map((part) => (color[0] === "c" ? 255 * part : part));
    const level = Math.round(0.2126 * r + 0.7152 * g + 0.0722 * b);
    if (color[0] === "#") return `#${level.toString(16).padStart(2, "0").repeat(3)}`;
    return color[0] === "c" ? `rgb(${level} ${level} ${level}` : `${color.slice(0, color.indexOf("("))}(${level},${level},${level}`;
  });
  return inks.includes("<image ") ? inks.replaceAll("<image ", '<image filter="url(#tlmviz-grey)" ').replace(/<svg\b[^>]*>/, (tag) => tag + WITHOUT_HUE) : inks;
}

/**
 * A font for a canvas; `size` in pixels.
 * @param {{ font: string }} theme
 */
export function font(theme, size = 11, weight = 400) {
  return `${weight} ${size}px ${theme.font}`;
}

/**
 * @param {{ font: string }} theme
 * @param {string} text
 * @param {number} [size]
 * @param {number} [weight]
 * @returns {number} pixels
 */
export function textWidth(theme, text, size, weight) {
  const context = hiddenContext();
  context.font = font(theme, size, weight);
  return context.measureText(text).width;
}
