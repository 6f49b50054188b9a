// @ts-check
// Streams through the sublayers of every model of a family: bands along the depth, one sublayer enlarged.

import { makeAxis, placeOn, walk } from "#canvas/axis.js";
import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { go, live, penOf, pointing, saving, segments, widthOf } from "#canvas/live.js";
import { makeStrip } from "#canvas/strip.js";
import { sublayerAxis, sublayerOf, tokenAxis, tokenName, tokenOf } from "../places.js";
import { bandsOf, largestOf, times } from "./matrices.js";
import { drawClose, drawRiver, planRiver } from "./rivers.js";

/** @typedef {{ kind: string, title: string, model: string, streams: number }} Member */
/** @typedef {import("../places.js").Place & { shown: string, widths: "carried" | "step" }} Place */
/** @typedef {import("#canvas/live.js").View<import("../places.js").Walked & { members: Member[] }, Record<string, Float32Array>, Place>} View */

const UPRIGHT = 640; // pixels below which the depth leads downwards
const CLOSE = 250; // pixels of an enlarged sublayer beside its streams
const APART = 14;

/** The models that are drawn. @param {View} v */
function shownMembers({ header: { members }, place }) {
  const chosen = members.filter(({ kind }) => kind === place.shown);
  return chosen.length ? chosen : members;
}

/** One model's matrices of all sublayers at the chosen token. @param {View} v @param {Member} member @returns {import("./matrices.js").Slices} */
export function slicesOf(v, { kind, streams: N }) {
  const [P, T, token] = [v.header.names.length, v.header.tokens.length, tokenOf(v)];
  const take = (/** @type {string} */ name, /** @type {number} */ size) => {
    const own = new Float32Array(P * size);
    for (let p = 0; p < P; p++) own.set(v.arrays[`${name}.${kind}`].subarray((p * T + token) * size, (p * T + token + 1) * size), p * size);
    return own;
  };
  return { N, P, pre: take("pre", N), post: take("post", N), res: take("res", N * N) };
}

/** One sublayer of one model in a sentence. @param {View} v @param {Member} member @param {number} sublayer */
function sublayerSentence(v, member, sublayer) {
  const { N, pre, post } = slicesOf(v, member);
  const list = (/** @type {Float32Array} */ all) => Array.from(all.subarray(sublayer * N, (sublayer + 1) * N), times).join(", ");
  return _("{title}, {name}: reads streams × {pre}; writes to them × {post}",
    { title: member.title, name: v.header.names[sublayer], pre: list(pre), post: list(post) });
}

/** Rivers below each other with their sublayers beside them; on a narrow screen next to each other. @param {View} v @param {number} width */
function layOut(v, width) {
  const members = shownMembers(v);
  const [upright, count] = [width < UPRIGHT, members.length];
  const each = (width - APART * (count - 1)) / count;
  const long = 60 + v.header.names.length * (v.header.names.length > 24 ? 22 : 32);
  let y = upright ? long + APART : 0;
  const parts = members.map((member, k) => {
    const height = member.streams === 1 ? (upright ? 96 : 84) : upright ? 200 : count === 1 ? 380 : 164;
    const box = upright ? { x: k * (each + APART), y: 0, width: each, height: long } : { x: 0, y, width: width - CLOSE - APART, height };
    const close = upright ? { x: 0, y, width, height } : { x: width - CLOSE, y, width: CLOSE, height };
    y += height + APART;
    return { member, plan: planRiver(v, member, box, upright), close };
  });
  return { parts, height: y - APART + 2 };
}

/** Everything with one unit of width, so that models can be compared. @param {import("#canvas/pens.js").Pen} pen @param {View} v
 * @param {import("#canvas/theme.js").Theme} theme @param {ReturnType<typeof layOut>} layout */
function drawParts(pen, v, theme, { parts }) {
  const largest = Math.max(...parts.map(({ member }) => largestOf(bandsOf(slicesOf(v, member), v.place.widths === "carried"))));
  const unit = Math.min(0.45, 1.5 / largest); // a band may be half as wide again as its lane
  for (const { member, plan, close } of parts) {
    drawRiver(pen, v, theme, plan, member, member.streams === 1 ? unit * 0.5 : unit);
    drawClose(pen, v, theme, close, member);
  }
}

