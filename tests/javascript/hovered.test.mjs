// Which tokens of a view are pointed at, and which labels of charts are theirs.

import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.window = new EventTarget();
const { hoveredSpots, lightUp, litAmong } = await import("../../tlmviz/ui/components/canvas/hovered.js");
const { labels } = await import("../../tlmviz/ui/components/page_script/hovered_charts.js");

test("a token is lit where place and word agree", () => {
  lightUp([{ text: "text", index: 2, word: "cat" }]);
  assert.deepEqual(litAmong(["The", " old", " cat"]), [2]);
  assert.deepEqual(litAmong([" old", " cat"], "text", 1), [1], "a strip that begins later in the text");
  assert.deepEqual(litAmong(["The", " cat", " old"]), [], "another text");
  assert.deepEqual(litAmong(["The", " old", " cat"], "source"), [], "another text of the page");
  lightUp([{ text: "", index: 0, word: "The" }]);
  assert.deepEqual(litAmong(["The"], "source"), [0], "a chart does not say whose its tokens are");
});

test("the same tokens are announced once", () => {
  let heard = 0;
  window.addEventListener("tlmviz:hovered", () => (heard += 1));
  lightUp([]);
  lightUp([]);
  lightUp([{ text: "text", index: 0, word: "a" }]);
  lightUp([{ text: "text", index: 0, word: "a" }]);
  assert.equal(heard, 2);
  assert.equal(hoveredSpots().length, 1);
});

test("labels of axes may show the space before a word, or a part of it", () => {
  assert.ok(labels("␣cat", "cat") && labels("a &lt; b", "a < b") && labels("extraordin…", "extraordinarily") && labels("␣", "␣"));
  assert.ok(!labels("…", "cat") && !labels("cat", "cats"));
});
