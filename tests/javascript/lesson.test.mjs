// Lessons: pictures as marks and hit areas, what an answer gets, and progress in the address.

import assert from "node:assert/strict";
import { test } from "node:test";

import { answerOf, begun, picked, replyTo, scored, shown, truth } from "../../tlmviz/ui/components/lesson/acts.js";
import { scoreAt, shareOf } from "../../tlmviz/ui/components/lesson/bars.js";
import { spread } from "../../tlmviz/ui/components/lesson/heads.js";
import { percent } from "../../tlmviz/ui/components/lesson/marks.js";
import { composed } from "../../tlmviz/ui/components/lesson/pictures.js";
import { linkTo, placeIn, placeNow } from "../../tlmviz/ui/components/lesson/progress.js";

const ruler = (text, size) => 0.5 * size * text.length; // no browser measures text here
const SIZES = [[1120, 420], [354, 400]];
const STORY = ["Once", " upon", " a", " time", ",", " Anna", " had", " a", " little", " ball", ".", " Ben", " came", " to", " play", ".", " Ben", " wanted",
  " the", " little"];
const words = STORY.map((word, n) => [n + 1, word]);
const STRIP = { words, blank: "?", told: false, under: 20, looks: [{ id: "C", from: 20, weights: { 10: 0.9, 9: 0.05, 1: 0.001 }, tone: "look" }], faint: [],
  press: [1, 10], picked: null, swapped: [], verb: "Tap" };
const marksOf = (kind, options, W = 1120, H = 420) => composed(W, H, [{ kind, share: 1, options }], ruler);
const find = (picture, key) => picture.marks.find((mark) => mark.key === key);

test("a strip fits its place at both widths, and what can be tapped lies on its word", () => {
  for (const [W, H] of SIZES) {
    const picture = marksOf("strip", STRIP, W, H);
    const texts = picture.marks.filter(({ key }) => key.startsWith("strip:word-"));
    assert.equal(texts.length, STORY.length);
    for (const { to, look } of texts) assert.ok(to.x >= -1 && to.x + ruler(look.text, to.size) <= W + 1 && to.y > 0 && to.y <= H, look.text);
    assert.deepEqual(picture.hits.map(({ key }) => key), ["1", "10"]);
    const [ball, hit] = [find(picture, "strip:word-10-ball").to, picture.hits[1]];
    assert.ok(hit.x <= ball.x && hit.x + hit.w >= ball.x && hit.y < ball.y && hit.y + hit.h > ball.y && hit.h >= 24);
  }
});

test("a look is an arc, the thicker the more is looked; what is under 2% is not drawn", () => {
  const picture = marksOf("strip", STRIP);
  const arcs = picture.marks.filter(({ key }) => key.startsWith("strip:look-"));
  assert.deepEqual(arcs.map(({ key }) => key).sort(), ["strip:look-C-10", "strip:look-C-9"]);
  assert.ok(find(picture, "strip:look-C-10").to.w > find(picture, "strip:look-C-9").to.w);
  assert.equal(find(picture, "strip:share-10").to.share, 0.9);
  const off = marksOf("strip", { ...STRIP, looks: [{ ...STRIP.looks[0], off: true }] });
  assert.equal(find(off, "strip:share-10"), undefined, "a silenced head says no number");
  const two = marksOf("strip", { ...STRIP, looks: [STRIP.looks[0], { ...STRIP.looks[0], id: "D", weights: { 10: 0.2 } }] });
  assert.equal(find(two, "strip:shares-10").look.text, "90%, 20%", "two looks at one word say both shares, in their order");
});

test("a note is a tag below its word, under its own key, and moves what stands there", () => {
  const noted = (notes) => marksOf("strip", { ...STRIP, notes });
  const [without, here, there] = [noted([]), noted([[10, "little"]]), noted([[6, "little"]])];
  const [ball, tag] = [find(here, "strip:word-10-ball").to, find(here, "strip:noted-little").to];
  assert.ok(tag.y > ball.y && tag.y < ball.y + 1.3 * ball.size && Math.abs(tag.x - ball.x - ruler("ball", ball.size) / 2) < 1);
  assert.equal(find(without, "strip:noted-little"), undefined);
  assert.ok(find(there, "strip:noted-little").to.x !== tag.x, "the same mark glides to another word");
  const end = (picture) => find(picture, "strip:look-C-10").to.y2;
  assert.ok(end(here) > tag.y && end(without) < tag.y && end(there) === end(without), "an arc ends below the tag");
});

