// @ts-check
// The timeline and the memory below it.

import { _ } from "#canvas/language.js";
import { fade, rgb, inkOn, shade } from "#canvas/theme.js";
import { brief, heldAt } from "./moments.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./moments.js").Run} Run */
/** @typedef {Record<"width" | "height" | "left" | "right" | "row" | "bottom" | "title" | "key" | "memory" | "base",
 * number>} Layout left and right of the time axis; height of a row, bottom of the rows; title, key, top and bottom of the memory's chart */

const LEFT = 58;
const RIGHT = 82; // for what is held now
const MEMORY = 104;
const NAME = 70; // a device's name in the memory's key
const TITLE = 190; // what stands beside the key, where there is room
const LATER = 0.3; // of a cell that has not begun

/**
 * Where everything lies, for a width and a number of devices.
 * @param {number} width
 * @param {number} stages
 * @returns {Layout}
 */
export function layoutOf(width, stages) {
  const row = Math.max(14, Math.min(34, Math.round(210 / stages)));
  const bottom = 16 + row * stages;
  const [title, right] = [bottom + 31, width - RIGHT];
  const key = right - LEFT < TITLE + NAME * devicesOf(stages, width).length ? title + 16 : title;
  const memory = key + 13;
  return { width, height: memory + MEMORY + 8, left: LEFT, right, row, bottom, title, key, memory, base: memory + MEMORY - 4 };
}

/**
 * The devices that the memory's key names: the first and last few where not all have room.
 * @param {number} stages
 * @param {number} width
 */
function devicesOf(stages, width) {
  const most = Math.min(6, Math.floor(width / NAME));
  return [...Array(stages).keys()].filter((device) => stages <= most || device < 2 || device >= stages - 2);
}

/**
 * The colour of a kind of work.
 * @param {Theme} theme
 * @param {number} kind
 */
export function colorOf(theme, kind) {
  const [forward, weights, inputs, both] = theme.heads;
  return [forward, theme.heads[5], inputs, weights, both, theme.muted][kind];
}

/**
 * The colour of a device's line of memory.
 * @param {Theme} theme
 * @param {number} device
 * @param {number} stages
 */
function lineOf(theme, device, stages) {
  return shade(theme.places, stages > 1 ? device / (stages - 1) : 0.5);
}

/**
 * The event at a point, or -1.
 * @param {Run} run
 * @param {Layout} layout
 * @param {number} x
 * @param {number} y
 */
export function eventAt({ arrays, header }, layout, x, y) {
  const device = Math.floor((y - 16) / layout.row);
  if (y < 16 || device >= header.stages) return -1;
  const at = timeAt(header, layout, x);
  const half = (y - 16) % layout.row < layout.row / 2 ? 1 : 2;
  for (let e = 0; e < arrays.start.length; e++) {
    if (arrays.device[e] === device && arrays.start[e] <= at && at < arrays.end[e] && (!arrays.half[e] || arrays.half[e] === half)) return e;
  }
  return -1;
}

/**
 * The time at an x, which may lie beside the axis.
 * @param {{ time: number }} header
 * @param {Layout} layout
 * @param {number} x
 */
export function timeAt(header, layout, x) {
  return ((x - layout.left) / (layout.right - layout.left)) * header.time;
}

/**
 * Times for the axis: a round step, about a tick every 60 pixels.
 * @param {number} time
 * @param {number} pixels
 */
export function ticks(time, pixels) {
  const rough = time / Math.max(2, pixels / 60);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((by) => by * power).find((by) => by >= rough * 0.999) ?? rough;
  return Array.from({ length: Math.floor(time / step + 1e-6) + 1 }, (_, k) => k * step);
}

/**
 * @param {Pen} pen
 * @param {Run} run
 * @param {Layout} layout
 * @param {Theme} theme
 * @param {{ at: number, hover: number }} state
 */
export function drawPipeline(pen, run, layout, theme, { at, hover }) {
  const { header } = run;
  const x = (/** @type {number} */ time) => layout.left + (time / header.time) * (layout.right - layout.left);
  drawRows(pen, run, layout, theme, at);
  drawCells(pen, run, layout, theme, { at, hover, x });
  for (const time of ticks(header.time, layout.right - layout.left)) {
    pen.line(x(time), layout.bottom, x(time), layout.bottom + 4, theme.muted);
    pen.text(x(time), layout.bottom + 12, brief(time), { align: "center", color: theme.muted, size: 10 });
  }
  drawMemory(pen, run, layout, theme, x);
  pen.line(x(at), 8, x(at), layout.base, theme.text, { width: 1.5 });
  pen.shape(`M${x(at) - 5} 4H${x(at) + 5}L${x(at)} 13Z`, theme.text);
}

/**
 * The devices' names, their empty rows, and what each holds now.
 * @param {Pen} pen
 * @param {Run} run
 * @param {Layout} layout
 * @param {Theme} theme
 * @param {number} at
 */
