// @ts-check
// A lesson over the whole window: one sentence, one picture, one act. All scenes have come at once, so the next needs no server.

import { make, makeButton } from "#canvas/dom.js";
import { _, chooseLanguage } from "#canvas/language.js";
import { mounted } from "#canvas/mount.js";
import { isDark } from "#canvas/theme.js";
import { answerOf, begun, isGuess, picked, replyOnTheWay, replyTo, scored, shown } from "./acts.js";
import { leaveWayBack, takeWayBack } from "./behind.js";
import { report, roomBars, roomHint, roomSaid, standing, visible } from "./classroom.js";
import { pressedKey } from "./keys.js";
import { keepLeft } from "./left.js";
import { makeStage } from "./marks.js";
import { composed } from "./pictures.js";
import { follow, linkTo, placeIn, placeNow } from "./progress.js";
import { saveButton } from "./save.js";
import { lead, ownSentence, rich, ruler } from "./texts.js";

/** @typedef {import("./acts.js").Scene} Scene */
/** @typedef {import("./acts.js").State} State */
/** @typedef {import("./pictures.js").Part} Part */
/** @typedef {{ name: string, title: string, text: string, sentence: string, asked: string, note: string, beyond: string, read: string, scenes: Scene[],
 * end: { says: string, shows: Part[] }[], measured: string, room: string, wall: boolean, alone: boolean, next: { title: string, link: string } | null,
 *   lang: string }} Data as `runner.payload` in Python has it */
/** @typedef {import("./classroom.js").Standing} Standing */
/** @typedef {{ root: HTMLDialogElement, room: Standing, component: any, data: Data, latest: Data, sent: string, at: number, states: State[],
 * parts: Record<string, any>, stage: ReturnType<typeof makeStage>, little: ReturnType<typeof makeStage>[], leave: () => void, behind: boolean }} View */

/** @param {View} v */
const link = (v) => linkTo({ lesson: v.data.name, scene: v.at, told: v.states.map(({ told }) => told), sentence: v.data.sentence }, location.search);

/** Something is heard of the room. @param {View} v @param {Standing} room */
function hear(v, room) {
  if (!v.data?.room) return;
  v.room = room;
  if (room.held && !v.data.wall && v.at > room.held) go(v, room.held);
  else draw(v);
}

/** @param {View} v @param {boolean} [push] */
function save(v, push) {
  const to = link(v);
  report(v);
  if (push) history.pushState({}, "", to);
  else history.replaceState({}, "", to);
  if (!v.data.room && (v.at > 1 || v.states.some(({ told }) => told !== null))) keepLeft(v.data.name, v.at > v.data.scenes.length ? `${to}&done` : to);
}

/** @param {View} v @param {number} scene */
function go(v, scene) {
  v.at = Math.min(Math.max(1, scene), v.data.scenes.length + 1);
  save(v, true);
  draw(v);
  v.parts.says.focus({ preventScroll: true });
}

/** Take an answer, and go on to what it is said to. @param {View} v @param {number} told */
function tell(v, told) {
  const [state, { act }] = [v.states[v.at - 1], v.data.scenes[v.at - 1]];
  state.told = told;
  if (isGuess(act) && v.data.room) state.votes[v.room.scene === v.at ? v.room.vote : 1] = answerOf(act, told);
  save(v);
  draw(v);
  v.parts.next.focus({ preventScroll: true });
}

/** Something in the picture was pressed. @param {View} v @param {string} key */
function press(v, key) {
  const [{ act }, state] = [v.data.scenes[v.at - 1], v.states[v.at - 1]];
  if (act.kind === "tap") return tell(v, Number(key));
  if (act.kind === "pick") {
    const without = state.chosen.filter((one) => one !== key);
    state.chosen = without.length < state.chosen.length ? without : [...without, key].slice(-act.count);
    return draw(v);
  }
  state.pressed = typeof act.replies[0].key === "number" ? Number(key) : key;
  state.tries++;
  if (replyOnTheWay(act, state)?.right) return tell(v, state.tries);
  return draw(v);
}

