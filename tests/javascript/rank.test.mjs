// The terms of a matrix: by whatever way it is taken apart, they add up to it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { multiplied, opened, termAt } from "../../pages/notation/einstein/rank/terms.js";

test("a product's terms are its columns by its rows, and their sum is the product", () => {
  const [rows, cols, count] = [3, 2, 2];
  const [left, right] = [Float64Array.of(1, 2, 3, 4, 5, 6), Float64Array.of(7, 8, 9, 10)];
  const data = opened({ header: { rows, cols }, arrays: { left, right } });
  const [first, second] = [0, 1].map((k) => termAt(data, { key: "product", count }, k));
  assert.deepEqual([[...first.column], [...first.row]], [[1, 3, 5], [7, 8]]);
  assert.deepEqual([[...second.column], [...second.row]], [[2, 4, 6], [9, 10]]);
  const terms = [first, second].map(({ column, row }) => multiplied(column, row, rows, cols));
  assert.deepEqual([...data.whole], [...terms[0]].map((value, i) => value + terms[1][i]));
  const columns = [0, 1].map((k) => termAt(data, { key: "columns", count }, k));
  assert.deepEqual(columns.map(({ row }) => [...row]), [[1, 0], [0, 1]]);
  assert.deepEqual([...columns[1].column], [0, 1, 2].map((i) => data.whole[i * cols + 1]));
});
