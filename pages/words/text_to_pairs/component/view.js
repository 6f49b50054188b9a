// @ts-check
// A window that slides over a text: state, DOM, playing and painting.

import { decode } from "#canvas/decode.js";
import { debounce, make, makeButton } from "#canvas/dom.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { canvasPen, fit, figureOf } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { digits } from "#canvas/text.js";
import { paperTheme, readTheme, textWidth } from "#canvas/theme.js";
import { contextOf, countUpTo, mostAlike } from "./counting.js";
import { LENS, cellUnder, countText, drawLens, drawMatrix, gridOf, roles } from "./drawing.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */

const PACE = 450; // milliseconds of a step while playing
const DELAY = 500; // milliseconds at rest until the place is sent
const TALLEST = 430; // pixels of the matrix
const ALIKE = 4; // rows that are named

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  if (!(bytes.length === v.bytes?.length && v.bytes.every((byte, i) => byte === bytes[i]))) {
    const before = v.header?.words.join(" ");
    v.bytes = new Uint8Array(bytes);
    Object.assign(v, decode(bytes));
    const { words, vocabulary, drawn, window, byDistance, place, state } = v.header;
    v.text = { ids: v.arrays.ids, places: [...words.keys()].filter((i) => v.arrays.kept[i]), window, byDistance };
    v.rowOf = new Int32Array(vocabulary.length).fill(-1);
    drawn.forEach((id, row) => (v.rowOf[id] = row));
    if (state.seq >= v.seq || before !== words.join(" ")) {
      stop(v);
      Object.assign(v, { step: state.step ?? place, seq: Math.max(state.seq, v.seq) });
    }
    fillText(v);
  }
  v.step = Math.max(0, Math.min(v.step, v.text.places.length - 1));
  repaint(v);
}

/** @param {View} v */
function fillText(v) {
  const { words, vocabulary } = v.header;
  const number = new Map(v.text.places.map((place, step) => [place, step]));
  v.els.text.replaceChildren(...words.flatMap((word, i) => {
    const kept = number.has(i);
    const chance = v.arrays.keep[v.arrays.ids[i]];
    const span = make("span", { className: kept ? "word" : "word thrown", textContent: word, title: TEXTS.staysProbabilityThrown(vocabulary[v.arrays.ids[i]], digits(chance, 3), kept) });
    if (kept) span.dataset.step = String(number.get(i));
    return [span, " "];
  }));
}

/**
 * The user moves the window, which stops the playing.
 * @param {View} v
 * @param {number} step
 */
function go(v, step) {
  stop(v);
  v.step = Math.max(0, Math.min(step, v.text.places.length - 1));
  changed(v);
}

/** @param {View} v */
function changed(v) {
  v.seq += 1;
  v.unsent = true;
  repaint(v);
  v.sendSoon();
}

/** @param {View} v */
function send(v) {
  v.sendSoon.cancel();
  if (!v.unsent || v.timer) return;
  v.unsent = false;
  v.component.setStateValue("place", { step: v.step, seq: v.seq });
}

/** @param {View} v */
function stop(v) {
  clearInterval(v.timer || undefined);
  v.timer = 0;
}

/** @param {View} v */
function toggle(v) {
  if (v.timer) {
    go(v, v.step);
    return;
  }
  const last = v.text.places.length - 1;
  v.step = v.step >= last ? 0 : v.step + 1;
  v.timer = setInterval(() => {
    if (v.step >= last) go(v, last);
    else {
      v.step += 1;
      repaint(v);
    }
  }, PACE);
  repaint(v);
}

// --- painting -------------------------------------------------------------------------------------

/** @param {View} v */
function repaint(v) {
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  const { center, context } = roles(v.theme);
  v.root.style.setProperty("--center", center);
  v.root.style.setProperty("--context", context);
  const [left, right] = [v.els.lens.parentElement.clientWidth, v.els.matrix.parentElement.clientWidth];
  if (!left || !right) return;
  v.counted = countUpTo(v.text, v.step, v.rowOf, v.header.drawn.length);
  v.grid = gridOf(v, v.theme, right, TALLEST);
  if (v.text.places.length) drawLens(canvasPen(fit(v.els.lens, left, LENS), v.theme), v, v.theme, left);
  const height = v.grid.top + v.header.drawn.length * v.grid.side + 4;
  if (v.text.places.length) drawMatrix(canvasPen(fit(v.els.matrix, right, height), v.theme), v, v.theme);
  markText(v);
  say(v);
}