/** @param {View} v @param {Scene} scene @param {State} state @returns {HTMLElement[]} */
function acts(v, { act }, state) {
  const solid = { type: "button", className: "act solid" };
  if (act.kind === "choose") return act.replies.map(({ label }, n) =>
    make("button", { type: "button", className: "act", textContent: label, onclick: () => tell(v, n) }));
  if (act.kind === "pick") return [make("button", { ...solid, textContent: act.button, disabled: state.chosen.length < act.count,
    onclick: () => tell(v, picked(act, state.chosen)) })];
  if (act.kind === "drag" && act.until === null) return [make("button", { ...solid, textContent: act.button,
    disabled: !state.moved, onclick: () => tell(v, state.value) })];
  if (act.kind !== "again") return [];
  const step = () => (++state.tries < act.replies.length ? draw(v) : tell(v, state.tries));
  return [make("button", { ...solid, textContent: act.button, onclick: step })];
}

/** Real buttons over the places of the picture that can be pressed. @param {View} v @param {import("./marks.js").Picture} picture @param {State} state
 * @param {Scene} scene */
function overlay(v, { hits, range }, state, { act }) {
  const held = /** @type {HTMLElement | null} */ (v.parts.stage.querySelector(":focus"))?.dataset.key;
  v.parts.stage.querySelectorAll("button, input").forEach((/** @type {HTMLElement} */ one) => one.remove());
  for (const { key, label, x, y, w, h, round, pressed } of hits) {
    const over = make("button", { type: "button", "aria-label": label, className: round ? "round" : "", onclick: () => press(v, key) });
    over.dataset.key = key;
    if (pressed !== undefined) over.setAttribute("aria-pressed", String(pressed));
    over.style.cssText = `left:${x}px;top:${y}px;width:${w}px;height:${h}px`;
    v.parts.stage.append(over);
    if (key === held) over.focus({ preventScroll: true });
  }
  if (act.kind !== "drag" || state.told !== null || !range) return;
  const slider = make("input", { type: "range", min: "0", max: "100", value: String(state.value), "aria-label": act.label });
  slider.style.cssText = `left:${range.x - 15}px;top:${range.y - 22}px;width:${range.w + 30}px`;
  const touch = () => { // where it stands at first is nobody's guess
    state.moved = true;
    v.parts.acts.querySelector("button")?.removeAttribute("disabled");
  };
  slider.onpointerdown = touch;
  slider.oninput = () => {
    touch();
    state.value = Number(slider.value);
    if (act.until !== null && state.value <= act.until) tell(v, 1);
    else v.stage.show(paint(v).marks, true);
  };
  v.parts.stage.append(slider);
}

/** The picture of the scene as it stands. @param {View} v */
function paint(v) {
  const { clientWidth: W, clientHeight: H } = v.parts.stage;
  v.parts.svg.setAttribute("viewBox", `0 0 ${W} ${H}`);
  const [scene, state] = [v.data.scenes[v.at - 1], visible(v)];
  const parts = shown(scene, state);
  if (v.data.wall && state.told !== null) parts.push(roomBars(v));
  return composed(W, H, parts, ruler);
}

