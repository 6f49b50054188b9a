// Names at the points of a chart: of two that share pixels the first is shown.

import assert from "node:assert/strict";
import { test } from "node:test";

import { keptApart } from "../../tlmviz/ui/components/chart/labels.js";

const box = (left, top) => ({ left, top, right: left + 40, bottom: top + 10 });

test("of names that lie on each other the first is kept, and one on a hidden name is seen", () => {
  assert.deepEqual(keptApart([box(0, 0), box(20, 4), box(45, 8), box(100, 0)]), [true, false, true, true]);
});

test("names that touch are both seen", () => {
  assert.deepEqual(keptApart([box(0, 0), box(39, 0), box(0, 9.5)]), [true, true, true]);
  assert.deepEqual(keptApart([]), []);
});
