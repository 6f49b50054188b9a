// @ts-check
// What is pointed at, by mouse, finger or keys: a latent's map, or a pixel of the pad.

import { pointedAt } from "./maps.js";
import { choose, paint, toggleMute } from "./view.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Pointed} Pointed */

/**
 * @param {View} v
 * @param {Pointed} pointed
 */
function point(v, pointed) {
  if (JSON.stringify(pointed) === JSON.stringify(v.pointed)) return;
  v.pointed = pointed;
  paint(v);
}

/** @type {Pointed} */
const NOTHING = { at: null, pixel: null };

/** @param {View} v */
export function wirePad(v) {
  const { root } = v.pad;
  root.addEventListener("pointermove", (event) => {
    const box = root.getBoundingClientRect();
    const [column, row] = [Math.floor((8 * (event.clientX - box.x)) / box.width), Math.floor((8 * (event.clientY - box.y)) / box.height)];
    const inside = column >= 0 && column < 8 && row >= 0 && row < 8;
    point(v, inside ? { at: null, pixel: 8 * row + column } : NOTHING);
  });
  root.addEventListener("pointerleave", () => point(v, NOTHING));
}

/** @param {View} v */
export function wireMaps(v) {
  const { maps } = v.els;
  const under = (/** @type {MouseEvent} */ event) => {
    const box = maps.getBoundingClientRect();
    return pointedAt(v, v.layout, event.clientX - box.x, event.clientY - box.y);
  };
  maps.addEventListener("pointermove", (event) => {
    const pointed = under(event);
    maps.style.cursor = pointed.at ? "pointer" : "default";
    point(v, pointed);
  });
  maps.addEventListener("pointerleave", () => point(v, NOTHING));
  maps.addEventListener("click", (event) => {
    const { at } = under(event);
    choose(v, { pin: at && v.pin?.join() === at.join() ? null : at });
  });
  maps.addEventListener("dblclick", (event) => {
    const { at } = under(event);
    if (at) toggleMute(v, at[1]);
  });
  maps.addEventListener("keydown", (event) => {
    if (chosenByKey(v, event.key)) event.preventDefault();
  });
}

/**
 * A key: arrows choose a map, M mutes its latent, Escape lets go. Returns whether it meant something.
 * @param {View} v
 * @param {string} key
 */
function chosenByKey(v, key) {
  const way = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[key];
  const { layers, latents } = v.header;
  if (way) {
    const [layer, latent] = v.pin ?? [0 - way[0], 0 - way[1]];
    choose(v, { pin: [(layer + way[0] + layers) % layers, (latent + way[1] + latents) % latents] });
  } else if ((key === "m" || key === "M") && v.pin) toggleMute(v, v.pin[1]);
  else if (key === "Escape" && v.pin) choose(v, { pin: null });
  else return false;
  return true;
}
