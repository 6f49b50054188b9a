// @ts-check
// Tensors as matrices beside each other, drawn without a chart library: a first picture need not wait for one.

import { make } from "#canvas/dom.js";
import { pointByKeys } from "#canvas/keys.js";
import { _ } from "#canvas/language.js";
import { live, penOf, pointing, saving, widthOf } from "#canvas/live.js";
import { numbersImage } from "#canvas/numbers_image.js";
import { digits, visible } from "#canvas/text.js";
import { shade } from "#canvas/theme.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").Box} Box */
/** @typedef {import("./types").Drawn} Drawn */
/** @typedef {import("./types").View} View */

const SIDES = { left: 64, right: 12, top: 40 };
const KEY = 64; // pixels of a colour scale's key
const HIGH = 226; // of a matrix
const LABEL = 12; // pixels that a row's token needs
const NARROW = 620; // pixels, below which one stands under the other
const LONG = 56; // pixels of a token

/**
 * Where the matrices lie, and how high all of it is.
 * @param {Drawn[]} panels
 * @param {number} width
 */
export function boxesOf(panels, width) {
  const across = width < NARROW ? 1 : Math.min(3, panels.length);
  const wide = width / across;
  const foot = panels.some((panel) => panel.col_labels.length) ? LONG + 20 : 36;
  const step = SIDES.top + HIGH + foot;
  const boxes = panels.map((_panel, i) => ({
    x: (i % across) * wide + SIDES.left,
    y: Math.floor(i / across) * step + SIDES.top,
    width: wide - SIDES.left - SIDES.right,
    height: HIGH,
  }));
  return { boxes, height: Math.ceil(panels.length / across) * step };
}

/**
 * Places for ticks: of all that are there, one every `least` pixels.
 * @param {number} count
 * @param {number} length pixels
 * @param {number} least
 */
export function tickPlaces(count, length, least) {
  const every = Math.max(1, Math.ceil((least * count) / length));
  const round = [1, 2, 5, 10, 20, 25, 50, 100, 200].find((step) => step >= every) ?? every;
  return Array.from({ length: Math.ceil(count / round) }, (_tick, i) => i * round);
}

/** @param {View} v */
function paint(v) {
  const { els, header } = v;
  const { boxes, height } = boxesOf(header.panels, widthOf(els.canvas));
  v.layout = boxes;
  drawPanels(penOf(v, els.canvas, height), v, boxes, v.theme);
  els.said.textContent = v.hover ?? "";
  els.canvas.setAttribute("aria-label", header.panels.map(({ name, y, x, detail }) => _("{name}: {y} by {x}, {detail}", { name, y, x, detail })).join("; "));
  v.root.dataset.panels = String(boxes.length);
}

/** @param {Pen} pen @param {View} v @param {Box[]} boxes @param {Theme} theme */
function drawPanels(pen, { header, arrays }, boxes, theme) {
  header.panels.forEach((panel, i) => drawPanel(pen, theme, panel, arrays[i], boxes[i]));
}

/**
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {Drawn} panel
 * @param {Float32Array} values
 * @param {Box} box
 */
function drawPanel(pen, theme, panel, values, box) {
  const { rows, cols, row_labels: down, col_labels: along } = panel;
  pen.text(box.x, box.y - 30, panel.name, { color: theme.text, size: 14, weight: 600 });
  pen.text(box.x, box.y - 12, panel.detail, { color: theme.muted, size: 11 });
  drawScale(pen, theme, panel, box);
  pen.rect(box.x, box.y, box.width, box.height, theme.missing);
  pen.image(numbersImage(theme, values, rows, cols, !panel.probability, panel.end), box.x, box.y, box.width, box.height);
  for (const at of tickPlaces(rows, box.height, LABEL)) {
    const y = box.y + ((at + 0.5) / rows) * box.height;
    pen.text(box.x - 5, y, down[at] ?? at, { color: theme.muted, size: 10.5, align: "right", token: down.length ? LONG : 0 });
  }
  for (const at of tickPlaces(cols, box.width, along.length ? LABEL : 36)) {
    const x = box.x + ((at + 0.5) / cols) * box.width;
    if (along.length) pen.text(x, box.y + box.height + 6, along[at], { color: theme.muted, size: 10.5, align: "right", token: LONG, rotate: -Math.PI / 2.6 });
    else pen.text(x, box.y + box.height + 10, at, { color: theme.muted, size: 10.5, align: "center" });
  }
  pen.text(box.x + box.width / 2, box.y + box.height + (along.length ? LONG + 12 : 26), panel.x, { color: theme.muted, size: 11, align: "center" });
  pen.text(8, box.y + box.height / 2, panel.y, { color: theme.muted, size: 11, align: "center", rotate: -Math.PI / 2 });
}

/**
 * The number under a point, in words.
 * @param {View} v
 * @param {number} x
 * @param {number} y
 */
function pointed({ header, arrays, layout: boxes }, x, y) {
  const i = /** @type {Box[]} */ (boxes ?? []).findIndex((box) => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height);
  if (i < 0) return null;
  const { rows, cols, name, x: across, y: down, row_labels, col_labels } = header.panels[i];
  const [row, col] = [Math.floor(((y - boxes[i].y) / boxes[i].height) * rows), Math.floor(((x - boxes[i].x) / boxes[i].width) * cols)];
  const place = (/** @type {string} */ axis, /** @type {string[]} */ labels, /** @type {number} */ at) =>
    (axis ? `${axis} ${at}${labels.length ? ` “${visible(labels[at])}”` : ""}` : "");
  const value = arrays[i][row * cols + col];
  return `${name}: ${[place(down, row_labels, row), place(across, col_labels,
    col)].filter(Boolean).join("; ")}: ${Number.isNaN(value) ? _("hidden") : digits(value, 5)}`;
}

/**
 * The key of a panel's colours, above its right end.
 * @param {Pen} pen
 * @param {Theme} theme
 * @param {Drawn} panel
 * @param {Box} box
 */
function drawScale(pen, theme, { probability, ends }, box) {
  const table = probability ? theme.sequential : theme.diverging;
  const left = box.x + box.width - KEY - 30;
  for (let i = 0; i < KEY; i += 2) pen.rect(left + i, box.y - 16, 2, 8, shade(table, i / KEY));
  pen.text(left - 3, box.y - 12, ends[0], { color: theme.muted, size: 10, align: "right" });
  pen.text(left + KEY + 3, box.y - 12, ends[1], { color: theme.muted, size: 10 });
}

/** @param {View} v */
function build(v) {
  const canvas = make("canvas", { role: "img", testid: "tensors-canvas" });
  const said = make("p", { className: "said", "aria-live": "polite", testid: "tensors-said" });
  pointing(v, canvas, (x, y) => pointed(v, x, y));
  canvas.addEventListener("pointerdown", ({ offsetX, offsetY }) => {
    v.hover = pointed(v, offsetX, offsetY);
    v.paint();
  });
  pointByKeys(canvas);
  Object.assign(v.els, { canvas, said });
  const save = saving(v, "tlmviz-tensors", {
    height: (width) => boxesOf(v.header.panels, width).height,
    draw: (pen, theme, width) => drawPanels(pen, v, boxesOf(v.header.panels, width).boxes, theme),
  });
  return [make("div", { className: "panel" }, canvas), make("div", { className: "bar" }, said, save)];
}

export default live({ id: "tensors", build, paint });
