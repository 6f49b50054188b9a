// @ts-check
// Between a lesson and its room: what this tab answered goes to the server, how the room stands comes back.

import { make } from "#canvas/dom.js";
import { mounted } from "#canvas/mount.js";
import { tabNumber } from "./tab.js";

/** @typedef {import("./classroom.js").Standing} Standing */
/** @typedef {{ root: HTMLElement, component: any, data: Standing, sent: string, leave: () => void }} View */

/** @param {HTMLElement} host */
function create(host) {
  const root = make("i", { hidden: true });
  host.append(root);
  const v = /** @type {View} */ (/** @type {unknown} */ ({ root, sent: "" }));
  const said = (/** @type {Event} */ event) => {
    const now = { ...(/** @type {CustomEvent} */ (event).detail), visitor: tabNumber() };
    if (JSON.stringify(now) === v.sent) return;
    v.sent = JSON.stringify(now);
    v.component.setStateValue("said", now);
  };
  addEventListener("tlmviz-lesson", said);
  v.leave = () => removeEventListener("tlmviz-lesson", said);
  return v;
}

/** @param {View} v @param {Standing} data */
function receive(v, data) {
  if (!v.sent) dispatchEvent(new CustomEvent("tlmviz-room-here")); // the lesson may have come first, or comes later
  dispatchEvent(new CustomEvent("tlmviz-room", { detail: data }));
}

export default mounted({ create, receive, leave: (/** @type {View} */ v) => v.leave() });