/** @param {View} v */
function markText(v) {
  const around = new Set(contextOf(v.text, v.step).map(([step]) => step));
  /** @type {HTMLElement | undefined} */
  let chosen;
  for (const span of v.els.text.querySelectorAll("[data-step]")) {
    const step = Number(span.dataset.step);
    span.classList.toggle("center", step === v.step);
    span.classList.toggle("context", around.has(step));
    if (step === v.step) chosen = span;
  }
  if (chosen) v.els.text.scrollTop = chosen.offsetTop - v.els.text.clientHeight / 2;
}

/**
 * The word of a step.
 * @param {View} v
 * @param {number} step
 */
function wordAt(v, step) {
  return v.header.words[v.text.places[step]] ?? "";
}

/** @param {View} v */
function say(v) {
  const { els, header } = v;
  const count = v.text.places.length;
  const own = contextOf(v.text, v.step);
  Object.assign(els.step, { max: Math.max(0, count - 1), value: v.step });
  els.name.textContent = `word ${v.step + 1} of ${count}`;
  els.play.textContent = v.timer ? "❚❚" : "▶";
  els.play.setAttribute("aria-label", v.timer ? "Pause" : TEXTS.slideWindowItself);
  const more = header.vocabulary.length - header.drawn.length;
  els.said.textContent = TEXTS.pairsWindowSo(own.length, v.counted.pairs, more, header.drawn.length, header.vocabulary.length);
  const row = v.rowOf[v.text.ids[v.text.places[v.step]]];
  const alike = row >= 0 ? mostAlike(v.counted, row, ALIKE) : [];
  els.alike.replaceChildren(
    make("b", { textContent: TEXTS.rowsMostLike(wordAt(v, v.step)) }),
    ...alike.map(([other, cosine]) => {
      const id = header.drawn[other];
      const met = v.counted.counts[row * v.counted.columns + id];
      const bar = make("i", { className: "bar" });
      bar.style.width = `${Math.round(100 * cosine)}%`;
      return make("div", { className: "row" }, make("span", { className: "name", textContent: header.vocabulary[id] }), make("span", { className: "rail" }, bar), make("span", { className: "value", textContent: `${cosine.toFixed(2)} · ${met ? `met ${countText(met)}` : "never met"}` }));
    }),
  );
  const pairs = own.map(([step]) => wordAt(v, step)).join(", ");
  els.lens.setAttribute("aria-label", `The window around “${wordAt(v, v.step)}”: ${pairs || "nothing else"}.`);
  els.matrix.setAttribute("aria-label", TEXTS.countsAfterWindows(header.title, v.step + 1, v.counted.pairs));
  const total = v.counted.counts.reduce((sum, value) => sum + value, 0);
  Object.assign(v.root.dataset, { step: v.step, steps: count, center: wordAt(v, v.step), context: own.map(([step]) => wordAt(v, step)).join(" "), pairs: v.counted.pairs, total: total.toFixed(4), playing: String(Boolean(v.timer)) });
}

/**
 * @param {View} v
 * @param {MouseEvent} event
 */
function point(v, event) {
  const box = v.els.matrix.getBoundingClientRect();
  const cell = cellUnder(v, event.clientX - box.x, event.clientY - box.y);
  v.els.tip.hidden = !cell;
  if (!cell) return;
  const [i, j] = cell.map((at) => v.header.drawn[at]);
  const value = v.counted.counts[cell[0] * v.counted.columns + j];
  v.els.tip.textContent = `center “${v.header.vocabulary[i]}”, context “${v.header.vocabulary[j]}”: ${countText(value)}`;
  const frame = v.root.getBoundingClientRect();
  v.els.tip.style.left = `${Math.max(0, Math.min(event.clientX - frame.left + 12, frame.width - v.els.tip.offsetWidth))}px`;
  v.els.tip.style.top = `${event.clientY - frame.top - 34}px`;
}

