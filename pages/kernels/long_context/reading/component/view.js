// @ts-check
// The text beside the map: its state, its DOM, and what is sent when a word is pinned.

import { decode } from "#canvas/decode.js";
import { debounce, make, makeButton } from "#canvas/dom.js";
import { joinSpans } from "#canvas/hovered.js";
import { pointByKeys } from "#canvas/keys.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";
import { canvasPen, fit, figureOf } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { clip, digits, visible } from "#canvas/text.js";
import { inkOn, paperTheme, readTheme, shadeRgb } from "#canvas/theme.js";
import { Head } from "../../../../../tlmviz/ui/components/attention_view/head.js";
import { HEAD, READS, drawMap, mapImage, readName } from "./drawing.js";
import { SURPRISED, heaviest, shares } from "./measures.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Coloring} Coloring */

const DELAY = 120; // milliseconds without another pin until it is sent
const LARGEST = 420; // pixels of the map
const NARROW = 640;

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  const { header, arrays } = decode(bytes);
  const first = !v.header;
  const sameHead = header.origin === v.header?.origin;
  const rows = arrays.q ? new Head(header, arrays) : sameHead ? v.rows : null;
  Object.assign(v, { header, arrays, rows, image: sameHead ? v.image : null });
  if (header.seq >= v.seq) Object.assign(v, { seq: header.seq, query: header.query, color: header.color });
  else computeRow(v);
  buildText(v);
  paint(v);
  if (first) showPinned(v);
  announcePicture(header.picture);
}

/**
 * The pinned query's row, where it can be computed here.
 * @param {View} v
 */
function computeRow(v) {
  if (!v.rows) return false;
  v.header.query = v.query;
  v.arrays.row = v.rows.row(v.query).subarray(0, v.query + 1);
  return true;
}

/**
 * Pin a query: shown at once, or when its row has come from the server.
 * @param {View} v
 * @param {number} query
 * @param {boolean} [scroll]
 */
function pin(v, query, scroll = false) {
  v.query = Math.max(0, Math.min(v.header.tokens.length - 1, query));
  v.seq += 1;
  if (computeRow(v)) paint(v);
  else {
    mark(v);
    paintMap(v);
  }
  if (scroll) showPinned(v);
  v.sendSoon();
}

/**
 * @param {View} v
 * @param {[number, number] | null} head
 */
function send(v, head) {
  v.sendSoon.cancel();
  v.component.setStateValue("place", { query: v.query, color: v.color, head, seq: v.seq, holds: v.rows ? v.header.origin : "" });
}

/**
 * The text as one span a token, when it has changed.
 * @param {View} v
 */
function buildText(v) {
  const joined = v.header.tokens.join("\u0001");
  if (v.joined === joined) return;
  v.joined = joined;
  v.marked = null;
  v.spans = v.header.tokens.map((token, i) => {
    const span = make("span", { textContent: i || token.trim() ? token : visible(token) });
    span.dataset.index = String(i);
    return span;
  });
  v.els.text.replaceChildren(...v.spans);
}

/** @param {View} v */
function mark(v) {
  v.marked?.classList.remove("pinned");
  v.marked = v.spans[v.query];
  v.marked.classList.add("pinned");
}

/** @param {View} v */
function showPinned(v) {
  const { text } = v.els;
  text.scrollTop = v.spans[v.query].offsetTop - text.clientHeight / 2;
}

/** @param {View} v */
function colorText(v) {
  const values = shares(v.arrays, v.color, v.spans.length);
  values.forEach((share, i) => {
    const { style } = v.spans[i];
    const color = share > 0.04 ? shadeRgb(v.theme.sequential, 0.85 * share) : null;
    const background = color ? `rgb(${color})` : "";
    if (style.background !== background) Object.assign(style, { background, color: color ? inkOn(color) : "" });
  });
}

/** @param {View} v */
function paintMap(v) {
  const { canvas } = v.els;
  const side = Math.min(LARGEST, canvas.parentElement.clientWidth);
  if (!side) return;
  v.side = side;
  v.image ??= mapImage(v, v.theme);
  drawMap(canvasPen(fit(canvas, side, side + HEAD), v.theme), v, v.theme, v.image, side);
}

/** @param {View} v */
function paint(v) {
  if (!v.header || !v.root.clientWidth) return;
  const { els, header, arrays } = v;
  const theme = readTheme(v.root, header.colors, v.theme);
  if (theme !== v.theme) v.image = null;
  v.theme = theme;
  v.root.classList.toggle("stacked", v.root.clientWidth < NARROW);
  colorText(v);
  mark(v);
  paintMap(v);
  for (const [name, button] of Object.entries(els.colors)) button.setAttribute("aria-pressed", String(name === v.color));
  const top = heaviest(arrays.row, READS);
  els.reads.replaceChildren(...top.map((key) => {
    const button = makeButton("", TEXTS.showText, () => {
      els.text.scrollTop = v.spans[key].offsetTop - els.text.clientHeight / 2;
    });
    button.append(readName(v, key), " ", make("b", { textContent: digits(arrays.row[key], 3) }));
    return button;
  }));
  els.heads.replaceChildren(...header.far.map(({ layer, head, value }) => {
    const button = makeButton(`${layer}.${head} · ${value.toFixed(2)}`, "Open this head", () => send(v, [layer, head]));
    button.setAttribute("aria-pressed", String(layer === header.layer && head === header.head));
    return button;
  }));
  els.said.textContent = sentence(v, top);
  els.canvas.setAttribute("aria-label", TEXTS.clickRowPin(els.said.textContent));
  Object.assign(v.root.dataset, { query: String(header.query), head: `${header.layer}.${header.head}` });
}

