// @ts-check
// Asks the server for what is below a live picture, once that picture is painted and, for what is costly, the place on the screen.

import { make } from "#canvas/dom.js";
import { appRests, isLeft } from "#canvas/leaving.js";
import { mounted } from "#canvas/mount.js";
import { announcePicture, onPainted, paintedPicture, wantsWhole } from "#canvas/painted.js";

/** @typedef {import("#canvas/mount.js").Component} Component */
/** @typedef {{ area: string, drawn: number, seen: boolean }} Data `drawn`: the picture that what is in the area belongs to; 0 while it is empty */
/**
 * @typedef {{ root: HTMLElement, component: Component, data: Data, born: number, area?: string, asked: number, since: number, wanted: boolean,
 *   observer: IntersectionObserver,
 *   deaf: () => void, repeat: ReturnType<typeof setInterval> }} View
 */

const AGAIN = 2000; // milliseconds between looks for a request that was lost

/**
 * Whether a place is on the screen now. What the observer said last may be of a time before the picture above it had its
 * height.
 * @param {string} area
 */
function seen(area) {
  const box = document.querySelector(`.st-key-${area}`)?.getBoundingClientRect();
  return !!box && box.top < window.innerHeight && box.bottom > 0;
}

/**
 * Ask for what is below the picture that was painted last, where it is due. `data-below` of the root says how things stand:
 * "done", "due" (asked for, or about to be), or "unseen", for a place that nobody has looked at.
 * @param {View} v
 */
function ask(v) {
  if (!v.data || isLeft(v.born)) return;
  const picture = paintedPicture();
  const due = wantsWhole() || v.wanted || !v.data.seen || seen(v.data.area);
  v.root.dataset.below = v.data.drawn >= Math.max(1, picture) ? "done" : due ? "due" : "unseen";
  if (picture <= v.data.drawn || picture === v.asked || !due) return;
  // Once asked for it is wanted, even where what came above it has pushed it off the screen.
  Object.assign(v, { asked: picture, since: performance.now(), wanted: true });
  v.component.setTriggerValue("painted", picture);
}

/**
 * What was asked for while the server did something else may have been passed over: it rests, and nothing came. Where no
 * picture has been painted by then, none is to be waited for.
 * @param {View} v
 */
function askAgain(v) {
  // A busy server begins late: only what has been asked for a while ago may be lost.
  if (performance.now() - v.since >= AGAIN && appRests()) {
    v.asked = 0;
    if (!paintedPicture()) announcePicture(1);
  }
  ask(v);
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ root: make("i", { hidden: true }), born: performance.now(), asked: 0, since: -AGAIN, wanted: false });
  host.append(v.root);
  v.observer = new IntersectionObserver(() => ask(v));
  v.deaf = onPainted(() => ask(v));
  v.repeat = setInterval(() => askAgain(v), AGAIN);
  return v;
}

/**
 * @param {View} v
 * @param {Data} data
 */
function receive(v, data) {
  const area = data.area !== v.area && document.querySelector(`.st-key-${data.area}`);
  if (area) { // none where the page has been left meanwhile
    v.observer.observe(area);
    v.area = data.area;
  }
  v.data = data;
  if (data.drawn >= paintedPicture()) v.wanted = false;
  ask(v);
}

/** @param {View} v */
function leave(v) {
  v.observer.disconnect();
  v.deaf();
  clearInterval(v.repeat);
}

export default mounted({ create, receive, leave });
