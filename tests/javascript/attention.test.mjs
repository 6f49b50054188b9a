// The attention view: heads in order, and a head with a window and positions by distance, against sums written out.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Head } from "../../tlmviz/ui/components/attention_view/head.js";
import { overviewOf, rowsOf, weightsOf } from "../../tlmviz/ui/components/attention_view/rounded.js";
import { arrange, search } from "../../tlmviz/ui/components/attention_view/statistics.js";
import { kindOf, pinnedWeight, sentenceOf } from "../../tlmviz/ui/components/attention_view/reading.js";
import { tagCounts, tagsOf } from "../../tlmviz/ui/components/attention_view/tags.js";
import { Weights } from "../../tlmviz/ui/components/attention_view/weights.js";

test("heads are sorted best first, those without a value last", () => {
  const header = { layers: 1, heads: 4, stats: { entropy: [3, 1, null, 2], previous: [0.1, 0.4, null, 0.2] } };
  assert.deepEqual(["position", "entropy", "previous"].map((order) => arrange(header, order)), [[0, 1, 2, 3], [1, 3, 0, 2], [1, 3, 0, 2]]);
});

test("a search names a layer, a head, or a bound on a statistic", () => {
  const header = { layers: 2, heads: 2, stats: { entropy: [3, 1, null, 2], previous: [0.1, 0.4, 0.6, 0.2], sink: [0, 0, 0.9, 1] } };
  const found = (find, order = "position") => arrange(header, order, find);
  assert.deepEqual(found("1"), [2, 3]);
  assert.deepEqual(found(" L1.h0 "), [2]);
  assert.deepEqual(found("previous > 0.3"), [1, 2]);
  assert.deepEqual(found("attention sink>=.9", "previous"), [2, 3]);
  assert.deepEqual(found("entropy < 2", "entropy"), [1, 3]); // a head without a value matches no bound
  assert.deepEqual(found("< 2", "entropy"), [1, 3]);
  assert.deepEqual(found("7.7"), []);
  for (const nonsense of ["", "lily", "> 0.3", "colour > 1", "<script>", "1.2.3"]) {
    assert.equal(search(header, "position", nonsense), null);
    assert.equal(found(nonsense).length, 4);
  }
});

test("rows are probabilities and hidden cells are blank", () => {
  const dots = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]; // q.k with q = (3i + 1, 1), k = (1, j)
  const q = Float32Array.from([1, 1, 4, 1, 7, 1]);
  const k = Float32Array.from([1, 0, 1, 1, 1, 2]);
  const visible = (i, j) => j <= i && i - j < 2;
  const scores = dots.map((row, i) => row.map((dot, j) => (visible(i, j) ? 0.5 * dot - 0.25 * (i - j) : -Infinity)));
  const lse = Float32Array.from(scores, (row) => Math.log(row.reduce((sum, s) => sum + Math.exp(s), 0)));
  const head = new Head({ tokens: ["a", "b", "c"], scale: 0.5, slope: 0.25, window: 2, causal: true }, { q, k, lse });
  scores.forEach((row, i) => {
    const weights = head.row(i);
    assert.ok(Math.abs(weights.reduce((sum, p) => sum + p, 0) - 1) < 1e-6);
    row.forEach((score, j) => assert.ok(Math.abs(weights[j] - Math.exp(score - lse[i])) < 1e-6));
  });
  const picture = head.picture("softmax", 0, 0, 3, 3);
  assert.deepEqual(Array.from(picture, Number.isNaN), [false, true, true, false, false, true, true, false, false]);
  assert.equal(head.picture("dot", 0, 0, 3, 3)[2], 3);
});

test("weights alone give the same pictures as the scores they come from", () => {
  const header = { tokens: ["a", "b"], scale: 1, slope: 0, window: null, causal: true };
  const lse = Float32Array.from([3, Math.log(Math.exp(2) + Math.exp(1))]);
  const head = new Head(header, { q: Float32Array.from([3, 0, 2, 1]), k: Float32Array.from([1, 0, 0, 1]), lse });
  const given = new Weights(header, Float32Array.from([1, 0, head.probability(1, 0), head.probability(1, 1)]));
  const [one, other] = [head, given].map((each) => each.picture("softmax", 0, 0, 2, 2));
  assert.ok(Number.isNaN(one[1]) && Number.isNaN(other[1]));
  for (const x of [0, 2, 3]) assert.ok(Math.abs(one[x] - other[x]) < 1e-6);
  assert.equal(given.stageOf("dot"), "softmax");
  assert.deepEqual(given.values(1, 1), [["probability", given.probability(1, 1)]]);
  given.release();
  assert.equal(given.picture("softmax", 0, 0, 2, 2)[0], 1);
});

