// The text beside a map: how strongly words are coloured, and what a row reads most.

import assert from "node:assert/strict";
import { test } from "node:test";

import { SURPRISED, heaviest, shares } from "../../pages/kernels/long_context/reading/measures.js";

const ROW = new Float32Array([0.25, 0, 0.64, 0.11]);

test("the heaviest weights come first, zeros never", () => {
  assert.deepEqual(heaviest(ROW, 8), [2, 0, 3]);
  assert.deepEqual(heaviest(ROW, 1), [2]);
});

test("weights are coloured by their square root, from the largest", () => {
  const values = shares({ row: ROW, loss: [] }, "reads", 6);
  assert.deepEqual(values.map((x) => x.toFixed(3)), ["0.625", "0.000", "1.000", "0.415", "0.000", "0.000"]);
});

test("losses are coloured up to the end of the scale; the first token has none", () => {
  assert.deepEqual(shares({ row: [], loss: [SURPRISED / 2, 99] }, "loss", 3), [0, 0.5, 1]);
});
