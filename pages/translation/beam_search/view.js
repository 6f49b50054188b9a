// @ts-check
// The ranking: sliders, bars and marks. A row keeps its element, so that a change of rank is seen as a movement.

import { make, makeButton } from "#canvas/dom.js";
import { hoveredSpots, lightUp, onHovered } from "#canvas/hovered.js";
import { _, ngettext } from "#canvas/language.js";
import { ask, live, makeLegend, saving } from "#canvas/live.js";
import { clip, minus } from "#canvas/text.js";
import { bars, rank } from "./scores.js";

/** @typedef {import("./scores.js").Row} Row */
/** @typedef {import("./scores.js").Ranked} Ranked */
/** @typedef {import("./scores.js").Weight} Weight */
/** @typedef {import("./scores.js").Weights} Weights */
/** @typedef {Record<string, HTMLElement>} Cells of a row */
/**
 * `before`: places of the texts before the last change, by id; `cells`: of a text's row, by id.
 * @typedef {import("#canvas/live.js").View<{ rows: Row[], kind: string, source: boolean }, {}, Weights> & {
 *   order: Ranked[], before: Map<number, number> | null, span: [low: number, high: number], cells: Map<number, Cells> }} View
 */

const NODES = "node"; // how the tree above calls what its points stand for
const VISIBLE = 11; // rows in view before scrolling: they set the scale
const LINE = 27; // pixels of a row
const SAVED_COLUMNS = { text: 330, score: 70 }; // pixels beside the bars in a file
const STACKED = 620; // pixels of a file, below which texts stand above their bars
/** @type {Record<string, string>} */
const TERM_COLORS = { logp: "#3f88c2", length: "#159a74", coverage: "#e08a00", end: "#c2529b" };
const termNames = () => /** @type {Record<string, string>} */ ({ logp: _("log P"), length: _("length"), coverage: _("coverage"), end: _("end") });
const signed = (/** @type {number} */ value, places = 2) => minus(value.toFixed(places));

/** Where a value lies in the chart, as a share. @param {View} v @param {number} value */
function shareOf({ span: [low, high] }, value) {
  return (value - low) / (high - low);
}

/** Remember the order before a change: marks compare with it. @param {View} v */
function begin(v) {
  v.before = new Map(v.order.map((row, place) => [row.id, place]));
}

/**
 * A slider of one weight: it ranks anew at once, and the server hears of it when it is let go.
 * @param {View} v
 * @param {Weight} name
 * @param {string} title
 */
function makeWeight(v, name, title) {
  const input = make("input", { type: "range", min: 0, max: 2, step: 0.01, "aria-label": title });
  const value = make("output");
  input.addEventListener("pointerdown", () => begin(v));
  input.addEventListener("keydown", () => begin(v));
  input.addEventListener("input", () => {
    v.place[name] = Number(input.value);
    v.unsent = true;
    v.paint();
  });
  input.addEventListener("change", () => ask(v, {}));
  const root = make("label", { className: "slider" }, title, input, value);
  return { root, repaint: () => {
    root.hidden = name !== "alpha" && !v.header.source;
    input.value = String(v.place[name]);
    value.textContent = v.place[name].toFixed(2);
  } };
}

/** Pixels of a row in a file, and of them those of a text that stands above its bars. @param {number} width */
const savedRow = (width) => ({ above: width < STACKED ? 18 : 0, line: LINE + (width < STACKED ? 18 : 0) });

/** Texts beside their bars, or in a narrow file above them. @param {View} v @param {import("#canvas/pens.js").Pen} pen
 * @param {import("#canvas/theme.js").Theme} theme @param {number} width */
function drawSaved(v, pen, theme, width) {
  const { above, line } = savedRow(width);
  const left = above ? 0 : SAVED_COLUMNS.text;
  const chart = width - left - SAVED_COLUMNS.score;
  const at = (/** @type {number} */ value) => left + chart * shareOf(v, value);
  v.order.forEach((row, place) => {
    const [y, label] = [place * line + above, clip(`${place + 1}. ${row.text}`, 52)];
    pen.text(above ? 0 : left - 8, y - above + 9, label, { color: theme.text, size: 12, align: above ? "left" : "right" });
    for (const [term, from, to] of bars(row.parts)) {
      pen.rect(at(Math.min(from, to)), term === "logp" || term === "coverage" ? y : y + 9, Math.abs(at(to) - at(from)), 8, TERM_COLORS[term]);
    }
    pen.text(left + chart + 8, y + 9, signed(row.parts.total), { color: theme.text, size: 12 });
  });
}

/** @param {View} v */
function build(v) {
  Object.assign(v, { cells: new Map(), order: [], before: null, span: [-1, 0] });
  const sliders = [makeWeight(v, "alpha", _("α length")), makeWeight(v, "beta", _("β coverage")), makeWeight(v, "gamma", _("γ end"))];
  const legend = makeLegend(v, () => Object.entries(termNames()).map(([term, name]) => ({ name, color: TERM_COLORS[term] })));
  const use = (/** @type {string} */ name, /** @type {Weights} */ weights) => makeButton(name, "", () => {
    begin(v);
    ask(v, weights);
  });
  const presets = [use(_("No penalties"), { alpha: 0, beta: 0, gamma: 0 }), use("GNMT", { alpha: 0.6, beta: 0.2, gamma: 0 })];
  v.els = { sliders, legend, said: make("p", { className: "said", "aria-live": "polite" }), list: make("div", { className: "list", role: "list" }) };
  v.els.list.addEventListener("pointerleave", () => lightUp([]));
  v.ends.push(onHovered(() => lightRows(v)));
  const title = make("div", { className: "title" }, make("b", {}, _("Final ranking")),
    _(" in nats. Bars to the left are costs; green gives back what the length penalty forgives. Black tick: the score"));
  const save = saving(v, "tlmviz-ranking", {
    height: (width) => v.order.length * savedRow(width).line,
    draw: (pen, theme, width) => drawSaved(v, pen, theme, width),
    legend: () => Object.entries(termNames()).map(([term, name]) => ({ name, color: TERM_COLORS[term] })),
  });
  return [title, make("div", { className: "bar" }, legend.root, save), make("div", { className: "bar" }, ...sliders.map(({ root }) => root), ...presets),
    v.els.said, v.els.list];
}

