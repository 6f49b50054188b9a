// @ts-check
// The ranking: sliders, bars and marks. A row keeps its element, so that a change of rank is seen as a movement.

import { make, makeButton } from "#canvas/dom.js";
import { hoveredSpots, lightUp, onHovered } from "#canvas/hovered.js";
import { mounted } from "#canvas/mount.js";
import { pictureButton } from "#canvas/picture.js";
import { HEIGHT, TERMS, bars, savedRanking, share, signed } from "./figure.js";
import { rank } from "./scores.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Data} Data */
/** @typedef {import("./types").RowElements} RowElements */
/** @typedef {import("./scores.js").Ranked} Ranked */
/** @typedef {import("./scores.js").Weight} Weight */
/** @typedef {import("./scores.js").Weights} Weights */
/** @typedef {import("./types").Term} Term */

const NODES = "node"; // how the tree above calls what its points stand for
const VISIBLE = 11; // rows in view before scrolling: they set the scale
/** @type {Record<Weight, [title: string, max: number]>} */
const SLIDERS = { alpha: ["α length", 2], beta: ["β coverage", 2], gamma: ["γ end", 2] };
const PRESETS = { "No penalties": { alpha: 0, beta: 0, gamma: 0 }, GNMT: { alpha: 0.6, beta: 0.2, gamma: 0 } };

/**
 * @param {View} v
 * @param {Data} data
 */
function receive(v, data) {
  if (!data) return;
  const text = JSON.stringify(data.rows) + data.kind;
  if (data.origin !== v.origin) {
    v.origin = data.origin;
    v.weights = { ...data.weights };
    v.before = null;
  }
  if (text !== v.text) {
    v.text = text;
    v.before = null;
  }
  v.data = data;
  for (const [name, { label }] of Object.entries(v.sliders)) label.hidden = name !== "alpha" && !data.source;
  paint(v);
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ rows: new Map(), order: [], weights: { alpha: 0, beta: 0, gamma: 0 }, before: null });
  v.sliders = { alpha: makeSlider(v, "alpha"), beta: makeSlider(v, "beta"), gamma: makeSlider(v, "gamma") };
  v.sentence = make("p", { className: "said", "aria-live": "polite" });
  v.list = make("div", { className: "list", role: "list" });
  const sliders = Object.values(v.sliders).map(({ label }) => label);
  const presets = Object.entries(PRESETS).map(([title, weights]) => makeButton(title, "", () => usePreset(v, weights)));
  const note = TEXTS.natsBarsLeft;
  const title = make("div", { className: "title" }, make("b", {}, "Final ranking"), note);
  const save = pictureButton(v, "this ranking", () => savedRanking(v));
  v.root = make("div", { className: "ranking" },
    make("div", { className: "top" }, title, makeLegend(), save),
    make("div", { className: "bar" }, ...sliders, ...presets), v.sentence, v.list);
  host.append(v.root);
  v.list.addEventListener("pointerleave", () => lightUp([]));
  v.unhovered = onHovered(() => light(v));
  return v;
}

/**
 * Mark the texts that go through the node that is pointed at.
 * @param {View} v
 */
function light(v) {
  const nodes = hoveredSpots().filter(({ text }) => text === NODES).map(({ index }) => index);
  for (const { id, way } of v.order) v.rows.get(id)?.root.classList.toggle("lit", nodes.length > 0 && nodes.every((node) => way.includes(node)));
}

/**
 * A slider of one weight: it ranks anew at once, and the server hears of it when it is let go.
 * @param {View} v
 * @param {Weight} name
 */
function makeSlider(v, name) {
  const [title, max] = SLIDERS[name];
  const input = make("input", { type: "range", min: 0, max, step: 0.01, "aria-label": title });
  const value = make("output");
  input.addEventListener("pointerdown", () => begin(v));
  input.addEventListener("keydown", () => begin(v));
  input.addEventListener("input", () => {
    v.weights[name] = Number(input.value);
    paint(v);
  });
  input.addEventListener("change", () => send(v));
  return { input, value, label: make("label", { className: "slider" }, title, input, value) };
}

/**
 * @param {View} v
 * @param {Weights} weights
 */
function usePreset(v, weights) {
  begin(v);
  v.weights = { ...weights };
  paint(v);
  send(v);
}

function makeLegend() {
  const entries = Object.entries(TERMS).map(([name, title]) => make("span", {}, make("i", { className: name }), title));
  return make("div", { className: "legend" }, ...entries);
}

/**
 * Remember the order before a change: marks compare with it.
 * @param {View} v
 */
