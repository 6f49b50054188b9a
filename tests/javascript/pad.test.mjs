// The drawing pad's arithmetic: strokes over pixels, and pixels as letters.

import assert from "node:assert/strict";
import { test } from "node:test";

import { inkStroke, readPixels, writtenPixels } from "#canvas/pad.js";

test("a touch inks the pixel below it fully and its neighbours a little", () => {
  const values = new Uint8Array(64);
  inkStroke(values, 8, [3.5, 4.5, 3.5, 4.5]);
  assert.equal(values[4 * 8 + 3], 16);
  assert.ok(values[4 * 8 + 2] > 0 && values[4 * 8 + 2] < 16);
  assert.equal(values[4 * 8 + 2], values[3 * 8 + 3]);
  assert.equal(values[4 * 8 + 5], 0);
});

test("a stroke has no gaps, however fast it is", () => {
  const values = new Uint8Array(64);
  inkStroke(values, 8, [0.5, 2.5, 7.5, 2.5]);
  assert.deepEqual(Array.from(values.slice(16, 24)), Array(8).fill(16));
  assert.ok(values.slice(32).every((value) => value === 0));
});

test("ink only grows, and the eraser takes it", () => {
  const values = new Uint8Array(64).fill(16);
  inkStroke(values, 8, [1, 1, 6, 6]);
  assert.ok(values.every((value) => value === 16));
  inkStroke(values, 8, [3.5, 3.5, 3.5, 3.5], true);
  assert.equal(values[3 * 8 + 3], 0);
  assert.equal(values.filter((value) => value === 0).length, 1);
});

test("a stroke that leaves the pad changes what it passed", () => {
  const values = new Uint8Array(64);
  inkStroke(values, 8, [-20, 0.5, 2.5, 0.5]);
  assert.deepEqual(Array.from(values.slice(0, 3)), [16, 16, 16]);
  assert.ok(values.every((value) => value <= 16));
});

test("pixels are written and read as letters", () => {
  const values = Uint8Array.from({ length: 64 }, (_, i) => i % 17);
  assert.deepEqual(readPixels(writtenPixels(values)), values);
  assert.equal(writtenPixels([0, 9, 10, 16]), "09ag");
  assert.deepEqual(Array.from(readPixels("?g")), [0, 16]);
});