test("pieces of a word stand together, and a sentence begins a line", () => {
  const picture = marksOf("strip", { ...STRIP, words: [[1, "M"], [2, "y"], [3, " cat"], [4, "."], [5, " It"]], blank: "", looks: [], press: [] });
  const at = (key) => find(picture, `strip:word-${key}`).to;
  assert.equal(at("2-y").x, at("1-M").x + ruler("M", at("1-M").size));
  assert.ok(at("3-cat").x > at("2-y").x + ruler("y", at("2-y").size) && at("5-It").y > at("4-.").y);
});

test("pieces of a word are not parted at the end of a line", () => {
  const pieces = Array.from({ length: 30 }, (_, n) => [n + 1, n % 3 ? "father" : " grand"]);
  const picture = marksOf("strip", { ...STRIP, words: pieces, blank: "", looks: [], press: [] }, 354, 400);
  const lines = pieces.map(([i, text]) => find(picture, `strip:word-${i}-${text.trim()}`).to.y);
  assert.ok(new Set(lines).size > 3);
  for (let n = 0; n < 30; n += 3) assert.equal(new Set(lines.slice(n, n + 3)).size, 1);
});

test("bars are as long as their shares, and a share that is not told has none", () => {
  const rows = [{ id: "a", label: "truck", share: 0.5, tone: "ink", guess: 0.25 }, { id: "b", label: "car", share: null, tone: "soft" }];
  for (const [W, H] of [...SIZES, [104, 90]]) {
    const picture = marksOf("bars", { rows }, W, H);
    const [rail, bar, guess] = ["bars:a-rail", "bars:a", "bars:a-guess"].map((key) => find(picture, key).to);
    assert.ok(Math.abs(bar.w / rail.w - 0.5) < 0.01 && Math.abs((guess.x + 1.5 - rail.x) / rail.w - 0.25) < 0.01);
    assert.ok(rail.x > 0 && rail.x + rail.w < W);
    assert.equal(find(picture, "bars:b"), undefined);
    assert.deepEqual(picture.range, { x: rail.x, y: rail.y + 1, w: rail.w });
  }
});

test("points make a share as softmax does", () => {
  const scores = [10.6, 6.5, 6, 5];
  const rest = Math.log(scores.slice(1).reduce((sum, score) => sum + Math.exp(score), 0));
  const softmax = (first) => Math.exp(first) / (Math.exp(first) + Math.exp(rest));
  assert.ok(Math.abs(shareOf(10.6, rest) - softmax(10.6)) < 1e-12);
  assert.ok(Math.abs(scoreAt({ score: 10.6, rest, value: 50 }) - 5.3) < 1e-12);
  const picture = marksOf("odds", { scored: "points", sure: "sure", score: 10.6, rest, value: 50 });
  assert.ok(Math.abs(find(picture, "odds:sure-share").to.share - softmax(5.3)) < 1e-12);
  assert.equal(find(picture, "odds:score-says").look.text, "5.3");
});

test("in a fan up is more, on both sides, and labels keep their distance", () => {
  const lines = [["A", 0.9, 0.1], ["B", 0.88, 0.8], ["C", 0.1, 0.81]].map(
    ([name, left, right]) => ({ name, left, right, lefts: "", rights: "", tone: "soft" }));
  const picture = marksOf("fan", { lines, titles: ["looks", "left"] });
  const at = (name) => find(picture, `fan:${name}-line`).to;
  assert.ok(at("A").y1 < at("B").y1 && at("B").y1 < at("C").y1 && at("A").y2 > at("B").y2);
  const labels = ["A", "B"].map((name) => find(picture, `fan:${name}-left`).to.y);
  assert.ok(Math.abs(labels[0] - labels[1]) >= 20);
  assert.deepEqual(spread([10, 11, 100], 20).map((y, n, all) => n === 0 || y - all[n - 1] >= 20), [true, true, true]);
});

test("rings can be pressed where they are drawn, on a phone in lines", () => {
  const heads = ["A", "B", "C", "D", "E"].map((name, n) => ({ name, share: n / 5, tone: "ink", says: "looks\nwithout", off: name === "B" }));
  for (const [W, H] of SIZES) {
    const { hits, marks } = marksOf("rings", { heads, press: ["A", "B", "C", "D", "E"], chosen: ["C"], verb: "Silence" }, W, H);
    assert.equal(hits.length, 5);
    for (const { x, y, w, h } of hits) assert.ok(x >= 0 && x + w <= W && y >= 0 && y + h <= H && w >= 24);
    assert.deepEqual(hits.map(({ pressed }) => pressed), [false, true, true, false, false]);
    assert.equal(new Set(marks.map(({ key }) => key)).size, marks.length);
    assert.equal(new Set(hits.map(({ y }) => y)).size, W < 600 ? 2 : 1);
  }
});