/**
 * What is pinned and how the text is coloured.
 * @param {View} v
 * @param {number[]} top
 */
function sentence({ header, arrays, color }, top) {
  const name = `“\u2068${clip(visible(header.tokens[header.query]), 20)}\u2069” (${header.query.toLocaleString("en")})`;
  const loss = header.query ? `, loss ${arrays.loss[header.query - 1].toFixed(2)} nats` : "";
  const sum = top.reduce((total, key) => total + arrays.row[key], 0);
  const colored = color === "reads" ? TEXTS.darkWhatReads : TEXTS.darkSurprisingNats(SURPRISED);
  return TEXTS.pinnedHeadPuts(name, loss, header.layer, header.head, sum.toFixed(3), top.length, colored);
}

/** @param {View} v */
function saved(v) {
  const theme = paperTheme(v.theme, v.header.colors);
  const side = LARGEST;
  const top = heaviest(v.arrays.row, READS);
  const name = `tlmviz-${v.header.model}-${v.header.layer}.${v.header.head}-query-${v.header.query}`;
  return figureOf(name, { width: side + 300, height: side + HEAD + 24, theme }, (pen) => {
    pen.shifted(12, 12, () => drawMap(pen, v, theme, mapImage(v, theme), side));
    const x = side + 30;
    pen.text(x, 48, `“${clip(visible(v.header.tokens[v.header.query]), 20)}” (${v.header.query}) reads`, { color: theme.text, size: 13, weight: 600 });
    top.forEach((key, k) => {
      pen.text(x, 76 + 22 * k, readName(v, key), { color: theme.text, size: 12 });
      pen.text(side + 284, 76 + 22 * k, digits(v.arrays.row[key], 3), { color: theme.text, size: 12, align: "right" });
    });
  });
}

/** @param {View} v */
function makeElements(v) {
  const coloring = (/** @type {Coloring} */ color) => () => {
    v.color = color;
    v.seq += 1;
    paint(v);
    send(v, null);
  };
  return {
    text: make("div", { className: "text", tabIndex: 0, role: "group", "aria-label": TEXTS.textArrowKeys, testid: "long-text" }),
    canvas: make("canvas", { role: "img", testid: "long-map" }),
    reads: make("div", { className: "reads", testid: "long-reads" }),
    heads: make("div", { className: "heads", role: "group", "aria-label": TEXTS.headsReadFar }),
    said: make("p", { className: "said", "aria-live": "polite", testid: "long-said" }),
    colors: {
      reads: makeButton(TEXTS.whatHeadReads, TEXTS.colourWordsPinned, coloring("reads")),
      loss: makeButton("Loss", TEXTS.colourWordsHow, coloring("loss")),
    },
  };
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ seq: 0, query: 0, color: "reads", spans: [], marked: null, image: null, side: 0 });
  v.sendSoon = debounce(() => send(v, null), DELAY);
  v.els = makeElements(v);
  const { els } = v;
  const saves = [pictureButton(v, "the map", () => saved(v))];
  v.root = make("div", { className: "reading", testid: "reading" },
    make("div", { className: "bar" },
      make("div", { className: "segments", role: "group", "aria-label": TEXTS.colourText }, ...Object.values(els.colors)),
      make("span", {}, TEXTS.headsReadFar2), els.heads, make("div", { className: "saves" }, ...saves)),
    make("div", { className: "body" }, els.text, make("div", {}, els.canvas)), els.reads, els.said);
  wire(v);
  host.append(v.root);
  v.observer = watchWidth(v, () => paint(v));
  return v;
}

/** @param {View} v */
function wire(v) {
  const { text, canvas } = v.els;
  v.hovered = joinSpans(text, () => v.header?.tokens ?? []);
  const at = (/** @type {number} */ pixels) => Math.floor((pixels / v.side) * v.header.tokens.length);
  canvas.addEventListener("pointermove", ({ clientX, clientY }) => {
    const box = canvas.getBoundingClientRect();
    v.hovered.point(...(clientY >= box.y + HEAD ? [at(clientY - box.y - HEAD), at(clientX - box.x)] : []));
  });
  canvas.addEventListener("pointerleave", () => v.hovered.point());
  pointByKeys(canvas);
  text.addEventListener("click", ({ target }) => {
    const { index } = /** @type {HTMLElement} */ (target).dataset;
    if (index) pin(v, Number(index));
  });
  text.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    pin(v, v.query + step, true);
  });
  canvas.addEventListener("click", ({ clientY }) => {
    const share = (clientY - canvas.getBoundingClientRect().y - HEAD) / v.side;
    if (share >= 0) pin(v, Math.floor(share * v.header.tokens.length), true);
  });
}

/** @param {View} v */
function leave(v) {
  v.sendSoon.cancel();
  v.observer.disconnect();
  v.hovered.end();
}

export default mounted({ create, receive, leave });
