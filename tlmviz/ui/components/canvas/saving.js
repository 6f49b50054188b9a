// @ts-check
// A live view as a figure of its own: its title, its legend, and what it draws, cropped to that.

import { captionLines } from "#canvas/caption.js";
import { measuredPen } from "#canvas/extent.js";
import { figureOf, svgPen } from "#canvas/pens.js";
import { textWidth } from "#canvas/theme.js";

/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {{ name: string, color: string }} Swatch an entry of a legend */

const MARGIN = 16; // pixels around it
const ENTRY = 34; // pixels of an entry of a legend beside its name
const EMPTY = 48; // pixels beside a drawing that are worth a file of another width
const LEAST_INNER = 420 - 2 * MARGIN; // pixels for the title and the legend above a narrow drawing

/**
 * A figure at most so wide. It begins and ends where the drawing does, and its title, its legend and what is `said` of it are broken into lines above that.
 * @param {string} name of the file, without an ending
 * @param {{ title: string, said?: string, legend: Swatch[], theme: Theme, width: number, height: (width: number) => number, draw: (pen: Pen, theme: Theme,
 *   width: number) => void }} parts
 */
export function savedFigure(name, { title, said = "", legend, theme, width: most, height, draw }) {
  const room = most - 2 * MARGIN;
  const written = svgPen(theme);
  const { extent, pen: drawing } = measuredPen(written, theme);
  draw(drawing, theme, room);
  const from = Math.max(0, Math.min(extent.right, Math.floor(extent.left)));
  const needed = Math.max(LEAST_INNER, Math.ceil(extent.right) - from);
  const [left, inner] = room - needed > EMPTY ? [from, needed] : [0, room];
  const high = Math.min(height(room), Math.ceil(extent.bottom) + 1);
  const rows = legendRows(legend, inner, (entry) => ENTRY + textWidth(theme, entry, 12));
  const lines = captionLines(title, inner, (line) => textWidth(theme, line, 14, 600));
  const first = 18 + 19 * Math.max(0, lines.length - 1); // the last of them
  const below = first + 16 + 18 * rows.length;
  const sentences = captionLines(said, inner, (line) => textWidth(theme, line, 11));
  const top = below + 15 * sentences.length;
  return figureOf(name, { width: inner + 2 * MARGIN, height: top + high + MARGIN, theme, title }, (pen) => {
    lines.forEach((line, i) => pen.text(MARGIN, 18 + 19 * i, line, { color: theme.text, size: 14, weight: 600 }));
    rows.forEach((row, i) => row.forEach(({ name: entry, color, x }) => {
      pen.rect(MARGIN + x, first + 17 + 18 * i, 10, 10, color);
      pen.text(MARGIN + x + 15, first + 22 + 18 * i, entry, { color: theme.muted, size: 12 });
    }));
    sentences.forEach((line, i) => pen.text(MARGIN, below + 4 + 15 * i, line, { color: theme.muted, size: 11 }));
    pen.headings.push(...written.headings);
    pen.shifted(MARGIN - left, top, () => pen.parts.push(...written.parts));
  });
}

/**
 * A legend's entries in rows that a width has room for, each with its x.
 * @param {Swatch[]} entries
 * @param {number} room
 * @param {(name: string) => number} measure
 */
function legendRows(entries, room, measure) {
  /** @type {(Swatch & { x: number })[][]} */
  const rows = [];
  let x = 0;
  for (const entry of entries) {
    const wide = measure(entry.name);
    if (!rows.length || (x > 0 && x + wide > room)) {
      rows.push([]);
      x = 0;
    }
    rows[rows.length - 1].push({ ...entry, x });
    x += wide;
  }
  return rows;
}