/** @param {View} v @param {boolean} [quick] */
function draw(v, quick) {
  const { data, parts, at } = v;
  const scene = data.scenes[at - 1];
  v.root.classList.toggle("ended", !scene);
  parts.dots.forEach((/** @type {HTMLElement} */ dot, /** @type {number} */ n) => {
    const [told, act] = [v.states[n]?.told ?? null, data.scenes[n]?.act];
    const open = told !== null && !(data.room && isGuess(act));
    dot.classList.toggle("done", told !== null);
    dot.classList.toggle("right", open && isGuess(act) && Boolean(replyTo(act, told)?.right));
    dot.classList.toggle("wrong", open && isGuess(act) && !replyTo(act, told)?.right);
    if (n === at - 1) dot.setAttribute("aria-current", "step");
    else dot.removeAttribute("aria-current");
  });
  if (!scene) return drawEnd(v);
  const state = visible(v);
  const { again, here } = standing(v);
  const guessed = v.states[at - 1].told !== null;
  const waits = isGuess(scene.act) && state.told === null && (data.wall || (guessed && !again));
  const reply = state.told === null ? replyOnTheWay(scene.act, state) : replyTo(scene.act, state.told);
  parts.says.replaceChildren(...rich(scene.says));
  const buttons = state.told === null && !waits ? acts(v, scene, state) : [];
  parts.acts.replaceChildren(...buttons);
  const said = reply ? `**${reply.verdict}** ${reply.reason}` : roomHint(v) || scene.hint;
  if (parts.after.dataset.said !== said) parts.after.replaceChildren(...rich(said));
  parts.after.dataset.said = said;
  parts.after.classList.toggle("hint", !reply);
  const ends = Boolean(here?.held) && at >= Number(here?.held) && !data.wall;
  const notes = [data.note, at === 1 && data.read, v.room.note, ends && _("Your teacher holds the room here."),
    guessed && state.told !== null && !data.wall && roomSaid(v, here)];
  parts.note.textContent = notes.filter(Boolean).join(" ");
  parts.own.replaceChildren(...(scene.asks && state.told === null ? [ownSentence(v)] : []));
  parts.behind.hidden = state.told === null || !scene.behind;
  parts.behind.href = scene.behind;
  parts.next.hidden = data.alone || ends || !(guessed || state.told !== null || data.wall);
  parts.next.textContent = _("Next");
  parts.end.replaceChildren();
  const picture = paint(v);
  v.stage.show(picture.marks, quick);
  parts.svg.setAttribute("aria-label", _("Picture: {words}",
    { words: picture.marks.filter((m) => m.type === "text").map((m) => m.look.text ?? "").filter(Boolean).join(" ") }));
  parts.frame.hidden = !picture.frame;
  if (picture.frame && parts.frame.getAttribute("src") !== picture.frame) parts.frame.src = picture.frame;
  overlay(v, waits ? { marks: [], hits: [] } : picture, state, scene);
  return undefined;
}

/** What can be explained now: three sentences with their pictures. @param {View} v */
function drawEnd(v) {
  const { data, parts } = v;
  const { right, all } = scored(data.scenes, v.states);
  parts.says.textContent = _("Now you can explain this");
  parts.acts.replaceChildren();
  v.stage.show([], true);
  overlay(v, { marks: [], hits: [] }, v.states[0], data.scenes[0]);
  const again = makeButton(_("Once more"), _("Take the lesson again, with nothing answered"), () => {
    v.states = data.scenes.map(({ act }) => begun(act));
    go(v, 1);
  });
  again.className = "act";
  parts.acts.append(again, make("a", { className: "act", href: "lessons", textContent: _("All lessons"),
    onclick: (/** @type {Event} */ event) => lead(event, "lessons") }));
  delete parts.after.dataset.said;
  const counted = all < data.scenes.length ? _("Scenes where you press until it happens are not counted.") : "";
  parts.after.replaceChildren(...rich(_("You guessed **{right} of {all}** right: the green dots above. {counted} {measured}",
    { right, all, counted, measured: data.measured })));
  parts.note.textContent = data.beyond;
  parts.own.replaceChildren();
  parts.behind.hidden = true;
  parts.next.hidden = !data.next;
  parts.next.textContent = data.next ? _("Next lesson: {title}", { title: data.next.title }) : "";
  parts.end.replaceChildren();
  v.little = data.end.map(({ says, shows }) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("aria-hidden", "true");
    parts.end.append(make("li", {}, svg, make("p", {}, ...rich(says))));
    const stage = makeStage(svg);
    const { clientWidth: W, clientHeight: H } = svg;
    svg.setAttribute("viewBox", `0 0 ${W} ${H}`);
    stage.show(composed(W, H, shows, ruler).marks);
    return stage;
  });
}

/** Open the page behind the scene, and leave a way back on it. @param {View} v @param {Event} event */
function lookBehind(v, event) {
  leaveWayBack(v.parts.says.textContent ?? "", link(v));
  lead(event, v.parts.behind.href);
}

/** The address has changed: Back, Forward, or a link. The server may draw another page, or measure another sentence. @param {View} v */
function arrive(v) {
  const place = placeIn(location.search);
  if (!location.pathname.endsWith("/lessons") || place.lesson !== v.latest.name) v.root.close();
  else if (place.sentence === v.latest.sentence) take(v);
}