const row = (id, values, more = {}) => ({ id, label: id, values, says: "?", tone: "ink", top: 4, ...more });

test("rows of numbers are bars above and below zero, as high as their numbers, and one that is not told has none", () => {
  for (const [W, H] of [...SIZES, [240, 120]]) {
    const picture = marksOf("numbers", { rows: [row("q", [4, -2, 0.5]), row("p", [null, 2, null])], at: 1 }, W, H);
    const [high, low, half, other] = ["q-0", "q-1", "q-2", "p-1"].map((key) => find(picture, `numbers:${key}`).to);
    const zero = find(picture, "numbers:q-zero").to.y + 0.75;
    assert.ok(Math.abs(high.y + high.h - zero) < 0.01 && Math.abs(low.y - zero) < 0.01, "they begin at zero");
    assert.ok(Math.abs(high.h / low.h - 2) < 0.01 && Math.abs(low.h - other.h) < 0.01 && half.h < low.h);
    assert.equal(low.x, other.x, "number stands above number");
    assert.equal(find(picture, "numbers:p-0"), undefined);
    const at = find(picture, "numbers:p-at").to;
    assert.ok(at.x <= other.x && at.x + at.w >= other.x + other.w);
    for (const { to, type } of picture.marks) if (type === "rect") assert.ok(to.x >= 0 && to.x + to.w <= W && to.y >= -3 && to.y + to.h <= H + 3);
  }
});

test("names stand below the columns of a row, inside its place and beside one another", () => {
  const names = ["Elle", "s'est", "mariée", "à", "", "."];
  for (const [W, H] of SIZES) {
    const row = (id) => ({ id, label: id, values: names.map((_, n) => -n / 6), says: "−2.5", tone: "does", top: 1, names });
    const picture = marksOf("numbers", { rows: [row("one"), row("two")], at: null }, W, H);
    const told = picture.marks.filter(({ key }) => key.startsWith("numbers:one-name-"));
    assert.deepEqual(told.map(({ look }) => look.text), names.filter(Boolean));
    told.forEach(({ to, look }, n) => {
      const next = told[n + 1];
      assert.ok(!next || to.x + ruler(look.text, to.size) / 2 <= next.to.x - ruler(next.look.text, next.to.size) / 2);
    });
    const [bar, name, other] = ["one-5", "one-name-5", "two-5"].map((key) => find(picture, `numbers:${key}`).to);
    assert.ok(bar.y + bar.h <= name.y - name.size * 0.5 && name.y < other.y);
  }
});

test("dots lie as far from zero as their numbers, in one measure for all rows", () => {
  for (const [W, H] of SIZES) {
    const picture = marksOf("dots", { rows: [row("one", [1, -1]), row("sums", [5, -10]), row("later", null)], span: 10 }, W, H);
    const off = (key) => { const { x, w } = find(picture, `dots:${key}`).to; return x + w / 2; };
    const [middle, one, five, ten] = ["one-zero", "one-0", "sums-0", "sums-1"].map(off);
    assert.ok(Math.abs((five - middle) / (one - middle) - 5) < 0.01 && Math.abs((ten - middle) / (one - middle) + 10) < 0.01);
    assert.ok(off("sums-1") > 0 && find(picture, "dots:later-0") === undefined && find(picture, "dots:later-says").look.text === "?");
  }
});

