// What all canvas views share: texts and numbers, payloads, escaping, timers, the SVG pen, sums and singular values.

import assert from "node:assert/strict";
import { test } from "node:test";

import { decode } from "#canvas/decode.js";
import { debounce, escape } from "#canvas/dom.js";
import { drawnOn, forgetDrawing, keepDrawing, recordingPen } from "#canvas/drawings.js";
import { singularValues, sums } from "#canvas/matrix.js";
import { mounted } from "#canvas/mount.js";
import { round, svgFile, svgPen } from "#canvas/pens.js";
import { captionLines, pictureOrigin } from "#canvas/caption.js";
import { describedPng } from "#canvas/png_text.js";
import { clip, digits, minus, named, short, visible, visibleAll } from "#canvas/text.js";
import { inkOn, shade, shadeRgb } from "#canvas/theme.js";

test("tokens are written on one line", () => {
  const tokens = ["<|endoftext|>", "\n", " the", "   ", "", "a\u202eb", "\t"];
  assert.deepEqual(tokens.map((token) => visible(token)), ["⟨start⟩", "⏎", "the", "␣␣␣", "∅", "a\ufffdb", "⇥"]);
  assert.equal(named(["a", " cat"], 1), "1 · \u2068cat\u2069");
});

test("two tokens of a text never read the same", () => {
  assert.deepEqual(visibleAll(["S", " S", " dog", "\n", " \n"]), ["S", "␣S", "dog", "⏎", "␣⏎"]);
});

test("texts are cut between the characters that a user sees", () => {
  assert.equal(clip("👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧", 3), "👩‍👩‍👧👩‍👩‍👧…");
  assert.equal(clip("abc", 3), "abc");
});

test("numbers of every size, and none", () => {
  assert.deepEqual([0.00001234567, -0.123456, 1e6, 0].map((x) => digits(x)), ["1.235·10⁻⁵", "−0.1235", "1.000·10⁶", "0.000"]);
  assert.deepEqual([null, undefined, NaN].map((x) => digits(x)), ["–", "–", "–"]);
  assert.deepEqual([null, 0.123, 12.34, 123.4].map(short), ["–", "0.12", "12.3", "123"]);
  assert.equal(minus("-1e-5"), "−1e−5");
});

test("a payload that arrives unaligned is decoded", () => {
  const header = JSON.stringify({ model: "é", arrays: { a: { dtype: "float32", shape: [2], offset: 0 }, b: { dtype: "uint8", shape: [3], offset: 8 } } });
  const text = new TextEncoder().encode(header);
  const length = Math.ceil((4 + text.length) / 8) * 8 - 4;
  const bytes = new Uint8Array(1 + 4 + length + 16);
  const view = new DataView(bytes.buffer, 1);
  view.setUint32(0, length, true);
  bytes.fill(32, 5, 5 + length).set(text, 5);
  view.setFloat32(4 + length, 1.5, true);
  view.setFloat32(8 + length, -2, true);
  bytes.set([7, 8, 9], 1 + 12 + length);
  const { header: back, arrays } = decode(bytes.subarray(1));
  assert.equal(back.model, "é");
  assert.deepEqual([...arrays.a], [1.5, -2]);
  assert.deepEqual([...arrays.b], [7, 8, 9]);
});

test("texts cannot leave an element or an attribute", () => {
  assert.equal(escape(`<b a="c" d='e'>&`), "&lt;b a=&quot;c&quot; d=&#39;e&#39;&gt;&amp;");
});

test("a debounced action runs once, after the last call, and can be cancelled", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  let runs = 0;
  const later = debounce(() => (runs += 1), 100);
  later();
  t.mock.timers.tick(99);
  later();
  t.mock.timers.tick(99);
  assert.equal(runs, 0);
  t.mock.timers.tick(1);
  assert.equal(runs, 1);
  later();
  later.cancel();
  t.mock.timers.tick(1000);
  assert.equal(runs, 1);
});