/** Show what came last where the address is its own: it may come late, and stay while another page is gone to. @param {View} v */
function take(v) {
  const data = v.latest;
  const place = placeNow(data.asked, location.search);
  if (!location.pathname.endsWith("/lessons") || place.lesson !== data.name || place.sentence !== data.sentence) return;
  const same = v.data?.name === data.name && v.data.text === data.text && v.data.sentence === data.sentence;
  v.states = data.scenes.map(({ act }, n) => {
    const told = (same ? v.states[n].told : null) ?? place.told[n] ?? null;
    return begun(act, told === null || replyTo(act, told) ? told : null);
  });
  v.data = data;
  v.at = Math.min(place.scene, data.scenes.length + 1);
  v.parts.title.textContent = data.room ? `${data.title} · ${_("room {code}", { code: data.room })}` : data.title;
  v.parts.nav.hidden = data.alone;
  v.parts.dots = [...data.scenes, null].map((scene, n) =>
    makeButton("", scene ? _("Scene {n} of {all}", { n: n + 1, all: data.scenes.length }) : _("The end"), () => go(v, n + 1)));
  for (const dot of v.parts.dots) dot.setAttribute("aria-label", dot.title);
  v.parts.nav.replaceChildren(...v.parts.dots);
  takeWayBack();
  if (!v.root.open) v.root.showModal();
  draw(v, true);
  save(v);
  v.parts.says.focus({ preventScroll: true });
}

/** @param {HTMLElement} host */
function create(host) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("role", "img");
  const frame = make("iframe", { title: _("The page that is asked about"), hidden: true });
  const p = { svg, says: make("h1", { tabIndex: -1, id: "says" }), frame, stage: make("div", { className: "stage" }, svg, frame),
    acts: make("div", { className: "acts" }), own: make("div", { className: "own" }), note: make("p", { className: "note", "aria-live": "polite" }),
    after: make("p", { className: "after", "aria-live": "polite" }), end: make("ol", { className: "end" }), nav: make("nav", { "aria-label": _("Scenes") }),
    title: make("span"), dots: /** @type {HTMLButtonElement[]} */ ([]),
    behind: make("a", { className: "behind", textContent: _("Look behind"), title: _("The page that shows this whole, in this state") }),
    next: make("button", { type: "button", className: "act solid" }) };
  const close = makeButton("✕", _("All lessons"), () => follow("lessons"));
  close.setAttribute("aria-label", _("All lessons"));
  close.className = "close";
  const root = make("dialog", { className: "lesson", testid: "lesson", "aria-labelledby": "says" },
    make("header", {}, close, p.title, saveButton(svg, () => ({ name: `lesson-${v.data.name}-${v.at}`, says: p.says.textContent ?? "" })), p.nav), p.says,
      make("div", { className: "middle" }, p.stage, p.end),
    make("footer", {}, p.acts, p.own, p.note, p.after, make("div", { className: "ways" }, p.behind, p.next)));
  host.append(root);
  const v = /** @type {View} */ (/** @type {unknown} */ (
    { root, parts: p, stage: makeStage(svg), little: [], at: 1, states: [], sent: "", room: { scene: 0, note: "", vote: 1, votes: [] } }));
  p.next.onclick = () => (v.at > v.data.scenes.length ? v.data.next && follow(v.data.next.link) : go(v, v.at + 1));
  p.behind.onclick = (event) => lookBehind(v, event);
  root.addEventListener("keydown", (event) => pressedKey(p, event));
  root.addEventListener("cancel", (event) => lead(event, "lessons"));
  const moved = () => v.latest && arrive(v);
  const heard = (/** @type {Event} */ event) => hear(v, /** @type {CustomEvent} */ (event).detail);
  addEventListener("popstate", moved);
  addEventListener("tlmviz-room", heard);
  const asked = () => v.data && report(v);
  addEventListener("tlmviz-room-here", asked);
  const resized = new ResizeObserver(() => v.data && draw(v, true));
  resized.observe(p.stage);
  v.leave = () => {
    removeEventListener("popstate", moved);
    removeEventListener("tlmviz-room", heard);
    removeEventListener("tlmviz-room-here", asked);
    resized.disconnect();
    for (const stage of [v.stage, ...v.little]) stage.stop();
    root.close();
  };
  return v;
}

/** @param {View} v @param {Data} data */
function receive(v, data) {
  chooseLanguage(data.lang);
  v.root.classList.toggle("dark", isDark(v.root));
  const sent = JSON.stringify(data);
  if (sent === v.sent && v.root.open) return save(v);
  [v.sent, v.latest] = [sent, data];
  return take(v);
}

export default mounted({ create, receive, leave: (/** @type {View} */ v) => v.leave() });