test("a tower stands on its first floor, its parts inside their floors, and guesses beside them", () => {
  const parts = [["6 heads", true], ["feed-forward", false]];
  const floors = ["in", "1", "2", "3"].map((id, n) => ({ id, label: n ? `block ${id}` : "“little”", parts: n ? parts : [], off: id === "2", idle: id === "3",
    says: id === "1" ? "girl" : null, share: id === "1" ? 0.7 : null, tone: "ink" }));
  for (const [W, H] of SIZES) {
    const picture = marksOf("tower", { floors, press: ["1", "2"], verb: "Leave out" }, W, H);
    const [low, high, box, feed, says] = ["in-label", "3-label", "1-box", "1-feed-forward", "1-says"].map((key) => find(picture, `tower:${key}`).to);
    assert.ok(low.y > high.y && low.y < H && high.y > 0);
    assert.ok(feed.x > box.x && feed.x + ruler("feed-forward", feed.size) < box.x + box.w && says.x > box.x + box.w);
    assert.ok(find(picture, "tower:1-share").to.x + 3 * says.size < W && find(picture, "tower:1-share").to.share === 0.7);
    assert.ok(find(picture, "tower:1-feed-forward-cross") && find(picture, "tower:2-cross") && !find(picture, "tower:3-cross")
      && !find(picture, "tower:in-box"));
    assert.deepEqual(picture.hits.map(({ key, pressed }) => [key, pressed]), [["1", false], ["2", true]]);
    for (const { x, y, w, h } of picture.hits) assert.ok(x >= 0 && x + w <= W && y >= 0 && y + h <= H && h >= 24);
  }
});

test("cells of a grid lie in their columns, as wide as they say, and can be pressed there", () => {
  const line = (id, cells) => ({ id, label: id, says: "?", cells });
  const rows = [line("one", [[0, 1, "new", "32"], [1, 1, "kept", ""], [2, 2, "shared", "32"]]),
    line("two", [[0, 4, "again", "a long word"], [4, 1, "none", ""]])];
  const options = { rows, columns: 5, heads: ["1", "2", "3", "4", "5"], legend: [["new", "computed"], ["kept", "kept"]], press: [1, 5], verb: "Tap" };
  for (const [W, H] of [...SIZES, [240, 130]]) {
    const picture = marksOf("grid", options, W, H);
    const [a, b, c, d] = ["one-0", "one-1", "one-2", "two-0"].map((key) => find(picture, `grid:${key}`).to);
    const step = b.x - a.x;
    assert.ok(Math.abs(c.x - a.x - 2 * step) < 0.01 && Math.abs(c.w - a.w - step) < 0.01 && Math.abs(d.w - a.w - 3 * step) < 0.01);
    assert.ok(d.x === a.x && d.y > a.y + a.h);
    assert.deepEqual(picture.hits.map(({ key }) => key), ["1", "5"]);
    assert.ok(picture.hits[0].x <= b.x && picture.hits[0].y <= b.y && picture.hits[0].w >= 24);
    for (const { to, type } of picture.marks) if (type === "rect") assert.ok(to.x >= 0 && to.x + to.w <= W + 1 && to.y >= 0 && to.y + to.h <= H + 1);
    assert.equal(find(picture, "grid:one-0-says") !== undefined, W > 260, "in a margin no words");
    assert.equal(new Set(picture.marks.map(({ key }) => key)).size, picture.marks.length);
  }
});

test("a tree stands word behind word, a branch as thick as its share, and is pressed at its ends", () => {
  const word = (id, parent, label, share, end = "", more = {}) => ({ id, parent, label, share, says: "60%", end, tone: "ink", faint: false, ...more });
  const nodes = [word("Je", null, "Je", 0.6), word("Je/suis", "Je", "suis", 0.7), word("a", "Je/suis", "froid", 0.3, "?"),
    word("b", "Je/suis", "froide", 0.2, "?"), word("J'ai", null, "J'ai", 0.25, "20%", { faint: true })];
  for (const [W, H] of [...SIZES, [240, 130]]) {
    const picture = marksOf("tree", { nodes, press: [2, 3], verb: "Tap" }, W, H);
    const [je, suis, a, other] = ["Je", "Je/suis", "a", "J'ai"].map((id) => find(picture, `tree:${id}-branch`).to);
    assert.ok(je.x2 > je.x1 && suis.x1 >= je.x2 && suis.x2 > suis.x1 && a.x2 > suis.x2 && a.y2 < other.y2);
    assert.ok(je.w > other.w && je.o > other.o, "the likelier the thicker, what was left faint");
    assert.equal(new Set(picture.marks.map(({ key }) => key)).size, picture.marks.length);
    if (W < 260) continue; // in a margin branches alone
    const text = find(picture, "tree:a-word").to;
    assert.deepEqual(picture.hits.map(({ key, label }) => [key, label]), [["2", "Tap “Je suis froid”"], ["3", "Tap “Je suis froide”"]]);
    for (const hit of picture.hits) assert.ok(hit.x >= 0 && hit.x + hit.w <= W + 1 && hit.h >= 24 && hit.w >= 24);
    assert.ok(picture.hits[0].x <= text.x && picture.hits[0].y < text.y && picture.hits[0].y + picture.hits[0].h > text.y);
    assert.ok(picture.hits[0].y + picture.hits[0].h <= picture.hits[1].y + 1);
    for (const { to, type, look } of picture.marks) if (type === "text")
      assert.ok(to.x >= 0 && to.y <= H && to.x + (look.anchor ? 0 : ruler(look.text, to.size)) <= W);
  }
});