/** @param {View} v @param {number} x @param {number} y */
function riverUnder(v, x, y) {
  for (const { member, plan: { box, upright, start, step } } of v.layout?.parts ?? []) {
    const sublayer = Math.floor(((upright ? y : x) - start) / step);
    const inside = x >= box.x && y >= box.y && x <= box.x + box.width && y <= box.y + box.height;
    if (inside && sublayer >= 0 && sublayer < v.header.names.length) return { kind: member.kind, sublayer };
  }
  return null;
}

/** @param {View} v */
function build(v) {
  const [depth, tokens] = [makeAxis(v, sublayerAxis(v)), makeAxis(v, tokenAxis(v))];
  const canvas = make("canvas", { testid: "rivers", role: "img", tabIndex: 0 });
  pointing(v, canvas, (x, y) => riverUnder(v, x, y));
  canvas.addEventListener("click", ({ offsetX, offsetY }) => {
    const found = riverUnder(v, offsetX, offsetY);
    if (found) walk(v, sublayerAxis(v), found.sublayer);
  });
  depth.listen(canvas);
  canvas.addEventListener("keydown", (event) => {
    const way = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (!way || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    walk(v, tokenAxis(v), tokenOf(v) + way);
  });
  const strip = makeStrip((token) => walk(v, tokenAxis(v), token), () => v.header.first);
  v.ends.push(strip.end);
  const widths = segments(() => [["carried", _("Carried"), _("Widths: what is left of the embedding in each stream, exactly")],
    ["step", _("Each step"), _("Widths: the entries of each H_res by themselves")]],
    () => v.place.widths, (chosen) => go(v, { widths: chosen }), _("Widths"));
  const said = make("p", { className: "said", "aria-live": "polite" });
  const save = saving(v, "tlmviz-streams", {
    height: (width) => layOut(v, width).height,
    draw: (pen, theme, width) => drawParts(pen, v, theme, layOut(v, width)),
    title: () => _("{title} at token {token} · widths: {widths}",
      { title: v.header.title, token: tokenName(v), widths: v.place.widths === "carried" ? _("what is left of the embedding") : _("entries of each H_res") }),
  });
  const shows = make("div", { testid: "shows" });
  Object.assign(v.els, { depth, tokens, canvas, strip, shows, widths, said });
  return [make("div", { className: "bar" }, shows, widths.root, ...depth.parts, tokens.parts[1], save), strip.root,
    make("div", { className: "panel" }, canvas), said];
}

/** New data: its tokens, and a button for each of its models. @param {View} v */
function fitModels(v) {
  v.els.strip.fill(v.header.tokens);
  v.els.models = segments(() => [["all", _("Side by side")], ...v.header.members.map(({ kind, title }) => /** @type {[string, string]} */ ([kind, title]))],
    () => v.place.shown, (shown) => go(v, { shown }), _("Models"));
  v.els.shows.replaceChildren(v.els.models.root);
}

/** @param {View} v */
function paint(v) {
  const { depth, tokens, canvas, strip, models, widths, said } = v.els;
  const place = v.place;
  v.place = { ...place, sublayer: Math.floor(placeOn(v, sublayerAxis(v))) }; // where the walk is
  v.layout = layOut(v, widthOf(canvas));
  drawParts(penOf(v, canvas, v.layout.height), v, v.theme, v.layout);
  const members = shownMembers(v);
  const sentences = members.map((member) => sublayerSentence(v, member, sublayerOf(v)));
  canvas.setAttribute(
    "aria-label",
    _("Streams through {count} sublayers at token {token}. {said}. Left and right arrow keys choose a sublayer, up and down a token, space plays.",
    { count: v.header.names.length, token: tokenName(v), said: sentences.join(". ") }));
  const pointed = members.find(({ kind }) => kind === v.hover?.kind);
  said.textContent = pointed ? sublayerSentence(v, pointed, v.hover.sublayer) : sentences.at(-1);
  strip.mark(tokenOf(v));
  for (const part of [depth, tokens, models, widths]) part.repaint();
  Object.assign(v.root.dataset, { place: `${sublayerOf(v)}.${v.header.first + tokenOf(v)}`, shown: place.shown,
    plans: JSON.stringify(v.layout.parts.map((/** @type {any} */ { plan }) => plan)) });
  v.place = place;
}

export default live({ id: "flow", build, paint, fit: fitModels });
