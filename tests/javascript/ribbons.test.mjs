// The ribbons between two sentences: where they lie, what is under a point, which pins stay.

import assert from "node:assert/strict";
import { test } from "node:test";

import { coverage, layout, outline, repinned, ribbonAt, tokenAt } from "../../pages/translation/alignment/ribbons/layout.js";

const MAP = [0.75, 0.25, 0, 0, 0.5, 0.5]; // two written tokens, three of the source
const NAMES = { source: [30, 30, 30], target: [40, 40] };
const size = ([from, to]) => to - from;

for (const [width, upright] of [[600, false], [90, true]]) {
  test(`ribbons are as wide as their weights, and leave no gap (${width} pixels)`, () => {
    const plan = layout(MAP, NAMES, width);
    assert.equal(plan.upright, upright);
    const one = plan.ribbons.slice(0, 3).reduce((sum, ribbon) => sum + size(ribbon.target), 0);
    plan.ribbons.forEach((ribbon, k) => {
      assert.equal(ribbon.weight, MAP[k]);
      assert.ok(Math.abs(size(ribbon.target) - MAP[k] * one) < 1e-9 && Math.abs(size(ribbon.source) - MAP[k] * one) < 1e-9);
    });
    plan.source.forEach(({ at, size: room }, j) => {
      const ends = plan.ribbons.filter(({ token }) => token === j).map(({ source }) => source);
      assert.ok(Math.min(...ends.flat()) >= at - room / 2 - 1e-9 && Math.max(...ends.flat()) <= at + room / 2 + 1e-9);
    });
    assert.ok(plan.source.at(-1).at < (upright ? plan.height : width));
  });

  test(`what is under a point is found (${width} pixels)`, () => {
    const plan = layout(MAP, NAMES, width);
    const at = (along, across) => (upright ? [across, along] : [along, across]);
    assert.deepEqual(tokenAt(plan, ...at(plan.source[1].at, plan.near - 5)), { side: "source", index: 1 });
    assert.deepEqual(tokenAt(plan, ...at(plan.target[1].at, plan.far + 5)), { side: "target", index: 1 });
    assert.equal(tokenAt(plan, ...at(plan.target[1].at, (plan.near + plan.far) / 2)), null);
    const middle = plan.ribbons.map(({ source, target }) => (source[0] + source[1] + target[0] + target[1]) / 4);
    const found = ribbonAt(plan, ...at(middle[0], (plan.near + plan.far) / 2));
    assert.deepEqual([found.step, found.token], [0, 0]);
    assert.equal(ribbonAt(plan, ...at(1e4, (plan.near + plan.far) / 2)), null);
    assert.match(outline(plan, found), /^M[\d.]+ [\d.]+C[^L]+L[^C]+C[^Z]+Z$/);
  });
}

test("columns of a map add up", () => assert.deepEqual(coverage(MAP, 2, 3), [0.75, 0.75, 0.5]));

test("a pin takes off those behind it", () => {
  assert.deepEqual(repinned([[1, 2], [4, 0]], 3, 5), [[1, 2], [3, 5]]);
  assert.deepEqual(repinned([[1, 2], [4, 0]], 4, null), [[1, 2]]);
});
