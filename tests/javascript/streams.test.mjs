// The views of the streams: permutations, eigenvalues as they are sent, Sinkhorn's iterations, numbers of the dial.

import assert from "node:assert/strict";
import { test } from "node:test";

import { brief, decimal, power } from "../../pages/streams/mhc/dial/component/numbers.js";
import { entries, errors, halfSteps, rateOf } from "../../pages/streams/mhc/dial/component/sinkhorn.js";
import { birkhoff } from "../../pages/streams/mhc/matrices/component/birkhoff.js";
import { unpackRoots } from "../../pages/streams/mhc/matrices/component/roots.js";

test("a mixture of two permutations is taken apart", () => {
  const { terms, residual } = birkhoff([0.75, 0.25, 0.25, 0.75], 2, 1e-6);
  assert.deepEqual(terms, [{ weight: 0.75, columns: [0, 1] }, { weight: 0.25, columns: [1, 0] }]);
  assert.equal(residual, 0);
});

test("what is not doubly stochastic is refused", () => {
  for (const matrix of [[1, 0, 0, 0.5], [1.5, -0.5, -0.5, 1.5], [NaN, 1, 1, 0]]) assert.equal(birkhoff(matrix, 2, 0.25), null);
});

test("eigenvalues are unpacked, conjugate pairs from two numbers", () => {
  assert.deepEqual(unpackRoots([1, 0.5, 0.25, -0.125], [0, 1, 1, 0]), [[1, 0], [0.5, 0.25], [0.5, -0.25], [-0.125, 0]]);
  assert.deepEqual(unpackRoots([], []), []);
});

test("rows and columns are scaled in turn until all sums are 1", () => {
  const steps = halfSteps(Float64Array.from([2, -1, 0.5, 1]), 2).map(entries);
  assert.equal(steps.length, 81);
  assert.ok(errors(steps[1], 2).rows < 1e-14 && errors(steps[2], 2).columns < 1e-14);
  assert.ok(errors(steps[80], 2).both < 1e-12);
});

test("the rate of a symmetric matrix is its second singular value squared", () => {
  const logits = Float64Array.from([0.75, 0.25, 0.25, 0.75], Math.log);
  assert.ok(Math.abs(rateOf(logits, 2, 1) - 0.25) < 1e-12);
  assert.equal(rateOf(Float64Array.of(0), 1, 1), 0);
});

test("numbers of the dial", () => {
  assert.deepEqual([0.0312, 12.4, 123.45, 3.1e-9, -2, -Infinity].map((x) => decimal(x)), ["0.031", "12.400", "123.5", "3.1e−9", "−2.000", "−∞"]);
  assert.deepEqual([0.0131, 3.14e-9, 12345].map(brief), ["0.0131", "3.14e−9", "1.23e4"]);
  assert.equal(power(-12), "10⁻¹²");
});
