// @ts-check
// Heads that are one head, until something stands between: state, DOM, painting. Switches are answered here.

import { decode } from "#canvas/decode.js";
import { debounce, make, makeButton } from "#canvas/dom.js";
import { pointByKeys } from "#canvas/keys.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { numbersImage } from "#canvas/numbers_image.js";
import { announcePicture } from "#canvas/painted.js";
import { canvasPen, fit, figureOf } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { paperTheme, readTheme } from "#canvas/theme.js";
import { SWITCHES, SWITCH_NAMES, arranged, combination, measuredSentence, pointed } from "./maps.js";
import { TEXTS } from "./words.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./types").Layout} Layout */
/** @typedef {import("./types").Part} Part */
/** @typedef {import("./types").Switch} Switch */
/** @typedef {import("./types").View} View */

const DELAY = 400; // milliseconds without a change until the link learns of it
const SAVED = 1100; // pixels of a saved figure
/** @type {Record<Part, string>} */
const PARTS = { M: TEXTS.wQW2, U: TEXTS.wVW };

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  const { header, arrays } = decode(bytes);
  const fresh = header.origin !== v.header?.origin;
  Object.assign(v, { header, arrays, hover: "" });
  if (fresh) Object.assign(v, { part: header.part, on: new Set(header.on) });
  paint(v);
  announcePicture(header.picture);
}

/** @param {View} v */
function changed(v) {
  v.hover = "";
  paint(v);
  v.sendSoon();
}

/** @param {View} v */
function paint(v) {
  const width = v.root.clientWidth;
  if (!v.header || !width) return;
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  v.layout = arranged(v, v, width);
  drawMaps(canvasPen(fit(v.els.canvas, width, v.layout.height), v.theme), v.layout, v.header.tokens.length, v.theme);
  const said = measuredSentence(v, v);
  for (const button of v.els.parts.children) button.setAttribute("aria-pressed", String(/** @type {HTMLElement} */ (button).dataset.part === v.part));
  v.els.switches.replaceChildren(...SWITCHES[v.part].map((name) => switchButton(v, name)));
  v.els.said.textContent = said;
  /** @type {HTMLElement} */ (v.els.canvas.nextElementSibling).textContent = v.hover;
  v.els.canvas.setAttribute("aria-label", `${v.header.title}. ${said}`);
  const output = v.part === "U" ? v.header.missed[Number(v.on.has("softmax"))] : v.header.apart[combination(v.on)][2];
  Object.assign(v.root.dataset, { part: v.part, on: Array.from(v.on).sort().join(), one: String(output < 1e-9) });
}

/**
 * @param {View} v
 * @param {Switch} name
 */
function switchButton(v, name) {
  const button = makeButton(SWITCH_NAMES[name], "", () => {
    if (!v.on.delete(name)) v.on.add(name);
    changed(v);
    /** @type {HTMLElement} */ (v.els.switches.children[SWITCHES[v.part].indexOf(name)]).focus();
  });
  button.setAttribute("role", "switch");
  button.setAttribute("aria-checked", String(v.on.has(name)));
  return button;
}

/**
 * @param {Pen} pen
 * @param {Layout} layout
 * @param {number} n
 * @param {Theme} theme
 */
function drawMaps(pen, layout, n, theme) {
  for (const { text, more, x, y } of layout.rows) {
    pen.text(x, y, text, { color: theme.text, size: 13, weight: 600 });
    pen.text(x, y + 17, more, { color: theme.muted, size: 12 });
  }
  for (const { x, y, side, head, values, signed, most } of layout.panels) {
    pen.text(x, y - 8, head, { color: theme.muted, size: 11 });
    pen.image(numbersImage(theme, values, n, n, signed, most), x, y, side, side);
    pen.rect(x - 0.5, y - 0.5, side + 1, side + 1, null, theme.faint);
  }
}

/** @param {View} v */
function saved(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  const layout = arranged(v, v, SAVED - 32);
  return figureOf("tlmviz-collapse", { width: SAVED, height: layout.height + 70, theme }, (pen) => {
    pen.text(16, 20, v.header.title, { color: theme.text, size: 14, weight: 600 });
    pen.text(16, 42, measuredSentence(v, v), { color: theme.muted, size: 11 });
    pen.shifted(16, 60, () => drawMaps(pen, layout, v.header.tokens.length, theme));
  });
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ hover: "" });
  v.sendSoon = debounce(() => v.component.setStateValue("lemma", { part: v.part, on: Array.from(v.on), origin: v.header.origin }), DELAY);
  const parts = /** @type {Part[]} */ (Object.keys(PARTS)).map((part) => {
    const button = makeButton(PARTS[part], "", () => {
      v.part = part;
      changed(v);
    });
    button.dataset.part = part;
    return button;
  });
  const canvas = make("canvas", { role: "img", testid: "collapse-canvas" });
  const point = (/** @type {PointerEvent} */ { offsetX, offsetY }) => {
    const hover = v.layout ? pointed(v, v.layout, offsetX, offsetY) : "";
    if (hover === v.hover) return;
    v.hover = hover;
    /** @type {HTMLElement} */ (canvas.nextElementSibling).textContent = hover;
  };
  canvas.addEventListener("pointermove", point);
  canvas.addEventListener("pointerdown", point);
  pointByKeys(canvas);
  v.els = {
    parts: make("div", { className: "group", role: "group", "aria-label": TEXTS.whatAllHeads }, ...parts),
    switches: make("div", { className: "group", role: "group", "aria-label": "What stands between" }),
    canvas,
    said: make("p", { className: "said", "aria-live": "polite", testid: "collapse-said" }),
  };
  const saves = make("div", { className: "saves" }, pictureButton(v, "this figure", () => saved(v)));
  v.root = make("div", { className: "collapse", testid: "collapse-root" },
    make("div", { className: "bar" }, v.els.parts, v.els.switches, saves), v.els.said, canvas, make("p", { className: "cell", "aria-live": "polite" }));
  host.append(v.root);
  v.observer = watchWidth(v, () => paint(v), () => Boolean(v.header));
  return v;
}

/** @param {View} v */
function leave(v) {
  v.sendSoon.cancel();
  v.observer.disconnect();
}

export default mounted({ create, receive, leave });