function drawRows(pen, run, layout, theme, at) {
  const { stages, peaks } = run.header;
  const most = Math.max(...peaks, 1e-9);
  const held = heldAt(run, at);
  pen.text(layout.right + 10, 8, _("held now"), { color: theme.muted, size: 10 });
  for (let device = 0; device < stages; device++) {
    const y = 16 + device * layout.row;
    pen.rect(layout.left, y + 1, layout.right - layout.left, layout.row - 2, fade(theme.text, 0.06));
    pen.text(layout.left - 6, y + layout.row / 2, _("Device {n}", { n: device + 1 }), { align: "right", color: theme.muted, size: 10 });
    const color = lineOf(theme, device, stages);
    pen.rect(layout.right + 10, y + 2, (RIGHT - 48) * (peaks[device] / most), layout.row - 4, null, theme.faint);
    pen.rect(layout.right + 10, y + 2, (RIGHT - 48) * (held[device] / most), layout.row - 4, color);
    pen.text(layout.width - 2, y + layout.row / 2, brief(held[device]), { align: "right", color: theme.text, size: 10 });
  }
}

/**
 * Every event as a cell with its micro-batch; those of the one that is pointed at stand out.
 * @param {Pen} pen
 * @param {Run} run
 * @param {Layout} layout
 * @param {Theme} theme
 * @param {{ at: number, hover: number, x: (time: number) => number }} state
 */
function drawCells(pen, { arrays }, layout, theme, { at, hover, x }) {
  const { device, kind, micro, half, start, end } = arrays;
  const inks = [0, 1, 2, 3, 4, 5].map((k) => inkOn(rgb(colorOf(theme, k))));
  for (let e = 0; e < start.length; e++) {
    const tall = half[e] ? (layout.row - 2) / 2 : layout.row - 2;
    const [left, top] = [x(start[e]), 17 + device[e] * layout.row + (half[e] === 2 ? tall : 0)];
    const wide = Math.max(0.5, x(end[e]) - left - (x(end[e]) - left > 4 ? 1 : 0));
    const begun = start[e] < at - 1e-6;
    const other = hover >= 0 && micro[e] !== micro[hover];
    pen.rect(left, top, wide, tall - (half[e] === 1 ? 0.5 : 0), colorOf(theme, kind[e]), null, { alpha: (begun ? 1 : LATER) * (other ? 0.3 : 1) });
    const size = Math.min(11, tall - 2, (wide - 1) / (0.6 * String(micro[e] + 1).length));
    if (size >= 7) {
      pen.text(left + wide / 2, top + tall / 2, micro[e] + 1, { align: "center", color: begun && !other ? inks[kind[e]] : theme.text, size });
    }
  }
}

/**
 * What every device holds over time, in steps.
 * @param {Pen} pen
 * @param {Run} run
 * @param {Layout} layout
 * @param {Theme} theme
 * @param {(time: number) => number} x
 */
function drawMemory(pen, { arrays, header }, layout, theme, x) {
  const most = Math.max(...header.peaks, header.bound ?? 0);
  const y = (/** @type {number} */ held) => layout.base - (held / most) * (layout.base - layout.memory);
  pen.text(layout.left, layout.title, _("Micro-batches held, by device"), { color: theme.muted, size: 11 });
  pen.line(layout.left, layout.base, layout.right, layout.base, theme.faint);
  for (const value of [0, most]) pen.text(layout.left - 6, y(value), brief(value), { align: "right", color: theme.muted, size: 10 });
  if (header.bound) {
    pen.line(layout.left, y(header.bound), layout.right, y(header.bound), theme.muted, { dash: "5 4" });
    pen.text(layout.right + 6, y(header.bound), `p = ${header.bound}`, { color: theme.muted, size: 10 });
  }
  for (let device = 0, first = 0; device < header.stages; first += arrays.changes[device], device++) {
    let d = `M${x(0)} ${y(0)}`;
    for (let k = first; k < first + arrays.changes[device]; k++) d += `H${x(arrays.times[k])}V${y(arrays.held[k])}`;
    pen.path(d, lineOf(theme, device, header.stages), 1.5);
  }
  drawMemoryKey(pen, layout, theme, header.stages);
}

/**
 * Which line is which device's: swatches above the chart, of the first and last few where there are many.
 * @param {Pen} pen
 * @param {Layout} layout
 * @param {Theme} theme
 * @param {number} stages
 */
function drawMemoryKey(pen, layout, theme, stages) {
  const devices = devicesOf(stages, layout.width);
  const left = Math.max(6, layout.right + 6 - NAME * devices.length);
  devices.forEach((device, k) => {
    const x = left + NAME * k;
    pen.line(x, layout.key, x + 12, layout.key, lineOf(theme, device, stages), { width: 2.5 });
    pen.text(x + 16, layout.key, _("Device {n}", { n: device + 1 }), { color: theme.muted, size: 10 });
  });
}
