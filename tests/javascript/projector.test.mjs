// The projector's arithmetic: cameras, points in pixels, names that do not cover one another.

import assert from "node:assert/strict";
import { test } from "node:test";

import { dragged, homeOf, nearestPoint, unitOf, within, zoomed } from "../../pages/words/projector/camera.js";
import { placeNames } from "../../pages/words/projector/names.js";
import { disc, paintPoints, pixel } from "../../pages/words/projector/raster.js";

const BOX = [0.1, 0.2, 0.9, 0.6];

test("all of the box fits at zoom 1, both axes on one scale", () => {
  const unit = unitOf(BOX, 800, 300);
  assert.ok(0.8 * unit <= 800 && 0.4 * unit <= 300);
  assert.deepEqual(homeOf(BOX), { x: 0.5, y: 0.4, zoom: 1 });
});

test("zooming keeps the point under the pointer where it is", () => {
  const camera = { x: 0.5, y: 0.4, zoom: 2 };
  const unit = 500;
  const place = ({ x, y, zoom }) => [x + 120 / (unit * zoom), y - -80 / (unit * zoom)]; // what lies 120 right of and 80 above the middle
  const before = place(camera);
  const after = place(zoomed(camera, 1.7, 120, -80, unit));
  assert.ok(Math.abs(before[0] - after[0]) < 1e-12 && Math.abs(before[1] - after[1]) < 1e-12);
});

test("a drag moves what is shown with the pointer, and never out of sight", () => {
  const moved = dragged({ x: 0.5, y: 0.5, zoom: 1 }, 50, 20, 500);
  assert.ok(Math.abs(moved.x - 0.4) < 1e-12 && Math.abs(moved.y - 0.54) < 1e-12);
  assert.deepEqual(within({ x: -3, y: 9, zoom: 1e9 }), { x: 0, y: 1, zoom: 200 });
});

test("the nearest point within reach, or none", () => {
  assert.equal(nearestPoint([0, 10, 20], [0, 0, 0], 12, 1, 5), 1);
  assert.equal(nearestPoint([0, 10, 20], [0, 0, 0], 15, 90, 5), -1);
});

test("points are painted in order, and cut at the edges", () => {
  const pixels = new Uint32Array(40 * 30);
  const [red, blue] = [pixel([255, 0, 0]), pixel([0, 0, 255])];
  assert.equal(red, 0xff0000ff);
  paintPoints(pixels, 40, 30, { order: [0, 1, 2, 3], xs: [20, 20, 0, NaN], ys: [15, 15, 0, 5], groups: [0, 1, 0, 0], colours: [red, blue],
    stamps: [disc(2), disc(1)] });
  assert.equal(pixels[15 * 40 + 20], blue); // the later one on top
  assert.equal(pixels[15 * 40 + 22], red); // of the larger one below
  assert.equal(pixels[0], red);
  assert.equal(pixels.filter(Boolean).length, 13 + 6);
});

test("names cover neither each other nor the edge, the first ones win", () => {
  const places = { 0: [50, 50], 1: [52, 54], 2: [50, 90], 3: [195, 120], 4: [-5, 50], 5: [50, 90] };
  const placed = placeNames([0, 1, 2, 3, 4, 2, 5], (row) => places[row], () => 40, { width: 200, height: 200, most: 9 });
  assert.deepEqual(placed.map(({ row }) => row), [0, 2, 3]);
  assert.ok(placed[2].x + 40 <= 200);
});
