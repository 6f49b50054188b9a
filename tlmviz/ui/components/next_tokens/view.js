// @ts-check
// The most probable next tokens as bars from 0 to 100 %: a list that a screen reader reads, and a figure to save.

import { make, makeButton } from "#canvas/dom.js";
import { mounted } from "#canvas/mount.js";
import { saveFigure } from "#canvas/pens.js";
import { paperTheme, readTheme } from "#canvas/theme.js";

/** @typedef {import("#canvas/mount.js").Component} Component */
/** @typedef {import("#canvas/theme.js").Palette} Palette */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {{ name: string, p: number }} Row */
/** @typedef {{ rows: Row[], after: string, height: number, colors: Palette }} Data */
/** @typedef {{ root: HTMLElement, list: HTMLElement, title: HTMLElement, component: Component, data: Data, theme?: Theme }} View */

const PAGE = { width: 420, row: 26, top: 40, left: 130, right: 60 }; // pixels of the saved figure

/**
 * A probability in per cent with one decimal.
 * @param {number} p
 */
export function percent(p) {
  return p >= 0.0005 ? `${(100 * p).toFixed(1)}%` : "<0.1%";
}

/** @param {Data} data */
function titleOf({ after }) {
  return `Next token after “${after}”`;
}

/** @param {Row} row */
function makeRow({ name, p }) {
  const fill = make("div", { className: "fill" });
  fill.style.width = `${100 * p}%`;
  return make("li", { title: `${name}: probability ${p.toPrecision(4)}` },
    make("span", { className: "name", textContent: name }),
    make("div", { className: "track" }, fill),
    make("span", { className: "number", textContent: percent(p) }));
}

/**
 * The same on paper.
 * @param {Pen} pen
 * @param {Data} data
 * @param {Theme} theme
 */
function draw(pen, data, theme) {
  const { width, row, top, left, right } = PAGE;
  const span = width - left - right;
  const bottom = top + row * data.rows.length;
  pen.text(12, 18, titleOf(data), { color: theme.text, weight: 600, size: 13 });
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    pen.line(left + share * span, top, left + share * span, bottom, theme.faint);
    pen.text(left + share * span, bottom + 12, `${100 * share}%`, { color: theme.muted, align: "center" });
  }
  data.rows.forEach(({ name, p }, i) => {
    const y = top + row * (i + 0.5);
    pen.text(left - 8, y, name, { color: theme.text, align: "right", token: left - 20 });
    pen.rect(left, y - 8, Math.max(1, p * span), 16, theme.primary);
    pen.text(width - 12, y, percent(p), { color: theme.muted, align: "right" });
  });
}

/**
 * @param {View} v
 * @param {"png" | "svg"} kind
 */
function save(v, kind) {
  const theme = { ...paperTheme(v.theme, v.data.colors), primary: "#1f5fa8" };
  const height = PAGE.top + PAGE.row * v.data.rows.length + 28;
  saveFigure("tlmviz-next-token", kind, { width: PAGE.width, height, theme }, (pen) => draw(pen, v.data, theme));
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ (/** @type {unknown} */ ({ list: make("ol", { testid: "next-tokens" }), title: make("h3") }));
  const saves = [makeButton("PNG", "Save this figure as PNG", () => save(v, "png")), makeButton("SVG", "Save this figure as SVG", () => save(v, "svg"))];
  const marks = ["0", "25", "50", "75", "100%"].map((text) => make("span", { textContent: text }));
  v.root = make("section", { className: "next" },
    v.title,
    v.list,
    make("div", { className: "scale", "aria-hidden": "true" }, make("div", {}, ...marks)),
    make("div", { className: "saves" }, ...saves));
  host.append(v.root);
  return v;
}

/**
 * @param {View} v
 * @param {Data} data
 */
function receive(v, data) {
  v.data = data;
  v.theme = readTheme(v.root, data.colors, v.theme);
  v.root.style.setProperty("--height", `${data.height}px`);
  v.title.textContent = v.title.title = titleOf(data);
  v.list.setAttribute("aria-label", `${titleOf(data)}: the most probable tokens and their probabilities`);
  v.list.replaceChildren(...data.rows.map(makeRow));
}

export default mounted({ create, receive, leave: () => {} });