/** @param {View} v */
function saved(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  const [width, screen] = [560, v.grid];
  v.grid = gridOf(v, theme, width, width);
  const height = 60 + LENS + v.grid.top + v.header.drawn.length * v.grid.side + 16;
  const figure = figureOf("tlmviz-pairs", { width: width + 32, height, theme }, (pen) => {
    pen.text(16, 20, v.header.title, { color: theme.text, size: 14, weight: 600 });
    pen.shifted(16, 36, () => drawLens(pen, v, theme, Math.min(width, textWidth(theme, "m", 13) * 50)));
    pen.shifted(16, 48 + LENS, () => drawMatrix(pen, v, theme));
  });
  v.grid = screen;
  return figure;
}

/**
 * @param {View} v
 * @param {KeyboardEvent} event
 */
function press(v, event) {
  const target = { ArrowLeft: v.step - 1, ArrowRight: v.step + 1, Home: 0, End: Infinity }[event.key];
  if (event.altKey || event.ctrlKey || event.metaKey || (target === undefined && event.key !== " ")) return;
  event.preventDefault();
  if (target === undefined) toggle(v);
  else go(v, target);
}

// --- the DOM, built once --------------------------------------------------------------------------

/** @param {View} v */
function makeElements(v) {
  const step = make("input", { type: "range", min: 0, step: 1, "aria-label": TEXTS.placeWindow, testid: "slider-step" });
  step.addEventListener("input", () => go(v, Number(step.value)));
  const text = make("div", { className: "text", testid: "words", tabIndex: 0, role: "region", "aria-label": TEXTS.textClickMoves });
  text.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!by) return;
    event.preventDefault();
    go(v, v.step + by);
  });
  text.addEventListener("click", ({ target }) => {
    const { step: chosen } = /** @type {HTMLElement} */ (target).dataset;
    if (chosen) go(v, Number(chosen));
  });
  const matrix = make("canvas", { testid: "matrix", role: "img", tabIndex: 0 });
  matrix.addEventListener("keydown", (event) => press(v, event));
  matrix.addEventListener("pointermove", (event) => point(v, event));
  matrix.addEventListener("pointerdown", (event) => point(v, event));
  matrix.addEventListener("pointerleave", () => (v.els.tip.hidden = true));
  return {
    play: makeButton("▶", TEXTS.slideWindowItself, () => toggle(v)),
    back: makeButton("‹", "One word back", () => go(v, v.step - 1)),
    on: makeButton("›", "One word on", () => go(v, v.step + 1)),
    step,
    name: make("output"),
    text,
    lens: make("canvas", { testid: "window", role: "img" }),
    alike: make("div", { className: "alike", testid: "alike" }),
    matrix,
    said: make("p", { className: "said" }),
    tip: make("div", { className: "tip", role: "tooltip", hidden: true }),
  };
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ seq: 0, step: 0, timer: 0, unsent: false });
  v.sendSoon = debounce(() => send(v), DELAY);
  v.els = makeElements(v);
  const saves = make("div", { className: "saves" }, pictureButton(v, "this figure", () => saved(v)));
  v.root = make("div", { className: "pairs", testid: "pairs" },
    make("div", { className: "tools" }, v.els.play, v.els.back, v.els.on, make("label", { className: "slider" }, v.els.step, v.els.name), saves),
    make("div", { className: "body" },
      make("div", { className: "side" }, v.els.text, v.els.lens, v.els.said, v.els.alike),
      make("div", { className: "side" }, v.els.matrix)),
    v.els.tip);
  host.append(v.root);
  v.observer = watchWidth(v, () => repaint(v), () => Boolean(v.header));
  return v;
}

/** @param {View} v */
function leave(v) {
  stop(v);
  v.sendSoon.cancel();
  v.observer.disconnect();
}

export default mounted({ create, receive, leave });