test("a long word at the end of a bar has room", () => {
  const rows = [{ id: "a", label: "word 20", share: 0.5, tone: "ink", says: "254 million" }];
  const says = find(marksOf("bars", { rows }, 354, 200), "bars:a-says").to;
  assert.ok(says.x + ruler("254 million", says.size) <= 354);
});

test("a table has a cell for each number, the darker the larger, and what is written beside it inside its place", () => {
  const table = { rows: ["new 1", "new 2"], columns: ["old 1", "old 2"], values: [[2, -0.5], [1, 0]], right: ["1.50", "?"], below: ["3.00", "−0.50"],
    titles: ["sum", "sum"], lit: 1 };
  for (const [W, H] of [...SIZES, [240, 120]]) {
    const picture = marksOf("matrix", table, W, H);
    const [two, half, one] = ["0-0", "0-1", "1-0"].map((key) => find(picture, `matrix:${key}`));
    assert.ok(two.to.o > one.to.o && one.to.o > half.to.o && two.look.tone !== half.look.tone);
    assert.ok(two.to.x < half.to.x && two.to.y === half.to.y && one.to.y > two.to.y && one.to.x === two.to.x);
    if (W > 260) assert.deepEqual(["0-1-says", "right-0", "right", "below-1"].map((key) => find(picture, `matrix:${key}`).look.text),
      ["−0.50", "1.50", "sum", "−0.50"]);
    const width = ({ look, to }) => ruler(look.text, to.size);
    for (const each of picture.marks) {
      const left = each.type === "rect" ? each.to.x : each.to.x - { start: 0, middle: 0.5, end: 1 }[each.look.anchor ?? "start"] * width(each);
      assert.ok(left >= -2 && left + (each.type === "rect" ? each.to.w : width(each)) <= W + 2 && each.to.y >= -2 && each.to.y <= H + 2, each.key);
    }
  }
});

test("parts of a picture stand one above another, each with keys of its own", () => {
  const parts = [{ kind: "strip", share: 3, options: STRIP },
    { kind: "bars", share: 1, options: { rows: [{ id: "a", label: "a", share: 0.5, tone: "ink" }] } }];
  const picture = composed(1000, 400, parts, ruler);
  assert.ok(find(picture, "bars:a").to.y > 300 && picture.range.y > 300 && find(picture, "bars:a").to.y < 400);
  const twice = composed(1000, 400, [parts[0], parts[0]], ruler).marks; // the same text above and below
  assert.equal(new Set(twice.map(({ key }) => key)).size, twice.length);
  assert.equal(new Set(picture.marks.map(({ key }) => key)).size, picture.marks.length);
});

const reply = (right, key, more = {}) => ({ key, label: "", verdict: "", reason: `${key}`, right, shows: [], ...more });
const act = (kind, replies, more = {}) => ({ kind, replies, button: "", label: "", count: 1, right: 0, within: 0, start: 50, until: null, ...more });
const CHOOSE = act("choose", [reply(false, 0), reply(true, 1)]);
const DRAG = act("drag", [reply(true, "good"), reply(false, "low"), reply(false, "high")], { right: 87, within: 10 });

test("an answer gets its reply, and nonsense none", () => {
  assert.equal(replyTo(CHOOSE, 1).right, true);
  assert.equal(replyTo(CHOOSE, 7), undefined);
  assert.equal(replyTo(act("tap", [reply(false, 4), reply(true, 9)]), 9).right, true);
  assert.equal(replyTo(act("tap", [reply(true, 9)]), 0), undefined);
  assert.deepEqual([30, 77, 97, 98].map((value) => replyTo(DRAG, value).key), ["low", "good", "good", "high"]);
  assert.equal(picked(act("pick", [reply(false, "A B"), reply(true, "A C")], { count: 2 }), ["C", "A"]), 1);
});

