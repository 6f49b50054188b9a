// The ranking of texts: parts of the score, the order, and where the bars lie.

import assert from "node:assert/strict";
import { test } from "node:test";

import { bars, rank } from "../../pages/translation/beam_search/scores.js";

const ROWS = [
  { id: 1, text: "short", count: 1, logp: -2, coverage: -0.5, ends: 1, finished: true },
  { id: 2, text: "long", count: 7, logp: -3, coverage: 0, ends: 2, finished: true },
];

test("without penalties the order is that of log P", () => {
  const ranked = rank(ROWS, { alpha: 0, beta: 0, gamma: 0 }, "gnmt");
  assert.deepEqual(ranked.map(({ id, parts }) => [id, parts.total]), [[1, -2], [2, -3]]);
});

test("a length penalty favours the longer text, and the parts add up", () => {
  const ranked = rank(ROWS, { alpha: 1, beta: 1, gamma: 0.25 }, "gnmt");
  assert.deepEqual(ranked.map(({ id }) => id), [2, 1]);
  const [{ parts }] = ranked;
  assert.equal(parts.logp + parts.length, -1.5);
  assert.equal(parts.total, -1);
  assert.deepEqual(bars(parts), [["logp", 0, -3], ["coverage", -3, -3], ["length", -3, -1.5], ["end", -1.5, -1]]);
});