function begin(v) {
  v.before = new Map(v.order.map((row, rank) => [row.id, rank]));
}

/** @param {View} v */
function send(v) {
  v.component.setStateValue("weights", { ...v.weights });
}

// --- painting ------------------------------------------------------------------------------------

/** @param {View} v */
function paint(v) {
  const { rows, kind, source } = v.data;
  const weights = source ? v.weights : { ...v.weights, beta: 0, gamma: 0 };
  for (const [name, { input, value }] of Object.entries(v.sliders)) {
    const weight = v.weights[/** @type {Weight} */ (name)];
    input.value = String(weight);
    value.textContent = weight.toFixed(2);
  }
  v.order = rank(rows, weights, kind);
  v.span = span(v.order);
  const present = new Set();
  let moved = 0;
  v.order.forEach((row, place) => {
    const els = v.rows.get(row.id) ?? newRow(v);
    v.rows.set(row.id, els);
    present.add(row.id);
    const was = v.before?.get(row.id) ?? place;
    if (was !== place) moved += 1;
    fill(v, els, row, place, was);
  });
  for (const [id, els] of v.rows) {
    if (present.has(id)) continue;
    els.root.remove();
    v.rows.delete(id);
  }
  v.list.style.setProperty("--height", `${v.order.length * HEIGHT}px`);
  v.sentence.textContent = sentence(v, moved);
}

/**
 * @param {View} v
 * @param {number} moved
 */
function sentence(v, moved) {
  const [best] = v.order;
  const probable = v.data.rows[0]; // the rows come in order of log P
  if (!best) return "";
  const winner = best.id === probable.id ? TEXTS.mostProbableText : TEXTS.moreProbableWins(probable.text, best.text);
  if (!v.before) return `${winner}.`;
  return moved ? `${winner}. ${moved} of ${v.order.length} changed places (▲▼).` : TEXTS.orderSame(winner);
}

/**
 * The least and the largest value that the bars of the best texts reach.
 * @param {Ranked[]} all
 * @returns {[low: number, high: number]}
 */
function span(all) {
  const order = all.slice(0, VISIBLE);
  const low = Math.min(-1e-3, ...order.map(({ parts }) => parts.logp + parts.coverage));
  return [low, Math.max(0, ...order.map(({ parts }) => parts.total))];
}

/** @param {View} v */
function newRow(v) {
  const part = (/** @type {"span" | "i"} */ tag, /** @type {string} */ className) => make(tag, { className });
  const [place, move, text, chart, score] = ["place", "move", "text", "chart", "score"].map((name) => part("span", name));
  const terms = { logp: part("i", "logp"), length: part("i", "length"), coverage: part("i", "coverage"), end: part("i", "end") };
  const tick = part("i", "tick");
  chart.append(...Object.values(terms), tick);
  const root = make("div", { className: "row", role: "listitem" }, place, move, text, chart, score);
  v.list.append(root);
  root.addEventListener("pointerenter", () => lightUp((root.dataset.way ?? "").split(" ").map((node) => ({ text: NODES, index: Number(node), word: "" }))));
  return { root, place, move, text, score, terms, tick };
}

/**
 * Write a text into its row; `was` is its place before.
 * @param {View} v
 * @param {RowElements} els
 * @param {Ranked} row
 * @param {number} place
 * @param {number} was
 */
function fill(v, els, row, place, was) {
  const { parts } = row;
  els.root.style.top = `${place * HEIGHT}px`;
  els.root.classList.toggle("best", place === 0);
  els.root.dataset.way = row.way.join(" ");
  els.place.textContent = String(place + 1);
  els.move.textContent = was > place ? `▲${was - place}` : was < place ? `▼${place - was}` : "";
  els.move.className = `move ${was > place ? "up" : "down"}`;
  els.text.textContent = row.text + (row.finished ? "" : " …");
  els.score.textContent = signed(parts.total);
  const terms = Object.entries(TERMS).map(([name, title]) => `${title} ${signed(parts[/** @type {Term} */ (name)], 4)}`);
  els.root.title = TEXTS.tokensScoreMean(row.text, row.finished, row.count, terms.join(", "), signed(parts.total, 4), Math.exp(row.logp / row.count).toFixed(4));
  for (const [name, from, to] of bars(parts)) {
    els.terms[name].style.left = `${share(v, Math.min(from, to))}%`;
    els.terms[name].style.width = `${share(v, Math.max(from, to)) - share(v, Math.min(from, to))}%`;
  }
  els.tick.style.left = `${share(v, parts.total)}%`;
}

export default mounted({ create, receive, leave: (v) => v.unhovered() });
