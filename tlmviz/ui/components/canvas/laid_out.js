// @ts-check
// A view that the browser lays out, texts, boxes, tables and canvases, as one figure whose text stays text.

import { escape, make } from "#canvas/dom.js";
import { drawnOn, keepDrawing } from "#canvas/drawings.js";
import { round, svgFile, svgPen } from "#canvas/pens.js";
import { styledPictureButton } from "#canvas/picture.js";
import { pageGround } from "#canvas/theme.js";

/** @typedef {{ x: number, y: number, width: number, height: number }} Box */

const PRESSED = ".picture-menu, input[type=range], [data-pressed]"; // there to be pressed, and no part of the picture
const SHEET_MARGIN = 12; // pixels around what is shown

/**
 * Put the menu of a view that the browser lays out behind it. Called once, when the view is in its place and before it is drawn.
 * @param {{ root: HTMLElement, pictureMenu?: HTMLElement, component?: { data: any } }} v
 * @param {string} title what it shows
 * @param {boolean} [main] whether it stands for its page
 */
export function addMenu(v, title, main = false) {
  for (const canvas of v.root.querySelectorAll("canvas")) keepDrawing(canvas);
  const button = styledPictureButton(v, "this view", () => laidOutFigure(v.root, title), { main });
  v.pictureMenu = make("div", { className: "laid-out-menu" }, button);
  Object.assign(v.pictureMenu.style, { display: "flex", justifyContent: "flex-end", marginTop: "4px", color: "var(--st-text-color)",
    fontFamily: "var(--st-font)" });
  v.root.after(v.pictureMenu);
}

/**
 * What an element shows, in the colours of the page.
 * @param {HTMLElement} root
 * @param {string} title
 */
export function laidOutFigure(root, title) {
  const origin = root.getBoundingClientRect();
  const family = getComputedStyle(root).fontFamily;
  const [width, height] = [Math.ceil(origin.width) + 2 * SHEET_MARGIN, Math.ceil(origin.height) + 2 * SHEET_MARGIN];
  /** @type {string[]} */
  const parts = [`<rect width="${width}" height="${height}" fill="${pageGround()}"/>`];
  writeElement(root, { parts, family, left: origin.left - SHEET_MARGIN, top: origin.top - SHEET_MARGIN }, 1);
  return { name: `tlmviz-${title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "")}`, title, svg: svgFile(parts, width, height, family), width,
    height };
}

/** @typedef {{ parts: string[], family: string, left: number, top: number }} Sheet `left`, `top`: the sheet's corner in the window */

/**
 * @param {Element} element
 * @param {Sheet} sheet
 * @param {number} above the opacity of what it lies in
 */
function writeElement(element, sheet, above) {
  if (element.matches(PRESSED) || !element.getClientRects().length) return;
  const style = getComputedStyle(element);
  const alpha = above * Number(style.opacity);
  if (style.visibility !== "hidden" && alpha > 0) writeOwn(/** @type {HTMLElement} */ (element), style, sheet, alpha);
  for (const child of element.childNodes) {
    if (child instanceof Text) {
      if (style.visibility !== "hidden") writeText(child, style, sheet, alpha);
    } else if (child instanceof Element && child.tagName !== "STYLE") writeElement(child, sheet, alpha);
  }
}

/**
 * What an element is without its children: its ground and frame, a canvas's drawing, a field's text.
 * @param {HTMLElement} element
 * @param {CSSStyleDeclaration} style
 * @param {Sheet} sheet
 * @param {number} alpha
 */
function writeOwn(element, style, sheet, alpha) {
  for (const rect of element.getClientRects()) writeBox({ x: rect.left - sheet.left, y: rect.top - sheet.top, width: rect.width, height: rect.height }, style,
    sheet, alpha);
  const rect = element.getBoundingClientRect();
  const [x, y] = [rect.left - sheet.left, rect.top - sheet.top];
  if (element instanceof HTMLCanvasElement) writeCanvas(element, { x, y, width: rect.width, height: rect.height }, sheet);
  if (element instanceof HTMLInputElement && element.type === "checkbox") {
    if (element.checked)
      sheet.parts.push(
      `<path d="M${round(x + 2)} ${round(y + rect.height / 2)}l${round(rect.width / 4)} ${round(rect.height / 4)}l${round(rect.width / 2.4)} ` +
      `${round(-rect.height / 2)}" fill="none" stroke="${style.color}" stroke-width="2"/>`);
    sheet.parts.push(
      `<rect x="${round(x)}" y="${round(y)}" width="${round(rect.width)}" height="${round(rect.height)}" rx="2" fill="none" stroke="${style.color}"/>`);
  } else if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) {
    writeLine(element.value, { x: x + parseFloat(style.paddingLeft), y, width: 0, height: rect.height }, style, sheet, alpha);
  }
}

/**
 * @param {Box} box
 * @param {CSSStyleDeclaration} style
 * @param {Sheet} sheet
 * @param {number} alpha
 */
