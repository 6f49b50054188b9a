// The clocks of RoPE: where dials, bars and curve lie, what is under a point, and what is said of a step and a plane.

import assert from "node:assert/strict";
import { test } from "node:test";

import { brief, hoverAt, layoutOf, planeSentence, scoreAt, stepSentence } from "../../pages/positions/rope_planes/drawing.js";

const DATA = {
  header: { title: "", moves: "query", home: 1, positions: [[8, 9], [9, 9], [1010, 9]], speeds: [1, 0.01] },
  arrays: {
    q: Float32Array.of(1, 0, 0, 2, 0, 1, 0, 2, 1, 0, 0, 2), k: Float32Array.of(1, 0, 0, -2, 1, 0, 0, -2, 1, 0, 0, -2),
    parts: Float32Array.of(1, -4, 0, -4, 1, -4),
  },
};

for (const width of [320, 700, 900, 1400]) {
  for (const planes of [1, 2, 8, 16, 32, 64, 128]) {
    test(`every dial lies in the picture and is found (${planes} planes, ${width} pixels)`, () => {
      const plan = layoutOf(width, planes);
      const header = { ...DATA.header, speeds: Array(planes).fill(1) };
      const { dials, bars, curve } = plan;
      const found = new Set();
      for (let y = 1; y < plan.height; y += 4) for (let x = 1; x < width; x += 4) found.add(JSON.stringify(hoverAt({ header }, plan, x, y)));
      for (let plane = 0; plane < planes; plane++) assert.ok(found.has(JSON.stringify({ plane })), `plane ${plane}`);
      for (const step of [0, 1, 2]) assert.ok(found.has(JSON.stringify({ step })));
      for (const box of [dials, bars, curve]) assert.ok(box.x >= 0 && box.x + box.width <= width + 1e-9 && box.y + box.height <= plan.height);
      assert.ok(dials.cell >= 28 && dials.columns * Math.ceil(planes / dials.columns) >= planes);
    });
  }
}

test("a score is the sum of what the planes add, and a later key is said to be hidden", () => {
  assert.deepEqual([0, 1, 2].map((step) => scoreAt(DATA, step)), [-3, -4, -3]);
  assert.equal(stepSentence(DATA, 0), "Query at 8, key at 9, 1 apart, the key later: a causal model hides it. Score −3.000");
  assert.equal(stepSentence(DATA, 2), "Query at 1,010, key at 9, 1,001 apart: score −3.000");
  assert.deepEqual([0, 1, 2].map((step) => brief(DATA, step)), ["moved by −1", "true positions", "moved by +1,001"]);
});

test("a plane is said with its turn, its lengths, the angle between its hands and what it adds", () => {
  assert.equal(planeSentence(DATA, 0, 1), "Plane 0: 1.000 rad per token, 6.28 tokens a turn; |q| 1.000, |k| 1.000, angle +90.0°, adds +0.0000");
  assert.match(planeSentence(DATA, 1, 0), /628 tokens a turn; \|q\| 2.000, \|k\| 2.000, angle [+−]180.0°, adds −4.0000$/);
});
