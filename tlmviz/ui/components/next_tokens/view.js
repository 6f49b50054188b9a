// @ts-check
// The most probable next tokens as bars from 0 to 100%: a list of buttons that write them, and a figure to save.

import { make, makeButton } from "#canvas/dom.js";
import { mounted } from "#canvas/mount.js";
import { figureOf } from "#canvas/pens.js";
import { pictureButton } from "#canvas/picture.js";
import { paperTheme, readTheme } from "#canvas/theme.js";
import { draw, PAGE, percent, titleOf } from "./figure.js";
import { _ } from "#canvas/language.js";

/** @typedef {import("#canvas/mount.js").Component} Component */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {import("./figure.js").Row} Row */
/** @typedef {import("./figure.js").Data} Data */
/**
 * `playing`: whether each new text asks for the next token; going back ends it.
 * @typedef {{ root: HTMLElement, list: HTMLElement, title: HTMLElement, note: HTMLElement, tools: HTMLElement, play: HTMLButtonElement,
 *   undo: HTMLButtonElement, restart: HTMLButtonElement, keep: HTMLButtonElement, component: Component, data: Data, theme?: Theme, playing: boolean,
 *   asked: number, timer?: ReturnType<typeof setTimeout>, stop: () => void }} View
 */

const PAUSE = 220; // milliseconds between a text's picture and its next token, so that each is seen

/**
 * Ask the server for something. The number makes two equal requests two.
 * @param {View} v
 * @param {string} act
 * @param {number} [token]
 */
function ask(v, act, token) {
  v.component.setTriggerValue("asked", { act, token: token ?? null, number: ++v.asked });
}

/**
 * @param {View} v
 * @param {Row} row
 */
function makeBar(v, { token, name, p, after, before, pinned }) {
  const cut = after === 0;
  const bar = make("div", { className: "fill" });
  bar.style.width = `${100 * p}%`;
  const track = make("div", { className: "track" }, bar);
  if (before !== null) {
    const mark = make("div", { className: "before", title: `With all heads: ${percent(before)}` });
    mark.style.left = `${100 * before}%`;
    track.append(mark);
  }
  const write = make("button", { type: "button", className: "name", textContent: name, disabled: !v.data.writing,
    title: `Write “${name}” (probability ${p.toPrecision(4)})`, onclick: () => stopAnd(v, "write", token) });
  const next = v.data.writing?.next?.[0] === token;
  const numbers = cut ? "cut" : percent(after);
  const item = make("li", { className: `${cut ? "cut" : ""} ${next ? "next-one" : ""}` }, write, track,
    make("span", { className: "number", textContent: numbers,
      title: cut ? _("{p} before the cuts", { p: percent(p) }) : _("{p} before the cuts, {after} after them", { p: percent(p), after: percent(after) }) }));
  if (v.data.attributed) {
    const title = pinned ? _("Let go of this word") : _("Who wrote this word? Shows what each head and MLP adds to it");
    item.append(make("button", { type: "button", className: "who", textContent: "◎", title, "aria-label": `${title}: ${name}`, "aria-pressed": String(pinned),
      onclick: () => stopAnd(v, "pin", token) }));
  }
  return item;
}

/**
 * @param {View} v
 * @param {string} act
 * @param {number} [token]
 */
function stopAnd(v, act, token) {
  setPlaying(v, false);
  ask(v, act, token);
}

/**
 * @param {View} v
 * @param {boolean} playing
 */
function setPlaying(v, playing) {
  clearTimeout(v.timer);
  v.playing = playing;
  v.play.textContent = playing ? "■ Stop" : "▶ Write";
  v.play.setAttribute("aria-pressed", String(playing));
  const next = v.data?.writing?.next;
  if (!playing) return;
  if (next) ask(v, "write", next[0]);
  else setPlaying(v, false);
}

/**
 * Lines across the list where a filter cuts.
 * @param {View} v
 */
function markCuts(v) {
  const items = /** @type {HTMLElement[]} */ ([...v.list.children]);
  for (const { label, rows, p } of v.data.cuts) {
    if (rows !== null && rows > 0 && rows <= items.length) items[rows - 1].append(make("span", { className: "line", textContent: label }));
    if (p === null) continue;
    for (const item of items) {
      const line = make("i", { className: "least", title: label });
      line.style.left = `${100 * p}%`;
      item.querySelector(".track")?.append(line);
    }
  }
}

/** @param {View} v */
function savedBars(v) {
  const theme = paperTheme(v.theme, v.data.colors);
  const height = PAGE.top + PAGE.row * v.data.rows.length + 28;
  return figureOf("tlmviz-next-token", { width: PAGE.width, height, theme }, (pen) => draw(pen, v.data, theme));
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ (/** @type {unknown} */ (
    { list: make("ol", { testid: "next-tokens" }), title: make("h3"), note: make("p", { className: "note", "aria-live": "polite" }), playing: false,
    asked: Date.now() }));
  v.play = makeButton("▶ Write", _("Let the model write on, token by token"), () => setPlaying(v, !v.playing));
  v.undo = makeButton("↶", _("Take the last written token back"), () => stopAnd(v, "undo"));
  v.restart = makeButton("⇤", _("Back to the text before anything was written"), () => stopAnd(v, "restart"));
  v.keep = makeButton("Keep", _("Keep this text beside another continuation"), () => stopAnd(v, "keep"));
  v.undo.setAttribute("aria-label", v.undo.title);
  v.restart.setAttribute("aria-label", v.restart.title);
  v.tools = make("div", { className: "writing", role: "group", "aria-label": "Write on" }, v.play, v.undo, v.restart, v.keep);
  const saves = [pictureButton(v, "this figure", () => savedBars(v), { follows: ["grey"] })];
  const marks = ["0", "50", "100%"].map((text) => make("span", { textContent: text }));
  v.root = make("section", { className: "next" },
    v.tools,
    v.title,
    v.list,
    make("div", { className: "scale", "aria-hidden": "true" }, make("div", {}, ...marks)),
    v.note,
    make("div", { className: "saves" }, ...saves));
  host.append(v.root);
  v.stop = () => setPlaying(v, false);
  addEventListener("popstate", v.stop);
  return v;
}

/** @param {View} v */
function leave(v) {
  clearTimeout(v.timer);
  removeEventListener("popstate", v.stop);
}

/**
 * @param {View} v
 * @param {Data} data
 */
function receive(v, data) {
  const grown = v.data && data.text !== v.data.text;
  v.data = data;
  v.theme = readTheme(v.root, data.colors, v.theme);
  v.root.style.setProperty("--height", `${data.height}px`);
  v.title.textContent = v.title.title = titleOf(data);
  v.list.setAttribute("aria-label", _("{data}: the most probable tokens and their probabilities", { data: titleOf(data) }));
  v.list.replaceChildren(...data.rows.map((row) => makeBar(v, row)));
  markCuts(v);
  v.note.textContent = [data.note, data.writing?.note].filter(Boolean).join(" ");
  v.tools.hidden = !data.writing;
  v.undo.disabled = v.restart.disabled = !data.writing?.written;
  if (!v.playing || !grown) return;
  clearTimeout(v.timer);
  v.timer = setTimeout(() => v.playing && setPlaying(v, true), PAUSE);
}

export default mounted({ create, receive, leave });