test("what would give the answer away is not shown before it", () => {
  const scene = { act: CHOOSE, before: [{ kind: "strip", share: 1, options: STRIP }], after: [{ kind: "fan", share: 1, options: {} }] };
  assert.equal(shown(scene, begun(CHOOSE))[0].kind, "strip");
  assert.equal(shown(scene, begun(CHOOSE, 0))[0].kind, "fan");
  const rows = [{ id: "a" }, { id: "b" }];
  const [part] = shown({ act: DRAG, before: [{ kind: "bars", share: 1, options: { rows } }], after: [] }, begun(DRAG, 30));
  assert.deepEqual(part.options.rows, [{ id: "a", guess: 0.3 }, { id: "b" }]);
});

test("only guesses count, and of those the right ones", () => {
  const press = act("press", [reply(false, "A"), reply(true, "B")]);
  const scenes = [CHOOSE, DRAG, press, act("drag", [reply(true, 0)], { until: 80 })].map((each) => ({ act: each }));
  const states = [begun(CHOOSE, 1), begun(DRAG, 10), begun(press, 2)];
  assert.deepEqual(scored(scenes, states), { right: 1, all: 2 });
});

test("progress is read from the address as it was written, and nonsense in it is nothing", () => {
  const place = { lesson: "looking", scene: 4, told: [1, null, 70], sentence: "A cat sat" };
  const to = linkTo(place, "?lang=en-XA&other=1");
  assert.deepEqual(placeIn(to.slice(to.indexOf("?"))), place);
  assert.ok(to.includes("lang=en-XA") && !to.includes("other"));
  assert.equal(linkTo({ lesson: "next", scene: 1, told: [null, null], sentence: "" }), "lessons?lesson=next");
  const odd = placeIn("?lesson=x&scene=-4&told=a.5..99999.<b>");
  assert.deepEqual([odd.scene, odd.told], [1, [null, 5, null, null, null]]);
});

test("what a page that was left writes late into the address is not taken for the lesson's", () => {
  const asked = "lesson=looking&scene=8&told=1";
  assert.equal(placeNow(asked, "?text=One+day&head=4.2").scene, 8);
  assert.equal(placeNow(asked, "?lesson=next&scene=2").scene, 2);
  assert.equal(placeNow(asked, "").lesson, "", "the list");
  assert.equal(placeNow(asked, "?lang=en-XA").lesson, "");
});

test("a share is rounded as Python rounds it", () => {
  assert.deepEqual([0.845, 0.8451, 0, 0.0049, 0.995, 0.99999, 1].map(percent), ["84%", "85%", "0%", "<1%", "99.5%", "99.9%", "100%"]);
});

test("a room counts a guess by its place among the answers, and what is no guess not at all", () => {
  const reply = (key, right) => ({ key, right, label: "", verdict: "", reason: "", shows: [] });
  const act = (kind, more) => ({ kind, replies: [reply(4, false), reply(9, true)], button: "", label: "", count: 1, right: 37, within: 10, start: 50,
    until: null, ...more });
  assert.deepEqual([answerOf(act("choose"), 1), truth(act("choose"))], [1, 1]);
  assert.deepEqual([answerOf(act("tap"), 9), answerOf(act("tap"), 4), truth(act("tap"))], [1, 0, 9]);
  assert.deepEqual([0, 9.9, 37, 99, 100].map((told) => answerOf(act("drag"), told)), [0, 0, 3, 9, 9]);
  assert.equal(truth(act("drag")), 37);
  for (const none of [act("again"), act("press"), act("drag", { until: 30 })]) assert.equal(answerOf(none, 1), -1);
  const open = act("choose", { replies: [reply(0, false), reply(1, false)] });
  assert.equal(truth(open), -1, "where nobody says what is right");
});

test("a clock's hands point where they are said to, and it is not told where it has none", () => {
  const hand = (name, angle, broad = false) => ({ name, angle, length: 1, tone: "ink", broad });
  const clock = (id, hands, says = "1.0") => ({ id, label: `place ${id}`, says, hands });
  const all = [clock("a", [hand("q", 90, true), hand("k", 180)]), clock("b", [hand("q", 450, true), hand("k", 0)]), clock("c", [], "?")];
  for (const [W, H] of [...SIZES, [240, 120]]) {
    const picture = marksOf("clocks", { clocks: all, legend: [["query", "look"], ["key", "does"]] }, W, H);
    const [face, q, k, again] = ["a-face", "a-q", "a-k", "b-q"].map((key) => find(picture, `clocks:${key}`).to);
    assert.ok(Math.abs(q.x2 - face.x) < 0.01 && q.y2 > face.y && q.y2 < face.y + face.r, "90 degrees is down");
    assert.ok(Math.abs(k.y2 - face.y) < 0.01 && k.x2 < face.x && q.w > k.w);
    assert.ok(Math.abs(again.y2 - again.y1 - (q.y2 - q.y1)) < 0.01, "once around is the same");
    assert.equal(find(picture, "clocks:c-none").look.text, "?");
    assert.equal(find(picture, "clocks:a-none"), undefined);
    for (const { to, type } of picture.marks) if (type === "ring") assert.ok(to.x - to.r >= 0 && to.x + to.r <= W && to.y - to.r >= 0 && to.y + to.r <= H);
    for (const { to, type } of picture.marks) if (type === "text") assert.ok(to.y > 0 && to.y <= H + 1);
  }
});

