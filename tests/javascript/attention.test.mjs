// The attention view: heads in order, and a head with a window and positions by distance, against sums written out.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Head } from "../../tlmviz/ui/components/attention_view/head.js";
import { arrange } from "../../tlmviz/ui/components/attention_view/statistics.js";

test("heads are sorted best first, those without a value last", () => {
  const header = { layers: 1, heads: 4, stats: { entropy: [3, 1, null, 2], previous: [0.1, 0.4, null, 0.2] } };
  assert.deepEqual(["position", "entropy", "previous"].map((order) => arrange(header, order)), [[0, 1, 2, 3], [1, 3, 0, 2], [1, 3, 0, 2]]);
});

test("rows are probabilities and hidden cells are blank", () => {
  const dots = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]; // q.k with q = (3i + 1, 1), k = (1, j)
  const q = Float32Array.from([1, 1, 4, 1, 7, 1]);
  const k = Float32Array.from([1, 0, 1, 1, 1, 2]);
  const visible = (i, j) => j <= i && i - j < 2;
  const scores = dots.map((row, i) => row.map((dot, j) => (visible(i, j) ? 0.5 * dot - 0.25 * (i - j) : -Infinity)));
  const lse = Float32Array.from(scores, (row) => Math.log(row.reduce((sum, s) => sum + Math.exp(s), 0)));
  const head = new Head({ tokens: ["a", "b", "c"], scale: 0.5, slope: 0.25, window: 2, causal: true }, { q, k, lse });
  scores.forEach((row, i) => {
    const weights = head.row(i);
    assert.ok(Math.abs(weights.reduce((sum, p) => sum + p, 0) - 1) < 1e-6);
    row.forEach((score, j) => assert.ok(Math.abs(weights[j] - Math.exp(score - lse[i])) < 1e-6));
  });
  const picture = head.picture("softmax", 0, 0, 3, 3);
  assert.deepEqual(Array.from(picture, Number.isNaN), [false, true, true, false, false, true, true, false, false]);
  assert.equal(head.picture("dot", 0, 0, 3, 3)[2], 3);
});
