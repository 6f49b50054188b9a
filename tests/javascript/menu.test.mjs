// What the menu's search finds, and in which order.

import assert from "node:assert/strict";
import { test } from "node:test";

import { search, termsOf } from "../../tlmviz/ui/components/menu/search.js";

const of = (title, says = "", names = []) => ({ kind: "page", title, says, names, to: title });
const INDEX = [
  of("Beam search", "a tree of what is kept"),
  of("Attention explorer", "every head of a model"),
  of("FlashAttention", "softmax in one pass"),
  of("Latents", "self-attention on pictures"),
  of("key", "found by a query", ["keys"]),
];
const titles = (asked) => search(asked, INDEX).map(({ title }) => title);

test("the nearest comes first: a title's beginning, a word's, a part, then the sentence", () => {
  assert.deepEqual(titles("attention"), ["Attention explorer", "FlashAttention", "Latents"]);
  assert.deepEqual(titles("SEARCH"), ["Beam search"]);
  assert.deepEqual(titles("keys"), ["key"]);
});

test("every word must be there, in any order", () => {
  assert.deepEqual(titles("head attention"), ["Attention explorer"]);
  assert.deepEqual(titles("  tree   beam "), ["Beam search"]);
  assert.deepEqual(titles("beam zebra"), []);
});

test("nothing, spaces and signs of patterns find nothing and raise nothing", () => {
  for (const asked of ["", "   ", "(", "[a-", "\\", "*", "😀", "$&"]) assert.deepEqual(titles(asked), []);
});

test("no more than a dozen are shown", () => {
  assert.equal(search("a", Array.from({ length: 40 }, (_, i) => of(`a${i}`))).length, 12);
});

test("terms are found once for each meaning, by every form", () => {
  const terms = termsOf({ head: "one", heads: "one", "key cache": "two", "arrow key": "" }, "glossary");
  assert.deepEqual(terms.map(({ title, names, to }) => [title, names, to]), [
    ["head", ["heads"], "glossary?term=head"],
    ["key cache", [], "glossary?term=key+cache"],
  ]);
});