/** Mark the texts that go through the node that is pointed at. @param {View} v */
function lightRows(v) {
  const nodes = hoveredSpots().filter(({ text }) => text === NODES).map(({ index }) => index);
  for (const { id, way } of v.order) v.cells.get(id)?.root.classList.toggle("lit", nodes.length > 0 && nodes.every((node) => way.includes(node)));
}

/** @param {View} v */
function paint(v) {
  const { rows, kind, source } = v.header;
  for (const { repaint } of [...v.els.sliders, v.els.legend]) repaint();
  v.order = rank(rows, source ? v.place : { ...v.place, beta: 0, gamma: 0 }, kind);
  const first = v.order.slice(0, VISIBLE).map(({ parts }) => parts);
  v.span = [Math.min(-1e-3, ...first.map(({ logp, coverage }) => logp + coverage)), Math.max(0, ...first.map(({ total }) => total))];
  const moves = v.order.map((row, place) => (v.before?.get(row.id) ?? place) - place);
  v.order.forEach((row, place) => {
    if (!v.cells.has(row.id)) v.cells.set(row.id, newRow(v));
    fill(v, /** @type {Cells} */ (v.cells.get(row.id)), row, place, moves[place]);
  });
  const present = new Set(v.order.map(({ id }) => id));
  for (const [id, cells] of v.cells) {
    if (present.has(id)) continue;
    cells.root.remove();
    v.cells.delete(id);
  }
  v.els.list.style.setProperty("--height", `${v.order.length * LINE}px`);
  v.els.said.textContent = ranked(v, moves.filter(Boolean).length);
}

/** Who wins, and how many changed places. @param {View} v @param {number} moved */
function ranked(v, moved) {
  const [[best], [probable]] = [v.order, v.header.rows]; // the rows come in order of log P
  if (!best) return "";
  const winner = best.id === probable.id ? _("The most probable text wins.") : _(
    "“{text}” is more probable; “{winner}” wins.", { text: probable.text, winner: best.text });
  if (!v.before) return winner;
  if (!moved) return `${winner} ${_("The order is the same.")}`;
  return `${winner} ${ngettext("{n} of {all} changed places (▲▼).", "{n} of {all} changed places (▲▼).", moved, { all: v.order.length })}`;
}

/** @param {View} v @returns {Cells} */
function newRow(v) {
  const part = (/** @type {"span" | "i"} */ tag, /** @type {string} */ className) => make(tag, { className });
  const [place, move, text, chart, score] = ["place", "move", "text", "chart", "score"].map((name) => part("span", name));
  const terms = Object.fromEntries(Object.entries(TERM_COLORS).map(([name, color]) => {
    const bar = part("i", name);
    bar.style.background = color;
    return [name, bar];
  }));
  const tick = part("i", "tick");
  chart.append(...Object.values(terms), tick);
  const root = make("div", { className: "row", role: "listitem" }, place, move, text, chart, score);
  v.els.list.append(root);
  root.addEventListener("pointerenter", () => lightUp((root.dataset.way ?? "").split(" ").map((node) => ({ text: NODES, index: Number(node), word: "" }))));
  return { root, place, move, text, score, tick, ...terms };
}

/**
 * Write a text into its row; it went up by `up` places.
 * @param {View} v
 * @param {Cells} cells
 * @param {Ranked} row
 * @param {number} place
 * @param {number} up
 */
function fill(v, cells, row, place, up) {
  const { parts } = row;
  cells.root.style.top = `${place * LINE}px`;
  cells.root.classList.toggle("best", place === 0);
  cells.root.dataset.way = row.way.join(" ");
  cells.place.textContent = String(place + 1);
  cells.move.textContent = up > 0 ? `▲${up}` : up < 0 ? `▼${-up}` : "";
  cells.move.className = `move ${up > 0 ? "up" : "down"}`;
  cells.text.textContent = row.text + (row.finished ? "" : " …");
  cells.score.textContent = signed(parts.total);
  const terms = Object.entries(termNames()).map(([term, name]) => `${name} ${signed(parts[/** @type {keyof typeof parts} */ (term)], 4)}`);
  const values = { count: row.count, terms: terms.join(", "), total: signed(parts.total, 4), mean: Math.exp(row.logp / row.count).toFixed(4) };
  cells.root.title = `${row.text}${row.finished ? "" : _(" … (unfinished)")}\n${_("{count} tokens; {terms}; score {total}",
    values)}\n${_("mean probability per token (geometric): {mean}", values)}`;
  for (const [term, from, to] of bars(parts)) {
    const [left, right] = [Math.min(from, to), Math.max(from, to)].map((value) => 100 * shareOf(v, value));
    Object.assign(cells[term].style, { left: `${left}%`, width: `${right - left}%` });
  }
  cells.tick.style.left = `${100 * shareOf(v, parts.total)}%`;
}

export default live({ id: "ranking", build, paint, fit: (v) => { v.before = null; } });
