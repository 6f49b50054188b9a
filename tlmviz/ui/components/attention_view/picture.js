// @ts-check
// The image that the last tokens are patches of, and over it what one place attends to, [CLS] at first.

import { make } from "#canvas/dom.js";
import { fit } from "#canvas/pens.js";
import { digits, minus, visible } from "#canvas/text.js";
import { fade } from "#canvas/theme.js";
import { _ } from "#canvas/language.js";

/** @typedef {import("./types").View} View */

const TALL = 190; // pixels of the picture at most
const STRONG = 0.9; // opacity of the heaviest patch

/** The picture and the line below it. */
export function pictureElements() {
  return {
    picture: make("canvas", { className: "picture", testid: "picture", role: "img", hidden: true }),
    pictured: make("p", { className: "hint", hidden: true }),
  };
}

/**
 * The place whose weights are drawn: the one that is looked at, else the first, which is [CLS] where there is one.
 * @param {View} v
 * @param {number | null} looked
 */
export function paintPicture(v, looked) {
  const { patches, tokens } = v.header;
  v.els.picture.hidden = v.els.pictured.hidden = !patches;
  if (!patches || !v.exact) return;
  const { rows, columns, height, width } = patches;
  const room = Math.max(40, v.els.scroller.clientWidth);
  const high = Math.min(TALL, (room * height) / width);
  const wide = (high * width) / height;
  const ctx = fit(v.els.picture, wide, high);
  ctx.drawImage(imageOf(v), 0, 0, wide, high);
  const first = tokens.length - rows * columns;
  const asked = looked ?? 0;
  const weights = v.exact.row(asked).subarray(first);
  const most = Math.max(...weights, 1e-9);
  const [x, y] = [wide / columns, high / rows];
  weights.forEach((weight, k) => {
    ctx.fillStyle = fade(v.theme.heads[1], STRONG * (weight / most));
    ctx.fillRect((k % columns) * x, Math.floor(k / columns) * y, x + 0.3, y + 0.3);
  });
  if (asked >= first) {
    ctx.strokeStyle = v.theme.primary;
    ctx.lineWidth = 2.5;
    ctx.strokeRect(((asked - first) % columns) * x, Math.floor((asked - first) / columns) * y, x, y);
  }
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const over = v.patch === null ? _("{sum}% of its weight falls on patches, at most {most} on one",
    { sum: minus(digits(100 * sum, 3)), most: minus(digits(most, 3)) }) : `${visible(tokens[first + v.patch])}: ${minus(digits(weights[v.patch], 5))}`;
  v.els.pictured.textContent = _("{token} attends; {over}. Point at a row of the map, or click a patch to ask from it.",
    { token: visible(tokens[asked]), over });
  Object.assign(v.els.picture.dataset, { asked, largest: weights.indexOf(most) });
  v.els.picture.setAttribute("aria-label", _("The image, and over it the weights of {token} on its {rows} by {columns} patches.",
    { token: visible(tokens[asked]), rows, columns }));
}

/**
 * The image on a canvas of its own, made once for each payload that brings one.
 * @param {View} v
 */
function imageOf(v) {
  const { image } = v.arrays;
  if (v.pixels === image) return v.image;
  const { height, width } = v.header.patches;
  v.pixels = image;
  v.image = Object.assign(document.createElement("canvas"), { width, height });
  const ctx = v.image.getContext("2d");
  const drawn = ctx.createImageData(width, height);
  for (let k = 0; k < width * height; k++) drawn.data.set([image[3 * k], image[3 * k + 1], image[3 * k + 2], 255], 4 * k);
  ctx.putImageData(drawn, 0, 0);
  return v.image;
}

/**
 * The patch under the pointer.
 * @param {View} v
 * @param {MouseEvent} event
 */
function patchAt({ els, header }, event) {
  const box = els.picture.getBoundingClientRect();
  const { rows, columns } = header.patches;
  const at = (/** @type {number} */ share, /** @type {number} */ count) => Math.max(0, Math.min(count - 1, Math.floor(share * count)));
  return at((event.clientY - box.y) / box.height, rows) * columns + at((event.clientX - box.x) / box.width, columns);
}

/**
 * A patch that is pointed at says its weight, and one that is clicked asks.
 * @param {View} v
 * @param {(query: number) => void} ask
 */
export function wirePicture(v, ask) {
  const { picture } = v.els;
  picture.addEventListener("pointermove", (event) => {
    v.patch = patchAt(v, event);
    paintPicture(v, v.state.query);
  });
  picture.addEventListener("pointerleave", () => {
    v.patch = null;
    paintPicture(v, v.state.query);
  });
  picture.addEventListener("click", (event) => ask(v.header.tokens.length - v.header.patches.rows * v.header.patches.columns + patchAt(v, event)));
}
