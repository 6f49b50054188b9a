// @ts-check
// Asks the server for what is below a live picture, once that picture is painted and the place is on the screen.

import { make } from "#canvas/dom.js";
import { mounted } from "#canvas/mount.js";
import { onPainted, paintedPicture } from "#canvas/painted.js";

/** @typedef {import("#canvas/mount.js").Component} Component */
/** @typedef {{ area: string, drawn: number }} Data `drawn`: the picture that what is in the area belongs to; 0 while it is empty */
/** @typedef {{ root: HTMLElement, component: Component, data: Data, seen: boolean, asked: number, observer: IntersectionObserver, deaf: () => void }} View */

/** @param {View} v */
function ask(v) {
  const picture = paintedPicture();
  if (!v.data || !v.seen || picture <= v.data.drawn || picture === v.asked) return;
  v.asked = picture;
  v.component.setTriggerValue("painted", picture);
}

/** @param {HTMLElement} host */
function create(host) {
  const v = /** @type {View} */ ({ root: make("i", { hidden: true }), seen: false, asked: 0 });
  host.append(v.root);
  v.observer = new IntersectionObserver((entries) => {
    v.seen = entries[entries.length - 1].isIntersecting;
    ask(v);
  });
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
