// @ts-check
// Two drawing backends with one interface: a canvas and SVG. And files of what they draw.

import { escape } from "#canvas/dom.js";
import { forgetDrawing, recordingPen } from "#canvas/drawings.js";
import { clip, visible } from "#canvas/text.js";
import { font, hiddenContext } from "#canvas/theme.js";

/** @typedef {Pick<import("#canvas/theme.js").Theme, "font">} Fonts */
/** @typedef {Pick<import("#canvas/theme.js").Theme, "font" | "background">} Paper */
/** @typedef {{ x: number, y: number, size: number }} Cut a square of an image */
/**
 * `token`: the text is a token, written in at most so many pixels. `rotate` in radians, `size` in pixels.
 * @typedef {{ align?: "left" | "center" | "right", rotate?: number, token?: number, color: string, weight?: number, size?: number }} TextOptions
 */
/** @typedef {{ alpha?: number, width?: number, cell?: number }} RectOptions `width` of the stroke; `cell` becomes data-cell in SVG */
/** @typedef {{ width?: number, dash?: string }} LineOptions `dash` as in SVG: "5 4" */
/**
 * Coordinates in CSS pixels, y downwards; a text stands in the middle of its line. Colours are CSS colours.
 * @typedef {object} Pen
 * @property {(x: number, y: number, text: string | number, options: TextOptions) => void} text
 * @property {(x1: number, y1: number, x2: number, y2: number, color: string, options?: LineOptions) => void} line
 * @property {(x: number, y: number, width: number, height: number, fill: string | null, stroke?: string | null, options?: RectOptions) => void} rect
 * @property {(x: number, y: number, radius: number, color: string, alpha?: number) => void} circle
 * @property {(source: HTMLCanvasElement, x: number, y: number, width: number, height: number, cut?: Cut | null) => void} image
 * @property {(d: string, color: string, width: number, alpha?: number, dash?: string) => void} path
 * @property {(d: string, color: string, alpha?: number) => void} shape fills a path
 * @property {(d: string, color: string) => void} hatch fills a path with slanted lines
 * @property {(x: number, y: number, draw: () => void) => void} shifted moves the origin for what `draw` draws
 */

let hatches = 0; // patterns of SVG files are told apart by their ids, also of two files in one page

/** @type {Map<string, string>} */
const labels = new Map(); // measuring text is slow, and tokens repeat

/**
 * A token's label that fits into `limit` pixels in the context's font.
 * @param {CanvasRenderingContext2D} context
 * @param {string} token
 * @param {number} limit
 * @returns {string}
 */
export function tokenLabel(context, token, limit) {
  const key = `${context.font}|${token}`;
  let text = labels.get(key);
  if (text === undefined) {
    if (labels.size > 5000) labels.clear();
    labels.set(key, (text = shorten(context, token, limit)));
  }
  return text;
}

/**
 * @param {CanvasRenderingContext2D} context
 * @param {string} token
 * @param {number} limit
 */
function shorten(context, token, limit) {
  let text = clip(visible(token), 14);
  for (let length = 13; length > 1 && context.measureText(text).width > limit; length--) text = clip(visible(token), length);
  return text;
}

/**
 * Make a canvas sharp on this screen and return its context in CSS pixels.
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 * @param {number} [ratio] screen pixels per CSS pixel
 */
export function fit(canvas, width, height, ratio = window.devicePixelRatio || 1) {
  const w = Math.round(width * ratio);
  const h = Math.round(height * ratio);
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  forgetDrawing(canvas);
  return context;
}

/**
 * Draws on a canvas.
 * @param {CanvasRenderingContext2D} ctx
 * @param {Fonts} theme
 * @returns {Pen}
 */
