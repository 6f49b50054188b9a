// A view as a figure: how far a pen has drawn, files that end where the drawing does, titles in lines that are whole.

import assert from "node:assert/strict";
import { test } from "node:test";

import { measuredPen, pathPoints } from "#canvas/extent.js";
import { svgPen } from "#canvas/pens.js";
import { savedFigure } from "#canvas/saving.js";

/** A canvas on which every letter is 6 pixels wide. */
globalThis.document = { createElement: () => ({ getContext: () => ({ measureText: (text) => ({ width: 6 * text.length }) }) }) };
const THEME = { font: "sans", background: "#fff", text: "#000", muted: "#666" };

function reached(draw) {
  const { extent, pen } = measuredPen(svgPen(THEME), THEME);
  draw(pen);
  return [Math.round(extent.right), Math.round(extent.bottom)];
}

test("a pen knows how far it has drawn", () => {
  assert.deepEqual(reached((pen) => pen.text(10, 20, "four", { color: "red", size: 12 })), [34, 26]);
  assert.deepEqual(reached((pen) => pen.text(10, 20, "four", { color: "red", align: "right", size: 12 })), [10, 26]);
  assert.deepEqual(reached((pen) => pen.text(10, 20, "four", { color: "red", rotate: Math.PI / 2, size: 12 })), [16, 44]);
  assert.deepEqual(reached((pen) => pen.text(0, 0, "a token that is long", { color: "red", token: 30, size: 12 })), [30, 6]);
  assert.deepEqual(reached((pen) => pen.shifted(5, 6, () => pen.shifted(1, 1, () => pen.rect(0, 0, 10, 20, "red")))), [16, 27]);
  assert.deepEqual(reached((pen) => pen.rect(0, 0, 10, 20, null)), [0, 0]);
  assert.deepEqual(reached((pen) => pen.circle(4, 5, 3, "red")), [7, 8]);
  assert.deepEqual(reached((pen) => pen.line(9, 1, 2, 8, "red", { width: 2 })), [10, 9]);
  assert.deepEqual(reached((pen) => pen.path("M1 2C3 4 50 6 7 8", "red", 2)), [51, 9]);
});

test("a pen knows where its drawing begins", () => {
  const { extent, pen } = measuredPen(svgPen(THEME), THEME);
  pen.shifted(10, 0, () => pen.text(50, 5, "four", { color: "red", align: "right" }));
  assert.equal(extent.left, 36);
  pen.path("M20 0L30 5", "red", 2);
  assert.equal(extent.left, 19);
});

test("points of a path: absolute and relative ones, numbers without spaces between them", () => {
  assert.deepEqual(pathPoints("M1 2H5V7Z"), [[1, 2], [5, 2], [5, 7]]);
  assert.deepEqual(pathPoints("M1 2l3-1h2v-4"), [[1, 2], [4, 1], [6, 1], [6, -3]]);
  assert.deepEqual(pathPoints("M1e1 .5L2 3 4 5"), [[10, 0.5], [2, 3], [4, 5]]);
  assert.deepEqual(pathPoints("M-5 0a5 5 0 1 0 10 0"), [[-5, 0], [5, 5], [5, 0]]);
});

test("a figure ends where its drawing does, and its title is broken above it and named whole", () => {
  const title = "The output of one sentence put into another one, at every layer and every head of the model that was asked";
  const made = savedFigure("tlmviz-x", { title, legend: [{ name: "one", color: "red" }], theme: THEME, width: 1100, height: () => 900,
    draw: (pen) => pen.rect(0, 0, 500, 100, "red") });
  assert.equal(made.width, 532);
  assert.ok(made.height < 220);
  assert.equal(made.title, title);
  const lines = [...made.svg.matchAll(/font-weight="600">([^<]*)</g)].map(([, line]) => line);
  assert.equal(lines.join(" "), title);
  assert.ok(lines.length > 1 && lines.every((line) => 6 * line.length <= 500));
  const small = savedFigure("tlmviz-x", { title, legend: [], theme: THEME, width: 1100, height: () => 900, draw: (pen) => pen.rect(0, 0, 50, 10, "red") });
  assert.equal(small.width, 420);
  const amid = savedFigure("tlmviz-x", { title: "", legend: [], theme: THEME, width: 1100, height: () => 900,
    draw: (pen) => pen.rect(300, 0, 500, 100, "red") });
  assert.equal(amid.width, 532);
  assert.match(amid.svg, /translate\(-284 /);
  const nearly = savedFigure("tlmviz-x", { title: "", legend: [], theme: THEME, width: 1100, height: () => 900,
    draw: (pen) => pen.rect(20, 0, 1020, 100, "red") });
  assert.equal(nearly.width, 1100);
  const beyond = savedFigure("tlmviz-x", { title: "", legend: [], theme: THEME, width: 420, height: () => 50,
    draw: (pen) => pen.text(0, 9, "A heading", { color: "red", size: 14, weight: 600 }) });
  assert.equal(beyond.title, "A heading");
});
