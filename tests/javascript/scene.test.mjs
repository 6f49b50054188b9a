// The picture of nine digits: each is drawn by itself, whole, in its cell.

import assert from "node:assert/strict";
import { test } from "node:test";

import { drawCells } from "../../pages/beyond/text_and_image/drawing.js";

/** The inked rectangles of a picture of so many pixels of the screen. */
function inked(pixels, size) {
  globalThis.document = { createElement: () => ({ getContext: () =>
    ({ clearRect() {}, fillRect() {}, getImageData: () => ({ data: [255, 255, 255, 255] }) }) }) };
  const found = [];
  let [left, top] = [0, 0];
  const pen = {
    rect: (x, y, wide, high, fill, stroke, more) => more && found.push({ x: left + x, y: top + y, wide, high, alpha: more.alpha }),
    shifted: (x, y, draw) => {
      [left, top] = [x, y];
      draw();
      [left, top] = [0, 0];
    },
  };
  drawCells(pen, { background: "#fff" }, pixels, size);
  return found;
}

test("digits that fill their cells do not touch", () => {
  for (const size of [42, 150, 300]) {
    const found = inked(new Uint8Array(576).fill(16), size);
    assert.equal(found.length, 576);
    const step = size / 3;
    for (const { x, y, wide, high } of found) {
      for (const [at, long] of [[x, wide], [y, high]]) {
        const cell = Math.floor(at / step);
        assert.ok(at >= cell * step + 0.99 && at + long <= (cell + 1) * step - 0.99);
      }
    }
  }
});

test("a pixel is drawn in its cell, at its place", () => {
  const pixels = new Uint8Array(576);
  pixels[9 * 24 + 23] = 8; // the middle row's second line, the right column's last pixel
  const [{ x, y, alpha }, ...rest] = inked(pixels, 300);
  assert.deepEqual([rest.length, alpha], [0, 0.5]);
  assert.ok(x > 280 && x < 294 && y > 100 + 6 + 10 && y < 100 + 6 + 12);
});
