// Sentences that are looked up and filled, and when an address begins an entry of the browser's history.

import assert from "node:assert/strict";
import { test } from "node:test";

import { _, chooseLanguage, ngettext } from "#canvas/language.js";
import { beginsEntry } from "../../tlmviz/ui/components/address/view.js";

test("a sentence is filled by name, and a hole without a value stays", () => {
  assert.equal(_("{a} of {b}, {c}", { a: 1, b: "two" }), "1 of two, {c}");
  assert.equal(ngettext("{n} step", "{n} steps", 1), "1 step");
  assert.equal(ngettext("{n} step of {all}", "{n} steps of {all}", 3, { all: 7 }), "3 steps of 7");
});

test("the pseudo-language puts accents on the words and leaves holes and values alone", () => {
  chooseLanguage("en-XA");
  assert.equal(_("one {name} again", { name: "onion" }), "óńé onion áǵáíń");
  chooseLanguage("en");
  assert.equal(_("one"), "one");
});

test("another text begins an entry, typing and going back do not", () => {
  const at = { path: "/kv_cache", entry: "text=a&own=", part: "kview=Steps", since: -Infinity };
  const now = { ...at, entry: "text=ab&own=", back: false };
  assert.equal(beginsEntry(undefined, now, 0), false, "the first address of a page");
  assert.equal(beginsEntry(at, now, 0), true, "a text after a rest");
  assert.equal(beginsEntry({ ...at, since: 1000 }, now, 2000), false, "still typing");
  assert.equal(beginsEntry({ ...at, since: 1000 }, now, 9000), true);
  assert.equal(beginsEntry(at, { ...now, entry: "text=a&own=" }, 9000), false, "the same text, another control");
  assert.equal(beginsEntry(at, { ...now, back: true }, 9000), false, "Back has its entry");
  assert.equal(beginsEntry(at, { ...now, path: "/serving" }, 9000), false, "a page gone to has its entry");
  assert.equal(beginsEntry(at, { ...now, entry: "text=a&own=b" }, 9000), true, "a text of the page's own");
  assert.equal(beginsEntry(at, { ...now, entry: "text=a&own=&other=c" }, 9000), false, "a box that is drawn later");
  assert.equal(beginsEntry({ ...at, since: 1000 }, { ...now, entry: at.entry, part: "kview=Cost" }, 1001), true, "a part is not typed");
});
