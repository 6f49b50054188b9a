// @ts-check
// A text in which a click hides a token: bars say what may stand there, read from both sides and from the left alone.

import { decode } from "#canvas/decode.js";
import { debounce, make } from "#canvas/dom.js";
import { addMenu } from "#canvas/laid_out.js";
import { mounted, watchWidth } from "#canvas/mount.js";
import { announcePicture } from "#canvas/painted.js";
import { fade, readTheme } from "#canvas/theme.js";
import { colorParts, layChips, numberAt } from "./chips.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").HiddenView} View */

const DELAY = 300; // milliseconds until a chosen place is sent

/**
 * @param {View} v
 * @param {ArrayLike<number>} bytes
 */
function receive(v, bytes) {
  if (!bytes) return;
  const { header, arrays } = decode(bytes);
  const same = JSON.stringify(header.tokens) === JSON.stringify(v.header?.tokens);
  Object.assign(v, { header, both: arrays.both, causal: arrays.causal });
  if (!same) {
    v.place = header.place;
    v.chips = layChips(v.els.text, header.tokens, true);
    v.chips.forEach((chip, place) => {
      if (place === 0 || place === header.tokens.length - 1) /** @type {HTMLButtonElement} */ (chip).disabled = true;
    });
  }
  paint(v);
  announcePicture(header.picture);
}

/** @param {View} v */
function paint(v) {
  if (!v.header || !v.root.clientWidth) return;
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  colorParts(v.root, v.theme);
  const { tokens, masked, offers } = v.header;
  v.chips.forEach((chip, at) => {
    const inner = at > 0 && at < tokens.length - 1;
    chip.style.background = inner && !masked[at] && at !== v.place ? fade(v.theme.heads[0], 0.7 * v.both[at]) : "";
    chip.classList.toggle("hidden", at === v.place || masked[at]);
    chip.setAttribute("aria-pressed", String(at === v.place));
    chip.title = inner && !masked[at] ? TEXTS.hiddenGuessedP(v.both[at].toFixed(3), v.causal[at].toFixed(3)) : "";
  });
  const truth = masked[v.place] ? null : tokens[v.place];
  v.els.said.textContent = truth === null
    ? TEXTS.whatMayStand
    : TEXTS.hiddenPBoth(truth.trim(), v.both[v.place].toFixed(3), v.causal[v.place].toFixed(3));
  for (const name of /** @type {("both" | "causal")[]} */ (["both", "causal"])) {
    v.els[name].replaceChildren(...offers[v.place][name].map((offer) => bar(name, offer, offer[0] === truth)));
  }
  Object.assign(v.root.dataset, { place: String(v.place), both: v.both[v.place].toFixed(4), causal: v.causal[v.place].toFixed(4) });
}

/**
 * @param {string} name
 * @param {[string, number]} offer
 * @param {boolean} true_ whether it is what stands in the text
 */
function bar(name, [token, p], true_) {
  const part = make("i", { className: name });
  part.style.width = `${(100 * p).toFixed(2)}%`;
  return make("div", { className: true_ ? "offer truth" : "offer" }, make("span", {}, token.trim() || "␣"), make("div", { className: "track" }, part), make("output", {}, p.toFixed(3)));
}

/**
 * @param {View} v
 * @param {number} place
 */
function choose(v, place) {
  v.place = Math.max(1, Math.min(place, v.header.tokens.length - 2));
  paint(v);
  v.sendSoon();
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ place: 1, chips: [] });
  v.sendSoon = debounce(() => v.component.setStateValue("place", v.place), DELAY);
  v.els = {
    text: make("div", { className: "text", role: "group", "aria-label": TEXTS.textPressToken, testid: "hidden-text" }),
    said: make("p", { className: "said", "aria-live": "polite", testid: "hidden-said" }),
    both: make("div", { className: "bars", testid: "hidden-both" }),
    causal: make("div", { className: "bars", testid: "hidden-causal" }),
  };
  const lists = /** @type {["both" | "causal", string][]} */ ([["both", "Reads both sides"], ["causal", TEXTS.causalMaskLeft]]);
  v.root = make("div", { className: "encoder", testid: "hidden-root" }, v.els.text, v.els.said,
    make("div", { className: "lists" }, ...lists.map(([name, title]) => make("section", {}, make("h4", {}, make("i", { className: name }), ` ${title}`), v.els[name]))));
  v.els.text.addEventListener("click", (event) => {
    const place = numberAt(event, "place");
    if (place !== null) choose(v, place);
  });
  v.els.text.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    choose(v, v.place + step);
    v.chips[v.place].focus();
  });
  host.append(v.root);
  addMenu(v, TEXTS.hiddenWordGuessed, true);
  v.observer = watchWidth(v, () => paint(v), () => Boolean(v.header));
  return v;
}

/** @param {View} v */
function leave(v) {
  v.sendSoon.cancel();
  v.observer.disconnect();
}

export default mounted({ create, receive, leave });
