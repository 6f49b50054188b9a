// The views of the streams: permutations, eigenvalues as they are sent, Sinkhorn's iterations, numbers of the dial.

import assert from "node:assert/strict";
import { test } from "node:test";

import { power } from "#canvas/text.js";
import { brief, decimal, entries, errors, halfSteps, logitsOf, rateOf } from "../../pages/streams/mhc/dial/sinkhorn.js";
import { drawRiver, planRiver } from "../../pages/streams/mhc/flow/rivers.js";
import { birkhoff, coloured, unpackRoots } from "../../pages/streams/mhc/matrices/arithmetic.js";
import { cellTexts, small, tick, weight } from "../../pages/streams/mhc/matrices/numbers.js";
import { drawMatrix, drawSpread } from "../../pages/streams/mhc/matrices/panels.js";

test("a mixture of two permutations is taken apart", () => {
  const { terms, residual } = birkhoff([0.75, 0.25, 0.25, 0.75], 2, 1e-6);
  assert.deepEqual(terms, [{ weight: 0.75, columns: [0, 1] }, { weight: 0.25, columns: [1, 0] }]);
  assert.equal(residual, 0);
});

test("what is not doubly stochastic is refused", () => {
  for (const matrix of [[1, 0, 0, 0.5], [1.5, -0.5, -0.5, 1.5], [NaN, 1, 1, 0]]) assert.equal(birkhoff(matrix, 2, 0.25), null);
});

/** A canvas on which every letter is 6 pixels wide and every colour black. */
const CONTEXT = { clearRect() {}, fillRect() {}, getImageData: () => ({ data: [0, 0, 0, 255] }), measureText: (text) => ({ width: 6 * text.length }) };
const THEME = { font: "sans", text: "#000", muted: "#666", faint: "#ccc", primary: "#00f", heads: ["#000", "#111", "#222"], sequential: new Uint8Array(768),
  diverging: new Uint8Array(768), places: new Uint8Array(768) };
const VALUES = [0.85, 0.15, 0.1501, 0.8499];

/** What a panel writes and the fills that it draws, for two streams and one sublayer at two tokens. */
function drawn(draw, { colors = "value", spread = [0, 0, 0, 0] }) {
  globalThis.document = { createElement: () => ({ getContext: () => CONTEXT }) };
  const res = Float32Array.from([...VALUES, ...VALUES]);
  const v = {
    plans: {}, entry: [0, 0], place: { token: 1, sublayer: 0, colors }, ranges: { value: 1, change: 0.15, pre: 1, post: 1, sum: 1 },
    header: { names: ["attention 0"], tokens: ["a", "b"], first: 0, streams: 2, kind: "manifold", warm: { light: "#f00", dark: "#f00" } },
    arrays: { res, pre: Float32Array.from([1, 0, 1, 0]), post: Float32Array.from([1, 1, 1, 1]) },
    result: { matrix: res.subarray(4), rows: [1, 1], columns: [1, 1], spread: Float64Array.from(spread) },
  };
  const [texts, fills] = [[], []];
  const pen = { text: (x, y, text) => texts.push(text), rect: (x, y, width, height, color) => fills.push(color), circle() {}, line() {}, path() {} };
  draw(pen, v, THEME, { x: 0, y: 0, width: 290, height: 232 });
  return { texts, fills };
}

test("cells are labelled with what they are coloured by", () => {
  assert.ok([".850", "0.850"].some((text) => drawn(drawMatrix, {}).texts.includes(text)));
  const { texts } = drawn(drawMatrix, { colors: "change" });
  assert.ok(texts.some((text) => /^−0?\.150$/.test(text)) && !texts.some((text) => /^0?\.85/.test(text)), texts.join());
  assert.deepEqual(Array.from(coloured([0.75, 0.25, 0.5, 1], 2, "change")), [-0.25, 0.25, 0.5, 0]);
  assert.deepEqual(cellTexts(THEME, [-0.0001, 0.5], 99, 11), ["0.000", "0.500"]);
});

test("rounding is not drawn as a spread over tokens", () => {
  THEME.sequential.fill(255, 3); // all but the colour of 0
  const same = drawn(drawSpread, { spread: [3e-16, 1e-16, 6e-8, 0] });
  assert.ok(same.texts.includes("the same at") && !same.texts.includes("largest"));
  assert.equal(new Set(same.fills.slice(0, 4)).size, 1);
  const differs = drawn(drawSpread, { spread: [0.1, 0, 0, 0] });
  assert.ok(differs.texts.includes("largest") && differs.fills[0] !== differs.fills[1]);
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

test("typed words are logits, or entries of which the logarithm is taken", () => {
  assert.deepEqual(Array.from(logitsOf([["−1", "-inf"], ["2e1", ".5"]], "logits")), [-1, -Infinity, 20, 0.5]);
  assert.deepEqual(Array.from(logitsOf([["1", "0"]], "entries")), [0, -Infinity]);
  for (const word of ["nonsense", "", "∞", "-inf", "-1"]) assert.equal(logitsOf([[word]], "entries"), null);
});

test("numbers of the dial", () => {
  assert.deepEqual([0.0312, 12.4, 123.45, 3.1e-9, -2, -Infinity].map((x) => decimal(x)), ["0.031", "12.400", "123.5", "3.1·10⁻⁹", "−2.000", "−∞"]);
  assert.deepEqual([0.0131, 3.14e-9, 12345].map(brief), ["0.0131", "3.14·10⁻⁹", "1.23·10⁴"]);
  assert.equal(power(-12), "10⁻¹²");
  assert.deepEqual([0, 0.25, 0.0021, 2.94e-4, 4.9e-8, NaN].map(small), ["0", "0.250", "0.0021", "0.00029", "4.9·10⁻⁸", "0"]);
  assert.deepEqual([0.002, -0.012, 0].map(weight), ["0.002", "−0.01", "0.00"]);
  assert.deepEqual([-0.00048, 0.25].map(tick), ["−0.0005", "0.250"]);
});

test("the line into a sublayer has the weight by which it reads that stream", () => {
  globalThis.document = { createElement: () => ({ getContext: () => CONTEXT }) };
  const [streams, names] = [2, ["attention 0", "MLP 0", "attention 1"]];
  for (const [sublayer, stream] of [[0, 1], [1, 0], [2, 1]]) {
    const pre = new Float32Array(streams * names.length);
    pre[sublayer * streams + stream] = 1; // all others read nothing
    const arrays = { "pre.manifold": pre, "post.manifold": new Float32Array(6), "res.manifold": new Float32Array(12) };
    const v = { arrays, place: { token: 0, sublayer: 2, widths: "shares" }, header: { names, tokens: ["a"], first: 0, warm: { light: "#f00", dark: "#f00" } } };
    const member = { kind: "manifold", streams, model: "m", title: "M" };
    const plan = planRiver(v, member, { x: 0, y: 0, width: 400, height: 200 }, false);
    const paths = [];
    const pen = { text() {}, rect() {}, path: (d) => paths.push(d.match(/-?[\d.]+/g).map(Number)) };
    drawRiver(pen, v, THEME, plan, member, 0.45);
    assert.equal(paths.length, 1);
    const [x, y] = paths[0];
    assert.ok(Math.abs(x - (plan.start + sublayer * plan.step)) < 0.1, "it begins where the sublayer does");
    assert.equal(y > 130, stream === 1, "in the lane of its stream");
  }
});
