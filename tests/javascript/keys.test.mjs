// Keys in place of a mouse: the pointer that arrows move over a picture, and from point to point of a chart.

import assert from "node:assert/strict";
import { test } from "node:test";

import { keyMoved } from "#canvas/keys.js";
import { nextPoint } from "../../tlmviz/ui/components/page_script/chart_keys.js";

const PICTURE = { clientWidth: 200, clientHeight: 100 };

test("arrows begin in the middle of a picture, step by step, and do not leave it", () => {
  assert.deepEqual(keyMoved(PICTURE, null, [1, 0], [10, 20]), [100, 50]);
  assert.deepEqual(keyMoved(PICTURE, [100, 50], [1, 0], [10, 20]), [110, 50]);
  assert.deepEqual(keyMoved(PICTURE, [100, 50], [0, -1], [10, 20]), [100, 30]);
  assert.deepEqual(keyMoved(PICTURE, [100, 50], [0, 1], [10, 20], true), [100, 55]);
  assert.deepEqual(keyMoved(PICTURE, [199, 5], [1, 0], [10, 20]), [199, 5]);
  assert.deepEqual(keyMoved(PICTURE, [199, 5], [0, -1], [10, 20]), [199, 1]);
});

test("an arrow goes to the nearest point in its way, and stays where there is none", () => {
  const points = [[0, 0], [10, 2], [30, 0], [12, 40]].map(([x, y]) => ({ x, y, subplot: "xy" }));
  assert.equal(nextPoint(points, undefined, [1, 0]), points[0]);
  assert.equal(nextPoint(points, points[0], [1, 0]), points[1]);
  assert.equal(nextPoint(points, points[1], [1, 0]), points[2]);
  assert.equal(nextPoint(points, points[2], [1, 0]), points[2]);
  assert.equal(nextPoint(points, points[1], [0, 1]), points[3]);
  assert.equal(nextPoint([], undefined, [0, 1]), undefined);
});