test("words lie in a plane at their places, names and all inside it, and a way leads from one to another", () => {
  const points = [["mother", -1, 1], ["brother", 1, -1]].map(([id, x, y]) => ({ id, x, y, tone: "ink", strong: false }));
  const ways = [{ id: "ab", from: [-1, 1], to: [1, -1], says: "?", tone: "soft" }];
  for (const [W, H] of SIZES) {
    const picture = marksOf("plane", { points, ways }, W, H);
    const [mother, brother, way] = ["dot-mother", "dot-brother", "way-ab"].map((key) => find(picture, `plane:${key}`).to);
    const name = find(picture, "plane:name-brother").to;
    assert.ok(mother.x < brother.x && mother.y < brother.y && mother.x >= 0 && name.x + ruler("brother", name.size) <= W + 1);
    assert.ok(Math.abs(way.x1 - mother.x - mother.w / 2) < 1 && Math.abs(way.y2 - brother.y - brother.h / 2) < 1);
    for (const side of [-1, 1]) {
      const tip = find(picture, `plane:way-ab-tip${side}`).to;
      assert.ok(tip.x1 === way.x2 && tip.y1 === way.y2 && Math.hypot(tip.x2 - mother.x, tip.y2 - mother.y) < Math.hypot(way.x2 - mother.x, way.y2 - mother.y),
        "its tip points on");
    }
  }
});

test("a map has a cell for each word that is seen; in tiles, those that are there show theirs, skipped ones none", () => {
  const weights = [[1], [0.75, 0.25], [0.2, 0.3, 0.5], [0.1, 0.2, 0.3, 0.4]];
  const map = { words: ["Anna", "had", "a", "ball"], weights, side: 0, tiles: [], legend: [] };
  const cut = { ...map, side: 2, tiles: [["gone", "skipped"], ["now", "made"]], legend: [["now", "there"], ["gone", "forgotten"]] };
  for (const [W, H] of [...SIZES, [240, 120]]) {
    const [whole, tiles] = [map, cut].map((options) => marksOf("map", options, W, H));
    assert.equal(whole.marks.filter(({ key }) => key.startsWith("map:cell-")).length, 10);
    const [first, second, later] = ["cell-1-0", "cell-1-1", "cell-3-0"].map((key) => find(whole, `map:${key}`).to);
    assert.ok(first.o > second.o && first.x < second.x && later.y > first.y && later.x === first.x, "the darker, the more");
    const at = (key) => find(tiles, `map:${key}`).to;
    assert.ok(at("cell-1-0").o < first.o / 2 && at("cell-3-0").o === later.o && at("cell-2-1").x + at("cell-2-1").w < at("cell-2-2").x - 4);
    const [tile, cell] = [at("tile-1-0"), at("cell-3-1")];
    assert.ok(tile.x <= at("cell-2-0").x && tile.x + tile.w >= cell.x + cell.w && tile.y + tile.h >= cell.y + cell.h);
    for (const { to, type, key } of tiles.marks) if (type === "rect") assert.ok(to.x >= 0 && to.x + to.w <= W + 1 && to.y >= -1 && to.y + to.h <= H + 1, key);
    assert.equal(find(tiles, "map:row-3")?.look.text, W > 260 ? "ball" : undefined);
  }
});