function writeBox({ x, y, width, height }, style, sheet, alpha) {
  const radius = Math.min(parseFloat(style.borderTopLeftRadius) || 0, width / 2, height / 2);
  const faded = alpha < 1 ? ` opacity="${round(alpha)}"` : "";
  if (isInked(style.backgroundColor))
    sheet.parts.push(
    `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="${round(radius)}" fill="${style.backgroundColor}"${faded}/>`);
  if (style.outlineStyle !== "none" && isInked(style.outlineColor)) {
    const [stroke, off] = [parseFloat(style.outlineWidth), parseFloat(style.outlineOffset) + parseFloat(style.outlineWidth) / 2];
    sheet.parts.push(
      `<rect x="${round(x - off)}" y="${round(y - off)}" width="${round(width + 2 * off)}" height="${round(height + 2 * off)}" rx="${round(radius)}" ` +
      `fill="none" stroke="${style.outlineColor}" stroke-width="${stroke}"${faded}/>`);
  }
  const sides = /** @type {const} */ (["Top", "Right", "Bottom", "Left"]).map((side) => {
    const [stroke, color, kind] = [parseFloat(style[`border${side}Width`]), style[`border${side}Color`], style[`border${side}Style`]];
    return { stroke: kind === "none" || kind === "hidden" || !isInked(color) ? 0 : stroke, color,
      dash: kind === "dashed" ? ' stroke-dasharray="4 3"' : kind === "dotted" ? ' stroke-dasharray="1 2"' : "" };
  });
  const [first] = sides;
  if (sides.every(({ stroke, color }) => stroke > 0 && stroke === first.stroke && color === first.color)) {
    const half = first.stroke / 2;
    sheet.parts.push(`<rect x="${round(x + half)}" y="${round(y + half)}" width="${round(Math.max(0, width - first.stroke))}" height="${round(Math.max(0,
      height - first.stroke))}" rx="${round(radius)}" fill="none" stroke="${first.color}" stroke-width="${first.stroke}"${first.dash}${faded}/>`);
    return;
  }
  const ends = [[x, y, x + width, y], [x + width, y, x + width, y + height], [x, y + height, x + width, y + height], [x, y, x, y + height]];
  sides.forEach(({ stroke, color, dash }, i) => {
    const [x1, y1, x2, y2] = ends[i].map(round);
    if (stroke) sheet.parts.push(`<path d="M${x1} ${y1}L${x2} ${y2}" stroke="${color}" stroke-width="${stroke}"${dash}${faded}/>`);
  });
}

/** @param {string} color as computed */
function isInked(color) {
  return color !== "transparent" && !/^rgba\(.*, 0\)$/.test(color);
}

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Box} box
 * @param {Sheet} sheet
 */
function writeCanvas(canvas, { x, y, width, height }, sheet) {
  const pen = svgPen({ font: sheet.family });
  const strokes = drawnOn(canvas);
  if (strokes.length) pen.shifted(x, y, () => strokes.forEach((stroke) => stroke(pen)));
  else if (canvas.width && canvas.height) pen.image(canvas, x, y, width, height);
  sheet.parts.push(...pen.parts);
}

/**
 * A text, line by line as the browser broke it.
 * @param {Text} text
 * @param {CSSStyleDeclaration} style
 * @param {Sheet} sheet
 * @param {number} alpha
 */
function writeText(text, style, sheet, alpha) {
  const range = document.createRange();
  let [line, box] = ["", /** @type {Box | null} */ (null)];
  const end = () => box && line.trim() && writeLine(line.trimEnd(), box, style, sheet, alpha);
  for (const { index, 0: word } of text.data.matchAll(/\s+|[^\s]+/g)) {
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    const rect = [...range.getClientRects()].find(({ width }) => width > 0);
    if (!rect) continue;
    const at = { x: rect.left - sheet.left, y: rect.top - sheet.top, width: rect.width, height: rect.height };
    if (box && Math.abs(at.y - box.y) < 2) box.width = word.trim() ? at.x + at.width - box.x : box.width;
    else {
      end();
      [line, box] = ["", word.trim() ? at : null];
    }
    if (box) line += style.whiteSpace.startsWith("pre") ? word : word.replace(/\s+/g, " ");
  }
  end();
}

/**
 * One line of text, as wide as it is on the page, whatever fonts there are where the file is seen.
 * @param {string} line
 * @param {Box} box
 * @param {CSSStyleDeclaration} style
 * @param {Sheet} sheet
 * @param {number} alpha
 */
function writeLine(line, { x, y, width, height }, style, sheet, alpha) {
  const family = style.fontFamily === sheet.family ? "" : ` font-family="${escape(style.fontFamily)}"`;
  const shown = { uppercase: line.toUpperCase(), lowercase: line.toLowerCase() }[style.textTransform] ?? line;
  const fill = style.color;
  const through = ["line-through", "underline"].find((each) => style.textDecorationLine.includes(each));
  const marks = `${style.fontStyle === "italic" ? ' font-style="italic"' : ""}${through ? ` text-decoration="${through}"` : ""}`;
  const fitted = width > 0 ? ` textLength="${round(width)}" lengthAdjust="spacingAndGlyphs"` : "";
  sheet.parts.push(
    `<text x="${round(x)}" y="${round(y + height / 2)}" dy="0.35em" fill="${fill}" font-size="${parseFloat(style.fontSize)}" ` +
    `font-weight="${style.fontWeight}"${family}${marks}${fitted}${alpha < 1 ? ` opacity="${round(alpha)}"` : ""} xml:space="preserve">${escape(shown)}</text>`);
}
