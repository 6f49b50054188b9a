// The picture of the routing: what is counted and looked up, and where everything lies.

import assert from "node:assert/strict";
import { test } from "node:test";

import { drawRouting, gridOf, placeAt, ROW, TOP } from "../../pages/experts/experts/drawing.js";
import { loadsOf, rowsOf } from "../../pages/experts/experts/numbers.js";

/** Two layers, three tokens, four experts of which two are chosen; the second choice of the last token is dropped. */
const HEADER = { tokens: ["a", "b", "c"], layers: [0, 2], experts: 4, chosen: 2, biased: true, muted: [[1, 3]], forced: [], taste: [] };
const ARRAYS = {
  scores: Float32Array.from({ length: 24 }, (_, i) => (i % 4) / 4),
  bias: Float32Array.from([0.5, 0, 0, 0, 0, 0, 0, 0]),
  chosen: Uint16Array.from([3, 0, 3, 0, 3, 0, 3, 2, 3, 2, 3, 2]),
  plain: Uint16Array.from([3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2]),
  weights: Float32Array.from({ length: 12 }, (_, i) => (i % 2 ? 0.25 : 0.75)),
  mixed: Float32Array.from({ length: 12 }, (_, i) => (i % 2 ? 0.5 : 0.5)),
  notes: Float32Array.from({ length: 12 }, (_, i) => (i % 2 ? 0.4 : 0.6)),
  kept: Uint8Array.from([1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1]),
};

test("loads are shares of the tokens that are read", () => {
  const loads = [...loadsOf(HEADER, ARRAYS)].map((share) => Number(share.toFixed(4)));
  assert.deepEqual(loads, [0.6667, 0, 0, 1, 0, 0, 1, 1]);
});

test("a row says what was chosen with the bias and without, and by what weight", () => {
  const rows = rowsOf(HEADER, ARRAYS, 0, 2);
  assert.deepEqual(rows.map((row) => row.chosen), [true, false, false, true]);
  assert.deepEqual(rows.map((row) => row.plain), [false, false, true, true]);
  assert.deepEqual(rows.map((row) => row.kept), [false, true, true, true]);
  assert.deepEqual([rows[3].weight, rows[0].bias, rows[3].mixed], [0.75, 0.5, 0.5]);
});

const view = (at = {}, header = HEADER, arrays = ARRAYS) => {
  const theme = { text: "#000", muted: "#666", faint: "#ccc", background: "#fff", heads: ["#00f"], sequential: new Uint8Array(768), font: "sans" };
  const v = { header, arrays, loads: loadsOf(header, arrays), at: { token: 1, layer: 0, show: "chosen", ...at }, hover: null, lit: [], theme, warm: "#f80" };
  return Object.assign(v, { grid: gridOf(v, 500) });
};

test("what is drawn is found again under the pointer", () => {
  const v = view();
  const { labels, lane } = v.grid;
  assert.equal(v.grid.count, 2);
  assert.deepEqual(placeAt(v, labels + 3.5 * lane, TOP + 2.5 * ROW, 0), { token: 2, layer: 0, expert: 3 });
  assert.deepEqual(placeAt(v, labels + 0.5 * lane, 10, 0), { token: null, layer: 0, expert: 0 });
  assert.deepEqual(placeAt(v, 5, TOP + 1, 0), { token: 0, layer: 0, expert: null });
  assert.equal(placeAt(v, labels, TOP + 3 * ROW + 1, 0), null);
  assert.deepEqual(placeAt(v, 5, TOP + 1, 2 * ROW), { token: 2, layer: 0, expert: null });
});

test("where not all layers fit, those around the chosen one are shown", () => {
  const header = { ...HEADER, layers: [...Array(26).keys()], experts: 64 };
  for (const layer of [0, 13, 25]) {
    const { first, count, lane } = gridOf({ header, at: { layer } }, 600);
    assert.ok(first <= layer && layer < first + count && first >= 0 && first + count <= 26 && lane > 0);
  }
});

test("a choice that the bias turned and one that was dropped are marked", () => {
  globalThis.document = { createElement: () => ({ getContext: () => ({ clearRect() {}, fillRect() {}, getImageData: () => ({ data: [0, 0, 0, 255] }) }) }) };
  const [frames, lines] = [[], []];
  const pen = { text() {}, line: (...args) => lines.push(args[4]), rect: (x, y, w, h, fill, stroke) => stroke && frames.push(stroke) };
  drawRouting(pen, view(), 0);
  assert.equal(frames.filter((color) => color === "#f80").length, 6); // in and out, for three tokens of layer 0
  assert.equal(lines.filter((color) => color === "#f80").length, 3); // a cross, and the muted expert's stroke
});

test("the expert that the first sentence names has a frame, where its layer is shown", () => {
  const frames = (taste) => {
    const found = [];
    const pen = { text() {}, line() {}, rect: (x, y, w, h, fill, stroke) => stroke === "#00f" && found.push([x, w]) };
    const v = view({}, { ...HEADER, taste });
    drawRouting(pen, v, 0);
    return { v, found };
  };
  const { v, found } = frames([[1, 2]]);
  assert.equal(found.length, 1);
  const [x, wide] = found[0];
  assert.deepEqual(placeAt(v, x + wide / 2, TOP + ROW, 0), { token: 1, layer: 1, expert: 2 });
  assert.deepEqual([frames([]).found, frames([[7, 0]]).found], [[], []]);
});