test("on a number line dots and steps lie where their numbers are, and a dot on a step lies on its line", () => {
  const line = (id, dots) => ({ id, label: id, says: "30%", tone: "look", ticks: [-2, -1, 0, 1, 2], dots });
  for (const [W, H] of [...SIZES, [240, 120]]) {
    const picture = marksOf("steps", { rows: [line("given", [0.4, 1.4, -2]), line("kept", [0, 1, -2])], low: -2.5, high: 2.5, named: [[0, "0"]] }, W, H);
    const middle = (key) => { const { x, w } = find(picture, `steps:${key}`).to; return x + w / 2; };
    const step = middle("kept-tick-3") - middle("kept-tick-2");
    assert.ok(Math.abs(middle("given-dot-0") - middle("given-tick-2") - 0.4 * step) < 0.01);
    assert.ok(Math.abs(middle("kept-dot-1") - middle("kept-tick-3")) < 0.01 && Math.abs(middle("kept-dot-2") - middle("kept-tick-0")) < 0.01);
    for (const { key, to, type } of picture.marks) if (type === "rect") assert.ok(to.x >= 0 && to.x + to.w <= W && to.y >= 0 && to.y + to.h <= H, key);
    assert.equal(find(picture, "steps:named-0") !== undefined, W > 260);
  }
});

test("two texts face one another at both widths, and a look leads from its word to what it looks at", () => {
  const texts = { words: [[0, "They"], [1, " are"], [2, " working"], [3, "."]], below: ["Ils", " travaill", "ent", "."] };
  const PAIR = { ...texts, looks: [{ from: 2, weights: [0.24, 0.57, 0.15, 0.01], tone: "look" }], under: 2, bold: false, press: [0, 1], verb: "Tap" };
  for (const [W, H] of SIZES) {
    const picture = marksOf("pair", PAIR, W, H);
    const said = picture.marks.filter(({ key }) => /^pair:(above|below)-/.test(key));
    assert.equal(said.length, 8);
    for (const { to, look } of said) assert.ok(to.x >= -1 && to.x + ruler(look.text, to.size) <= W + 1 && to.y - to.size > -1 && to.y <= H, look.text);
    assert.deepEqual(picture.marks.filter(({ key }) => key.startsWith("pair:look-")).map(({ key }) => key),
      ["pair:look-2-0", "pair:look-2-1", "pair:look-2-2"]);
    const [are, line, hit] = [find(picture, "pair:above-1").to, find(picture, "pair:look-2-1").to, picture.hits[1]];
    assert.ok(line.w > find(picture, "pair:look-2-0").to.w && find(picture, "pair:share-1").to.share === 0.57);
    assert.equal(find(picture, "pair:share-3"), undefined);
    assert.ok(hit.x <= are.x && hit.x + hit.w >= are.x && hit.y < are.y && hit.y + hit.h > are.y && hit.h >= 24);
    const ending = find(picture, W > 600 ? "pair:below-2-ent" : "pair:below-2-·ent").to;
    assert.equal(ending.y === find(picture, "pair:below-0-Ils").to.y, W > 600, "in a row, or on a phone in a column");
  }
});

test("written digits fit their place, once or often, and cells are pressed, lit and told where they lie", () => {
  const ink = "0".repeat(24) + "0000gg80".repeat(2) + "0".repeat(24);
  const panel = (id) => ({ id, label: id, shades: Array(36).fill(0.5), shares: [[4, 0.9]], says: [[0, "8", true]], lit: [4], tone: "look" });
  const cells = ["", ink, "", "", ink, "", "", "", ""];
  for (const [W, H] of [...SIZES, [240, 130], [104, 90]])
    for (const count of [1, 3, 8]) {
      const panels = Array.from({ length: count }, (_, n) => panel(`p${n}`));
      const { marks, hits } = marksOf("handwritten", { cells, panels, names: cells.map((_, n) => `cell ${n}`), press: [0, 4], offer: "7?", picked: null,
        verb: "Tap" }, W, H);
      for (const { to, type, key } of marks) if (type === "rect") assert.ok(to.x >= -4 && to.x + to.w <= W + 4 && to.y >= -1 && to.y + to.h <= H + 1, key);
      assert.deepEqual(hits.map(({ key, label }) => [key, label]), [["0", "Tap cell 0"], ["4", "Tap cell 4"]]);
      const cell = marks.find(({ key }) => key === "handwritten:p0-cell-4").to;
      const [first, again] = [0, 1].map((n) => marks.find(({ key }) => key === `handwritten:p0-${ink}-${n}-3`));
      assert.ok(Math.abs(again.to.x - cell.x - cell.w / 2) < 0.01 && Math.abs(again.to.y - cell.y - cell.h / 2) < 0.01);
      assert.ok(first.to.y < again.to.y && first.look.path.split("M").length === 5, "four full pixels");
      assert.equal(marks.some(({ type }) => type === "text"), W > 260);
    }
});
