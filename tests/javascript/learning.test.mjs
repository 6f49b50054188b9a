// The drawing of a training: which measurement holds at a step, and which head is where.

import assert from "node:assert/strict";
import { test } from "node:test";

import { headAt, nameOf, valueAt } from "../../pages/attention/learning/drawing.js";

const training = { header: { layers: 2, heads: 2 }, arrays: { steps: [0, 25, 100], values: [0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23] } };

test("a measurement holds from its own step up to the next one's", () => {
  const read = (step) => valueAt(training, 3, step);
  assert.deepEqual([0, 24, 25, 99, 100, 2000].map(read), [3, 3, 13, 13, 23, 23]);
  assert.equal(valueAt(training, 1, 25), 11);
});

test("a head is found where its map is drawn, and named by layer and head", () => {
  const layout = { side: 20, gap: 4, columns: 2 };
  const at = (x, y) => headAt({ shown: [2, 0, 3] }, layout, x, y);
  assert.deepEqual([at(1, 1), at(30, 1), at(-1, 1), at(60, 1)], [2, 0, -1, -1]);
  assert.deepEqual([0, 1, 2, 3].map((number) => nameOf(training.header, number)), ["L0H0", "L0H1", "L1H0", "L1H1"]);
});