export function canvasPen(ctx, theme) {
  return recordingPen(ctx.canvas, paintingPen(ctx, theme));
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {Fonts} theme
 * @returns {Pen}
 */
function paintingPen(ctx, theme) {
  const stroked = (/** @type {string} */ color, /** @type {number} */ width, dash = "") => {
    ctx.strokeStyle = color;
    ctx.lineWidth = width;
    ctx.setLineDash(dash ? dash.split(" ").map(Number) : []);
  };
  return {
    text(x, y, text, { align = "left", rotate = 0, token = 0, color, weight = 400, size = 11 }) {
      ctx.save();
      ctx.font = font(theme, size, weight);
      ctx.fillStyle = color;
      ctx.textAlign = align;
      ctx.textBaseline = "middle";
      ctx.direction = "ltr";
      ctx.translate(x, y);
      ctx.rotate(rotate);
      ctx.fillText(token ? `\u2068${tokenLabel(ctx, String(text), token)}\u2069` : String(text), 0, 0.5);
      ctx.restore();
    },
    line(x1, y1, x2, y2, color, { width = 1, dash } = {}) {
      stroked(color, width, dash);
      ctx.beginPath();
      ctx.moveTo(x1, y1);
      ctx.lineTo(x2, y2);
      ctx.stroke();
    },
    rect(x, y, width, height, fill, outline, { alpha = 1, width: lineWidth = 1 } = {}) {
      ctx.globalAlpha = alpha;
      if (fill) {
        ctx.fillStyle = fill;
        ctx.fillRect(x, y, width, height);
      }
      if (outline) {
        stroked(outline, lineWidth);
        ctx.strokeRect(x, y, width, height);
      }
      ctx.globalAlpha = 1;
    },
    circle(x, y, radius, color, alpha = 1) {
      ctx.globalAlpha = alpha;
      ctx.fillStyle = color;
      ctx.beginPath();
      ctx.arc(x, y, radius, 0, 2 * Math.PI);
      ctx.fill();
      ctx.globalAlpha = 1;
    },
    image(source, x, y, width, height, cut) {
      ctx.imageSmoothingEnabled = false;
      if (cut) ctx.drawImage(source, cut.x, cut.y, cut.size, cut.size, x, y, width, height);
      else ctx.drawImage(source, x, y, width, height);
    },
    path(d, color, width, alpha = 1, dash = "") {
      ctx.globalAlpha = alpha;
      ctx.lineCap = "round";
      stroked(color, width, dash);
      ctx.stroke(new Path2D(d));
      ctx.lineCap = "butt";
      ctx.globalAlpha = 1;
    },
    shape(d, color, alpha = 1) {
      ctx.globalAlpha = alpha;
      ctx.fillStyle = color;
      ctx.fill(new Path2D(d));
      ctx.globalAlpha = 1;
    },
    hatch(d, color) {
      ctx.save();
      ctx.clip(new Path2D(d));
      const { clientWidth: w, clientHeight: h } = ctx.canvas;
      const reach = (w || ctx.canvas.width) + (h || ctx.canvas.height);
      stroked(color, 1);
      ctx.beginPath();
      for (let s = 0; s < reach; s += 7) {
        ctx.moveTo(s, 0);
        ctx.lineTo(0, s);
      }
      ctx.stroke();
      ctx.restore();
    },
    shifted(x, y, draw) {
      ctx.save();
      ctx.translate(x, y);
      draw();
      ctx.restore();
    },
  };
}

/**
 * Two decimals, for SVG.
 * @param {number} x
 */
export function round(x) {
  return Math.round(x * 100) / 100;
}

/**
 * Writes SVG elements into its `parts`, and its headings, in bold of 13 pixels or more, into `headings`.
 * @param {Fonts} theme
 * @returns {Pen & { parts: string[], headings: string[] }}
 */
export function svgPen(theme) {
  /** @type {string[]} */
  const parts = [];
  /** @type {string[]} */
  const headings = [];
  const anchors = { left: "start", center: "middle", right: "end" };
  return {
    parts,
    headings,
    text(x, y, text, { align = "left", rotate = 0, token = 0, color, weight = 400, size = 11 }) {
      let line = String(text);
      if (weight >= 600 && size >= 13 && !token) headings.push(line.replace(/[\u2068\u2069]/g, ""));
      if (token) {
        const context = hiddenContext();
        context.font = font(theme, size, weight);
        line = `\u2068${tokenLabel(context, line, token)}\u2069`;
      }
      const turn = rotate ? ` transform="rotate(${round((rotate * 180) / Math.PI)} ${round(x)} ${round(y)})"` : "";
      parts.push(
        `<text x="${round(x)}" y="${round(y)}" dy="0.35em" text-anchor="${anchors[align]}" fill="${color}" font-size="${size}" font-weight="${weight}"` +
        `${turn}>${escape(line)}</text>`);
    },
    line(x1, y1, x2, y2, color, { width = 1, dash = "" } = {}) {
      parts.push(`<path d="M${round(x1)} ${round(y1)}L${round(x2)} ${round(y2)}" stroke="${color}" stroke-width="${width}" fill="none"${dashed(dash)}/>`);
    },
    rect(x, y, width, height, fill, stroke, { alpha = 1, width: lineWidth = 1, cell } = {}) {
      const mark = cell === undefined ? "" : ` data-cell="${cell}"`;
      parts.push(
        `<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" fill="${fill || "none"}" stroke="${stroke || "none"}" ` +
        `stroke-width="${lineWidth}" opacity="${round(alpha)}"${mark}/>`);
    },
    circle(x, y, radius, color, alpha = 1) {
      parts.push(`<circle cx="${round(x)}" cy="${round(y)}" r="${round(radius)}" fill="${color}" opacity="${round(alpha)}"/>`);
    },
    image(source, x, y, width, height, cut) {
      const picture = cut ? cropped(source, cut) : source;
      parts.push(
        `<image x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" preserveAspectRatio="none" image-rendering="pixelated" ` +
        `style="image-rendering:pixelated" href="${picture.toDataURL("image/png")}"/>`);
    },
    path(d, color, width, alpha = 1, dash = "") {
      parts.push(
        `<path d="${d}" stroke="${color}" stroke-width="${round(width)}" stroke-opacity="${round(alpha)}" stroke-linecap="round" fill="none"${dashed(dash)}/>`);
    },
    shape(d, color, alpha = 1) {
      parts.push(`<path d="${d}" fill="${color}" fill-opacity="${round(alpha)}"/>`);
    },
    hatch(d, color) {
      const id = `hatch${hatches++}`;
      parts.push(
        `<pattern id="${id}" width="7" height="7" patternUnits="userSpaceOnUse"><path d="M-1 1L1 -1M0 7L7 0M6 8L8 6" stroke="${color}"/></pattern><path ` +
        `d="${d}" fill="url(#${id})"/>`);
    },
    shifted(x, y, draw) {
      parts.push(`<g transform="translate(${round(x)} ${round(y)})">`);
      draw();
      parts.push("</g>");
    },
  };
}

/** @param {string} dash */
function dashed(dash) {
  return dash ? ` stroke-dasharray="${dash}"` : "";
}

/**
 * @param {HTMLCanvasElement} source
 * @param {Cut} cut
 */
function cropped(source, cut) {
  const picture = document.createElement("canvas");
  picture.width = picture.height = Math.max(1, Math.round(cut.size));
  const context = /** @type {CanvasRenderingContext2D} */ (picture.getContext("2d"));
  context.drawImage(source, cut.x, cut.y, cut.size, cut.size, 0, 0, picture.width, picture.height);
  return picture;
}

/**
 * A whole SVG file of what a pen has written.
 * @param {string[]} parts
 * @param {number} width
 * @param {number} height
 * @param {string} family fonts
 */
export function svgFile(parts, width, height, family) {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${escape(family)}">\n` +
    `${parts.join("\n")}\n</svg>\n`;
}

/**
 * A figure as a file, on the theme's background. Its title is the one that is given, its first heading, or else its name.
 * @param {string} name of the file, without an ending
 * @param {{ width: number, height: number, theme: Paper, title?: string }} page
 * @param {(pen: ReturnType<typeof svgPen>) => void} draw
 */
export function figureOf(name, { width, height, theme, title }, draw) {
  const pen = svgPen(theme);
  pen.rect(0, 0, width, height, theme.background);
  draw(pen);
  return { name, title: title || (pen.headings[0] ?? name.replace(/^tlmviz-/, "").replaceAll("-", " ")), svg: svgFile(pen.parts, width, height, theme.font),
    width, height };
}