test("rounded weights are the codes' squares times the row's largest", () => {
  const header = { tokens: ["a", "b"], layers: 1, heads: 2, overview_size: 2, causal: true, levels: 10 };
  const codes = { codes: Uint8Array.from([10, 5, 10, 10, 10, 0]), peaks: Float32Array.from([1, 0.8, 1, 1]) };
  const close = (found, expected) => expected.forEach((value, x) => assert.ok(Math.abs(found[x] - value) < 1e-6, `${found}`));
  close(weightsOf(header, codes, 0), [1, 0, 0.2, 0.8]);
  close(weightsOf(header, codes, 1), [1, 0, 1, 0]);
  close(rowsOf(header, codes, 1), [0.2, 0.8, 1, 0]);
  close(overviewOf(header, codes), [255, 0, Math.round(255 * Math.sqrt(0.2)), Math.round(255 * Math.sqrt(0.8)), 255, 0, 255, 0]);
  const within = new Weights(header, weightsOf(header, codes, 0)).values(1, 0)[1];
  assert.equal(within[0], "within");
  assert.ok(Math.abs(within[1] - 0.8 * (0.55 ** 2 - 0.5 ** 2)) < 1e-6);
});

const TAGS = {
  table: [
    { name: "induction", label: "induction", short: "ind", meaning: "", least: 0.25, fewest: 3 },
    { name: "sink", label: "first token", short: "sink", meaning: "", least: 0.5, fewest: 3 },
  ],
  values: [[0.25, null, 0.1, 0.9], [0.6, 0.2, 0.5, null]],
  counts: [3, 40],
};

test("a head has the tags whose threshold it reaches, and a search by tag finds it", () => {
  const header = { layers: 2, heads: 2, tags: TAGS };
  const names = [0, 1, 2, 3].map((index) => tagsOf(header, index).map(({ tag }) => tag.name));
  assert.deepEqual(names, [["induction", "sink"], [], ["sink"], ["induction"]]);
  assert.deepEqual(tagCounts(header).map(({ count }) => count), [2, 2]);
  assert.deepEqual(arrange(header, "position", "induction"), [0, 3]);
  assert.deepEqual(arrange(header, "position", " First Token "), [0, 2]);
  assert.equal(search({ layers: 2, heads: 2 }, "position", "induction"), null); // nothing was measured
  const few = { ...header, tags: { ...TAGS, counts: [2, 40] } }; // of two tokens a mean says nothing of a head
  assert.deepEqual(tagsOf(few, 0).map(({ tag, count }) => [tag.name, count]), [["sink", 40]]);
  assert.deepEqual(tagCounts(few).map(({ tag }) => tag.name), ["sink"]);
});

test("a row is said in words that name its tokens", () => {
  const tokens = ["<|endoftext|>", " a", " red", " ball", ".", " A", " red"];
  const row = (...weights) => Float32Array.from(weights);
  const said = (query, weights, own) => sentenceOf("L5H4", tokens, query, weights, own).replaceAll(/[\u2068\u2069]/g, "");
  assert.equal(said(6, row(0.1, 0, 0, 0.9, 0, 0, 0)), "From “red” (6), L5H4 looks at “ball” (3), what followed “red” the last time: 0.90 of its weight.");
  assert.match(said(6, row(0, 0, 0.9, 0, 0, 0, 0.1)), /an earlier copy of the token/);
  assert.match(said(5, row(0, 0.9, 0, 0, 0, 0, 0)), /the same word, written otherwise/);
  const spaced = sentenceOf("L5H4", ["The", " cat", ".", " The"], 3, row(0.9, 0, 0, 0.1)); // a space is not seen: only the capital is told
  assert.match(spaced, /, the same word: 0\.90/);
  assert.match(said(3, row(0.9, 0, 0, 0, 0, 0, 0)), /“⟨start⟩” \(0\), the first token/);
  assert.match(said(2, row(0.2, 0.2, 0.2, 0, 0, 0, 0)), /spreads its attention: the most, 0\.20/);
  assert.equal(kindOf(["b", "b"], 1, 0, []).name, "duplicate");
  assert.equal(kindOf(["b", "b"], 1, 0, ["previous"]).name, "previous"); // in the head's own words
  assert.equal(kindOf(["b", "c", "b", "d", "b"], 4, 1).says.includes("an earlier time"), true);
  assert.equal(kindOf(["b", "c"], 0, 1), null); // a later token is read by no such head
});

test("a pinned cell's weight is said where the sentence before does not say it", () => {
  const weights = new Float32Array([0.9, 0.0512, 0]);
  assert.equal(pinnedWeight(["a", "b", "c"], 2, 0, weights), "");
  assert.match(pinnedWeight(["a", "b", "c"], 2, 1, weights), /\(1\), which is pinned, gets 0\.051\./);
  assert.equal(pinnedWeight(["a", "b", "c"], 1, 2, weights), ""); // a later token is hidden
});
