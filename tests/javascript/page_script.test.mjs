// What the script of every page writes: words explained, minus signs.

import assert from "node:assert/strict";
import { test } from "node:test";

import { withMinus } from "../../tlmviz/ui/components/page_script/plotly.js";
import { before } from "../../tlmviz/ui/components/page_script/line.js";
import { anyOf, wordsIn } from "../../tlmviz/ui/components/page_script/glossary.js";

const TOLD = { head: "one", heads: "one", key: "two", "induction head": "three", H_res: "four", MHA: "five", "arrow keys": "" };
const find = (text, seen = new Set()) => wordsIn(text, anyOf(Object.keys(TOLD)), TOLD, seen);

test("words are found whole, the longest form first", () => {
  assert.deepEqual(find("An induction head has a key."), [[3, "induction head"], [24, "key"]]);
  assert.deepEqual(find("keyboard, header, H_res_2, forehead, mMHA, key-value"), []);
  assert.deepEqual(find("(H_res); key/value"), [[1, "H_res"], [9, "key"]]);
});

test("a word with another meaning where it stands is not explained", () => {
  assert.deepEqual(find("Use the arrow keys; a key"), [[22, "key"]]);
});

test("a text explains each meaning once", () => {
  const seen = new Set();
  assert.deepEqual(find("heads and a head", seen), [[0, "heads"]]);
  assert.deepEqual(find("another head", seen), []);
});

test("hovers write numbers as Python does", () => {
  assert.equal(withMinus("-0.5, (-3) and 1e-05"), "−0.5, (−3) and 1·10⁻⁵");
  assert.equal(withMinus("256-512 tokens, zoo-3, previous-token"), "256-512 tokens, zoo-3, previous-token");
});

test("who has waited longer came before", () => {
  assert.equal(before([9.5, 4.2, 0.3], 2), 2);
  assert.equal(before([], 2), 0);
});