test("the SVG pen writes what it is told to draw and escapes texts", () => {
  const pen = svgPen({ font: "serif" });
  pen.text(1, 2, "<a> & b", { color: "red", rotate: Math.PI / 2, align: "right" });
  pen.line(0, 0, 1.239, 1, "blue", { width: 2, dash: "5 4" });
  pen.rect(0, 0, 1, 2, null, "green", { cell: 3, width: 2 });
  pen.shifted(4, 5, () => pen.circle(1, 1, 0.5, "black"));
  pen.shape("M0 0H1V1Z", "teal", 0.256);
  assert.equal(pen.parts.pop(), '<path d="M0 0H1V1Z" fill="teal" fill-opacity="0.26"/>');
  const file = svgFile(pen.parts, 10, 20, `"A", 'B'`);
  assert.match(file, /^<svg [^>]*width="10" height="20" viewBox="0 0 10 20" font-family="&quot;A&quot;, &#39;B&#39;">/);
  assert.match(pen.parts[0], /text-anchor="end" fill="red".*rotate\(90 1 2\)">&lt;a&gt; &amp; b<\/text>/);
  assert.match(pen.parts[1], /M0 0L1\.24 1" stroke="blue" stroke-width="2".*stroke-dasharray="5 4"/);
  assert.match(pen.parts[2], /fill="none" stroke="green" stroke-width="2".* data-cell="3"\/>/);
  assert.deepEqual(pen.parts.slice(3).map((part) => part.slice(0, 8)), ["<g trans", "<circle ", "</g>"]);
  assert.equal(round(1.005), 1);
});

test("below a saved picture stand its page, models and texts, in lines that it has room for", () => {
  const entry = new URLSearchParams({ text: ` ${"a red ball ".repeat(20)}`, model: "stories-rope", english: " " });
  const said = pictureOrigin("Attention explorer", entry.toString());
  assert.match(said, /^Attention explorer · stories-rope · “a red ball .*…” · tlmviz$/u);
  assert.ok(said.length < 140);
  assert.equal(pictureOrigin("Pipeline", ""), "Pipeline · tlmviz");
  const both = new URLSearchParams({ text: "of another page", english: "I am cold.", mt: "eng-fra" });
  assert.equal(pictureOrigin("Beam search", both.toString()), "Beam search · eng-fra · “I am cold.” · tlmviz");
  const lines = captionLines("one two  three\nfour extraordinarily", 9, (text) => text.length);
  assert.deepEqual(lines, ["one two", "three", "four", "extraordinarily"]);
  assert.deepEqual(captionLines("  ", 9, (text) => text.length), []);
});

test("colours of a scale, and ink that is readable on them", () => {
  const table = Uint8Array.from({ length: 768 }, (_, k) => Math.floor(k / 3));
  assert.deepEqual(shadeRgb(table, 0.5), [128, 128, 128]);
  assert.deepEqual([shade(table, -1), shade(table, 2)], ["rgb(0,0,0)", "rgb(255,255,255)"]);
  assert.deepEqual([inkOn([255, 255, 255]), inkOn([0, 0, 60])], ["#10151d", "#ffffff"]);
});

test("a view is made once for an element and left when the element goes", () => {
  const events = [];
  const render = mounted({
    create: () => ({ root: { remove: () => events.push("removed") } }),
    receive: (view, data) => events.push(data),
    leave: () => events.push("left"),
  });
  const component = { parentElement: {}, data: 1 };
  render(component);
  const unmount = render({ ...component, data: 2 });
  unmount();
  assert.deepEqual(events, [1, 2, "left", "removed"]);
});

test("another view in the same element takes the first one's place", () => {
  const events = [];
  const view = (name) => mounted({ create: () => ({ root: { remove: () => events.push(`${name} removed`) } }), receive: () => events.push(name),
    leave: () => {} });
  const [first, second] = [view("first"), view("second")];
  const component = { parentElement: {}, data: 1 };
  const unmount = first(component);
  second(component);
  unmount(); // late: its view is gone
  assert.deepEqual(events, ["first", "first removed", "second"]);
  first(component);
  assert.deepEqual(events.slice(3), ["second removed", "first"]);
});

test("sums and singular values of matrices that are known", () => {
  assert.deepEqual([...sums([1, 2, 3, 4], 2).rows], [3, 7]);
  assert.deepEqual([...sums([1, 2, 3, 4], 2).columns], [4, 6]);
  assert.deepEqual(singularValues([0, 3, -2, 0], 2), [3, 2]);
  assert.deepEqual(singularValues([0, 0, 0, 0], 2), [0, 0]);
  const [first, second] = singularValues([1, 1, 1, 1], 2);
  assert.ok(Math.abs(first - 2) < 1e-15 && second < 1e-15);
});

test("a drawing that is kept is drawn again by another pen, parts that were shifted too", () => {
  const canvas = /** @type {any} */ ({});
  const draw = (/** @type {any} */ pen) => {
    pen.rect(1, 2, 3, 4, "red");
    pen.shifted(10, 0, () => pen.text(0, 0, "a < b", { color: "black" }));
    pen.circle(5, 5, 2, "blue");
  };
  const direct = svgPen({ font: "serif" });
  draw(direct);
  const unkept = svgPen({ font: "serif" });
  assert.equal(recordingPen(canvas, unkept), unkept);
  keepDrawing(canvas);
  const seen = svgPen({ font: "serif" });
  draw(recordingPen(canvas, seen));
  assert.deepEqual(seen.parts, direct.parts);
  const again = svgPen({ font: "serif" });
  drawnOn(canvas).forEach((stroke) => stroke(again));
  assert.deepEqual(again.parts, direct.parts);
  forgetDrawing(canvas);
  assert.equal(drawnOn(canvas).length, 0);
});

test("texts in a PNG stand behind its header and end with their CRC", () => {
  const signature = [137, 80, 78, 71, 13, 10, 26, 10];
  const header = [0, 0, 0, 13, ...new TextEncoder().encode("IHDR"), ...Array(13).fill(1), 9, 9, 9, 9];
  const rest = [0, 0, 0, 0, ...new TextEncoder().encode("IEND"), 0xae, 0x42, 0x60, 0x82];
  const parts = describedPng(Uint8Array.from([...signature, ...header, ...rest]), { title: "A map", caption: "1 − p · é", link: "/pipeline" });
  assert.deepEqual([...parts[0]], [...signature, ...header]);
  assert.deepEqual([...parts[parts.length - 1]], rest);
  const kinds = parts.slice(1, -1).map((chunk) => {
    const view = new DataView(chunk.buffer);
    assert.equal(view.getUint32(0), chunk.length - 12);
    return new TextDecoder().decode(chunk.subarray(4, 8));
  });
  assert.deepEqual(kinds, ["tEXt", "iTXt", "tEXt", "tEXt"]);
  const software = parts[4];
  assert.equal(new DataView(software.buffer).getUint32(software.length - 4), 0x80b2f9f0); // zlib's, of tEXtSoftware tlmviz
  assert.ok(new TextDecoder().decode(parts[2]).includes("1 − p · é"));
});
