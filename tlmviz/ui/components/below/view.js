// @ts-check
// Asks the server for what is below a live picture, once that picture is painted and the place is on the screen.

import { make } from "#canvas/dom.js";
import { mounted } from "#canvas/mount.js";
import { onPainted, paintedPicture } from "#canvas/painted.js";

/** @typedef {import("#canvas/mount.js").Component} Component */
/** @typedef {{ area: string, drawn: number }} Data `drawn`: the picture that what is in the area belongs to; 0 while it is empty */
/** @typedef {{ root: HTMLElement, component: Component, data: Data, asked: number, observer: IntersectionObserver, deaf: () => void }} View */

/**
 * Whether a place is on the screen now. What the observer said last may be of a time before the picture above it had its
 * height.
 * @param {string} area
 */
function seen(area) {
  const box = document.querySelector(`.st-key-${area}`)?.getBoundingClientRect();
  return !!box && box.top < window.innerHeight && box.bottom > 0;
}

/** @param {View} v */
function ask(v) {
  const picture = paintedPicture();
  if (!v.data || picture <= v.data.drawn || picture === v.asked || !seen(v.data.area)) return;
  v.asked = picture;
  v.component.setTriggerValue("painted", picture);
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ root: make("i", { hidden: true }), asked: 0 });
  host.append(v.root);
  v.observer = new IntersectionObserver(() => ask(v));
  v.deaf = onPainted(() => ask(v));
  return v;
}

/**
 * @param {View} v
 * @param {Data} data
 */
function receive(v, data) {
  if (data.area !== v.data?.area) v.observer.observe(document.querySelector(`.st-key-${data.area}`));
  v.data = data;
  ask(v);
}

/** @param {View} v */
function leave(v) {
  v.observer.disconnect();
  v.deaf();
}

export default mounted({ create, receive, leave });
