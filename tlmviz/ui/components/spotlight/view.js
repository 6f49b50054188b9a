// @ts-check
// Frames the place that a step of a tour speaks of, blurred as long as what it shows would answer the step's question. Nothing is
// put into the page: the frame floats above it and lets every pointer through.

import { saidOfLink } from "#canvas/caption.js";
import { make } from "#canvas/dom.js";
import { mounted } from "#canvas/mount.js";
import { keepLeft } from "./left.js";

/** @typedef {import("#canvas/mount.js").Component} Component */
/** @typedef {{ step: string, place: string, link: string, text: string | null, hide: boolean }} Data as `spotlight` in Python has it */
/** @typedef {{ root: HTMLElement, component: Component, data: Data, ring: HTMLElement, arriving: number, pending: number, leave: () => void }} View */

const ARRIVING = 6000; // milliseconds in which a place that moves, while the page is still drawn, is scrolled to again
const GAP = 4; // pixels between the place and its frame
const MAIN = "[data-testid=stMain]";
const LOOK =
  "position:fixed;z-index:90;pointer-events:none;border-radius:.5rem;border:3px solid #e8890c;" +
  "box-shadow:0 0 0 2px #fff8, 0 0 16px 2px #e8890c88;";

/** The height up to which the page is seen: the tour's bar covers what is below. */
function floor() {
  return document.querySelector("[data-testid=stBottom]")?.getBoundingClientRect().top ?? innerHeight;
}

/**
 * Scroll to a place unless it is seen already; one that is higher than the room there is begins at the top.
 * @param {Element} place
 */
function bring(place) {
  const { top, bottom, height } = place.getBoundingClientRect();
  const room = floor();
  if (top >= 0 && (bottom <= room || top <= room / 4)) return;
  const main = document.querySelector(MAIN);
  if (main instanceof HTMLElement) main.style.scrollPadding = `3rem 0 ${innerHeight - room + 12}px`;
  place.scrollIntoView({ block: height > 0.75 * room ? "start" : "nearest" });
}

/** @param {View} v */
function light(v) {
  const place = document.querySelector(v.data.place);
  v.ring.hidden = !place?.getClientRects().length;
  if (!place || v.ring.hidden) return;
  if (performance.now() < v.arriving) bring(place);
  const { left, top, width, height } = place.getBoundingClientRect();
  const box = { left: left - GAP, top: top - GAP, width: width + 2 * GAP, height: height + 2 * GAP };
  for (const [name, value] of Object.entries(box)) v.ring.style.setProperty(name, `${value}px`);
}

/** Show the way back to the step's text where another one is read. @param {View} v */
function noticeText(v) {
  const shown = new URLSearchParams(saidOfLink()?.whole).get("text");
  const back = document.querySelector(".tour .own");
  if (back instanceof HTMLElement) back.hidden = v.data.text === null || shown === null || shown === v.data.text;
}

/** @param {View} v */
function lightSoon(v) {
  cancelAnimationFrame(v.pending);
  v.pending = requestAnimationFrame(() => {
    light(v);
    noticeText(v);
  });
}

/** @param {HTMLElement} host */
function create(host) {
  const root = make("i", { hidden: true });
  host.append(root);
  const ring = make("div", { testid: "spotlight", hidden: true, "aria-hidden": "true" });
  ring.style.cssText = LOOK;
  document.body.append(ring);
  const v = /** @type {View} */ (/** @type {unknown} */ ({ root, ring, arriving: 0, pending: 0 }));
  const follow = () => v.data && lightSoon(v);
  const stay = () => (v.arriving = 0); // whoever scrolls decides
  const moves = new MutationObserver(follow);
  const sizes = new ResizeObserver(follow);
  const main = document.querySelector(MAIN) ?? document.body;
  moves.observe(main, { childList: true, subtree: true });
  for (const part of main.children) sizes.observe(part);
  const heard = /** @type {[string, () => void][]} */ ([
    ["scroll", follow], ["resize", follow], ["wheel", stay], ["touchmove", stay], ["keydown", stay],
  ]);
  for (const [kind, listener] of heard) addEventListener(kind, listener, true);
  v.leave = () => {
    moves.disconnect();
    sizes.disconnect();
    cancelAnimationFrame(v.pending);
    for (const [kind, listener] of heard) removeEventListener(kind, listener, true);
    ring.remove();
    document.documentElement.removeAttribute("data-tour-hides");
  };
  return v;
}

/**
 * @param {View} v
 * @param {Data} data
 */
function receive(v, data) {
  if (data.step !== v.data?.step) v.arriving = performance.now() + ARRIVING;
  v.data = data;
  v.ring.dataset.step = data.step;
  v.ring.style.backdropFilter = data.hide ? "blur(9px)" : "";
  document.documentElement.toggleAttribute("data-tour-hides", data.hide); // a page's sentence would answer as well
  if (data.link) keepLeft(data.step.split(".")[0], data.link);
  lightSoon(v);
}

export default mounted({ create, receive, leave: (/** @type {View} */ v) => v.leave() });
