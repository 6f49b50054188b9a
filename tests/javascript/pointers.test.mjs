// The pad of points: y grows upwards, and who drags a point puts it where the hand is.

import assert from "node:assert/strict";
import { test } from "node:test";

import { placeOf, pointAt } from "../../pages/words/pointers/points.js";

test("a point lies where its numbers say, and is found there again", () => {
  const [low, high] = [placeOf(400, [100, 0]), placeOf(400, [900, 1000])];
  assert.ok(low.x < high.x && low.y > high.y, "upwards on the screen is a smaller y");
  for (const point of [[0, 0], [1000, 1000], [250, 730]]) {
    const { x, y } = placeOf(400, point);
    assert.deepEqual(pointAt(400, x, y), point);
  }
  assert.deepEqual(pointAt(400, -50, 900), [0, 0]);
});
