// @ts-check
// The latents: a pad to draw on, what is read, and every latent's map.

import { make, makeButton } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { ask, cells, go, live, penOf, pointing, saving, widthOf } from "#canvas/live.js";
import { makePad, readPixels, writtenPixels } from "#canvas/pad.js";
import { beside, drawMaps, focus, layOut, pointedAt, pointedSentence } from "./drawing.js";

/** @typedef {import("./drawing.js").View} View */
/** @typedef {import("./drawing.js").Latent} Latent */
/** @typedef {import("./drawing.js").Pointed} Pointed */

const PAD_SIZE = 200;

/**
 * @param {View} v
 * @param {number} latent
 */
function toggleMute(v, latent) {
  const { muted } = v.place;
  go(v, { muted: muted.includes(latent) ? muted.filter((each) => each !== latent) : [...muted, latent].sort((a, b) => a - b) });
}

/** @param {View} v */
function fillHeads({ els, header }) {
  const names = [_("mean of heads"), ...Array.from({ length: header.heads }, (__, n) => _("head {n}", { n }))];
  els.head.replaceChildren(...names.map((name, i) => make("option", { value: String(i) }, name)));
}

/** @param {View} v */
function makeMaps(v) {
  const maps = make("canvas", { role: "application", tabIndex: 0, testid: "latents-maps" });
  const keep = (/** @type {Latent | null} */ at) => go(v, { pin: at && v.place.pin?.join() === at.join() ? null : at });
  const under = (/** @type {number} */ x, /** @type {number} */ y) => pointedAt(v.layout, x, y);
  const next = (/** @type {number} */ right, /** @type {number} */ down) => /** @type {Pointed} */ ({ at: beside(v, right, down), pixel: null });
  cells(v, maps, { under, choose: ({ at }) => keep(at), beside: next });
  maps.addEventListener("dblclick", ({ offsetX, offsetY }) => {
    const found = under(offsetX, offsetY);
    if (found?.at) toggleMute(v, found.at[1]);
  });
  maps.addEventListener("keydown", ({ key }) => {
    if (key.toLowerCase() === "m" && v.place.pin) toggleMute(v, v.place.pin[1]);
    if (key === "Escape") go(v, { pin: null });
  });
  return maps;
}

/** @param {View} v */
function build(v) {
  v.pad = makePad({ drawn: v.paint, finished: (values) => ask(v, { pixels: writtenPixels(values) }), testid: "latents-pad" });
  pointing(v, v.pad.root, (x, y) => {
    const [column, row] = [x, y].map((at) => Math.floor((8 * at) / PAD_SIZE));
    if (v.header.read !== v.header.pixels) return null; // its pixels lie elsewhere in the maps
    return column in v.pad.values && row >= 0 && column < 8 && row < 8 ? /** @type {Pointed} */ ({ at: null, pixel: 8 * row + column }) : null;
  });
  v.ends.push(() => v.pad.end());
  const erase = makeButton(_("Erase"), _("Draw with paper in place of ink"), () => {
    v.pad.erasing = !v.pad.erasing;
    v.paint();
  });
  const mute = makeButton(_("Mute a latent"), _("Take the chosen latent out: no other one sees it, and the answer leaves it out"), () => toggleMute(v, /** @type {Latent} */ (focus(v))[1]));
  const unmute = makeButton(_("Unmute all"), _("Let all latents take part"), () => go(v, { muted: [] }));
  const said = make("p", { className: "said", "aria-live": "polite", testid: "latents-said" });
  const [bars, spoken] = [make("div", { testid: "latents-bars" }), make("p", { className: "said", testid: "latents-pointed" })];
  const head = make("select", { "aria-label": _("Head"), testid: "latents-head" });
  head.addEventListener("change", () => go(v, { head: Number(head.value) }));
  Object.assign(v.els, { head, maps: makeMaps(v), bars, said, spoken, mute, unmute, erase });
  const save = saving(v, "tlmviz-latents", {
    height: (width) => layOut(width, v.header.layers, v.header.latents).height,
    draw: (pen, theme, width) => drawMaps(pen, { ...v, hover: null }, theme, layOut(width, v.header.layers, v.header.latents)),
  });
  const clear = makeButton(_("Clear"), _("Empty the pad, to draw a digit of your own"), () => v.pad.clear());
  const left = make("div", { className: "left" }, make("div", {}, v.pad.root, make("div", { className: "bar" }, clear, erase)), make("div", { className: "answer" }, said, bars));
  const right = make("div", { className: "right" }, make("div", { className: "bar" }, head, mute, unmute, save), make("div", { className: "panel" }, v.els.maps), spoken);
  return [make("div", { className: "sides" }, left, right)];
}

/**
 * A digit's share of the answer.
 * @param {View} v
 * @param {number} digit
 * @param {number} share
 */
function makeShare(v, digit, share) {
  const fill = make("i");
  fill.style.width = `${(100 * share).toFixed(1)}%`;
  const name = make("span", { className: digit === v.header.truth ? "truth" : "" }, String(digit));
  return make("div", { className: v.header.error ? "weight stale" : "weight" }, name, make("div", { className: "track" }, fill), make("output", {}, share.toFixed(3)));
}

/** @param {View} v */
function paint(v) {
  const { els, header, place } = v;
  v.pad.paint(v.theme, PAD_SIZE);
  v.layout = layOut(widthOf(els.maps), header.layers, header.latents);
  drawMaps(penOf(v, els.maps, v.layout.height), v, v.theme, v.layout);
  els.head.value = String(place.head);
  const chosen = focus(v)?.[1] ?? null;
  els.mute.disabled = chosen === null;
  els.mute.textContent = chosen === null ? _("Mute a latent") : place.muted.includes(chosen) ? _("Unmute latent {n}", { n: chosen }) : _("Mute latent {n}", { n: chosen });
  els.unmute.hidden = !place.muted.length;
  els.erase.setAttribute("aria-pressed", String(v.pad.erasing));
  els.said.textContent = header.error || header.said;
  els.said.classList.toggle("error", Boolean(header.error));
  els.bars.replaceChildren(...header.probabilities.map((share, digit) => makeShare(v, digit, share)));
  els.spoken.textContent = pointedSentence(v) || _("Point at a map, or at a pixel of the pad. Click a map to keep it.");
  els.maps.setAttribute("aria-label", _("Maps of {latents} latents in {layers} layers. {said} Arrow keys choose a map, M mutes its latent.", { latents: header.latents, layers: header.layers, said: header.said }));
  Object.assign(v.root.dataset, { pixels: writtenPixels(v.pad.values), boxes: JSON.stringify(v.layout) });
}

/**
 * What is not read leaves the maps of before.
 * @param {View} v
 */
function fitRead(v) {
  const { error, pixels, read, seq, heads } = v.header;
  if (v.els.head.options.length !== heads + 1) fillHeads(v);
  if (!error || !v.read) v.read = { ...v.arrays, pixels: readPixels(read) };
  if (seq >= v.seq) v.pad.fill(readPixels(pixels)); // else it was drawn on since
}

export default live({ id: "latents", build, paint, fit: fitRead });
