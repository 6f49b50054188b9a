// @ts-check
// What each head measurably does on a text, and the row that shows it best, as tlmviz/analysis/attention/tags.py has them.

import { LayerNorm } from "./layers/norms.js";
import { END_OF_TEXT } from "./tokenizer.js";

/** @typedef {import("./language_model.js").Trace} Trace */
/** @typedef {{ tokens: string[], words: string[], names: boolean[], points: boolean[] }} Read a text's tokens, and what each is */
/** @typedef {{ layer: number, head: number, query: number, key: number, tag: string }} Row `tag` says why; "": none does */
/** @typedef {{ values: (number | null)[][], counts: number[] }} Measured */

const MOST_QUERIES = 64; // of a longer text the last ones are measured
const NEAR = 3; // tokens before the query that count as local
const BEHIND = 8; // queries before it have hardly anything that is not near
const ENDS_SENTENCE = '.!?"“”:\n';
const WORTH_SEEING = ["induction", "duplicate", "names", "word", "previous", "punctuation"];
const FOLLOWERS = 0; // of the tags: induction
const SPECIFIC = 3; // times as much weight as the same keys get from other queries
const ASLEEP = 1e9; // bits, in place of those of a head that rests on the first token
const NEARLY = 0.6; // of the strongest row: the last query is shown where it comes as close

/** Earlier keys but the first: heads rest on that one whatever it says. @param {number} i @param {number} j */
const telling = (i, j) => j < i && j > 0;

/** Which keys a tag counts; `broad` is evenness instead. @type {Record<string, ((read: Read, i: number, j: number) => boolean) | null>} */
const KEYS = {
  induction: ({ tokens }, i, j) => j > 0 && j <= i && tokens[i] !== "" && tokens[j - 1] === tokens[i],
  duplicate: ({ tokens }, i, j) => telling(i, j) && tokens[i] !== "" && tokens[j] === tokens[i],
  word: ({ tokens, words }, i, j) => telling(i, j) && words[i] !== "" && words[j] === words[i] && tokens[j] !== tokens[i],
  names: ({ names }, i, j) => telling(i, j) && names[j],
  previous: (_, i, j) => i - j === 1,
  punctuation: ({ points }, i, j) => telling(i, j) && points[j],
  sink: (_, i, j) => j === 0 && i > 0,
  own: (_, i, j) => i === j,
  local: (_, i, j) => i >= BEHIND && j <= i && i - j <= NEAR,
  broad: null,
};

/** @param {string[]} tokens @returns {Read} */
function readOf(tokens) {
  const trimmed = tokens.map((token) => token.trim());
  const upper = (/** @type {string} */ text) => text === text.toUpperCase() && text !== text.toLowerCase();
  const lower = (/** @type {string} */ text) => text === text.toLowerCase() && text !== text.toUpperCase();
  const found = new Set(tokens.flatMap((token, i) => {
    const [before, [first, ...rest]] = [trimmed[i - 1], trimmed[i]];
    const begins = i === 0 || tokens[i - 1] === END_OF_TEXT || !before || ENDS_SENTENCE.includes(before.at(-1));
    return token.startsWith(" ") && rest.length && upper(first) && lower(rest.join("")) && !begins ? [trimmed[i]] : [];
  }));
  return {
    tokens,
    words: tokens.map((token, i) => (/\p{L}/u.test(token) && token !== END_OF_TEXT ? trimmed[i].toLowerCase() : "")),
    names: trimmed.map((word) => found.has(word)),
    points: trimmed.map((word, i) => word !== "" && tokens[i] !== END_OF_TEXT && /^\p{P}+$/u.test(word)),
  };
}

/** The keys of a query that a tag counts. @param {(read: Read, i: number, j: number) => boolean} counts @param {Read} read @param {number} i */
function countedBy(counts, read, i) {
  const found = [];
  for (let j = 0; j <= i; j++) if (counts(read, i, j)) found.push(j);
  return found;
}

/**
 * A row's entropy as a share of the largest that so many visible keys can have.
 * @param {Float32Array} row
 * @param {number} seen keys, also those of a weight so small that it is 0 here
 */
function evenness(row, seen) {
  let entropy = 0;
  for (const p of row) if (p > 0) entropy -= p * Math.log(p);
  return seen > 1 ? entropy / Math.log(seen) : 0;
}

/**
 * Every tag's measure of every head, in the order of Python's TAGS: [tags][layers * heads], null where the text has no such keys,
 * and of induction where it is another thing that looks like it; and over how many queries each is the mean, [tags].
 * @param {Trace} trace
 * @returns {Measured}
 */
export function measured(trace) {
  const { tokens, ids: { length }, layers, heads } = trace;
  const first = Math.max(Math.min(1, length - 1), length - MOST_QUERIES);
  const read = readOf(tokens);
  const queries = Array.from({ length: length - first }, (_, r) => first + r);
  const counted = Object.values(KEYS).map((counts) => counts && queries.map((i) => countedBy(counts, read, i)));
  const counts = counted.map((keys) => (keys ? keys.filter(({ length: count }) => count).length : queries.length));
  const cells = counted.map((keys) => Int32Array.from(keys?.flatMap((row, r) => row.map((j) => r * length + j)) ?? []));
  const values = counted.map(() => /** @type {(number | null)[]} */ ([]));
  for (let index = 0; index < layers * heads; index++) {
    const layer = Math.floor(index / heads);
    const map = rowsOf(trace, layer, index % heads, first);
    const { window } = trace.attended(layer).scores;
    counted.forEach((keys, tag) => {
      if (!keys) {
        const sum = queries.reduce((sum, i, r) => sum + evenness(map.subarray(r * length, (r + 1) * length), Math.min(i + 1, window)), 0);
        values[tag].push(sum / queries.length);
        return;
      }
      let mass = 0; // with every key typed: in loops
      for (const cell of cells[tag]) mass += map[cell];
      const isIt = tag !== FOLLOWERS || ((layer > 0 || layers === 1) && mass >= SPECIFIC * usual(map, length, first, /** @type {number[][]} */ (keys)));
      values[tag].push(counts[tag] && isIt ? mass / counts[tag] : null);
    });
  }
  return { values, counts };
}

/**
 * What the keys that are counted would get if each query that counts one gave it what the later queries that do not give it on average.
 * @param {Float32Array} map [queries, T]
 * @param {number} size T
 * @param {number} first query of the map
 * @param {number[][]} keys of each query
 */
function usual(map, size, first, keys) {
  const times = new Map();
  for (const row of keys) for (const j of row) times.set(j, (times.get(j) ?? 0) + 1);
  let sum = 0;
  for (const [j, count] of times) {
    let [weight, others] = [0, 0];
    keys.forEach((row, r) => {
      if (first + r <= j || row.includes(j)) return;
      weight += map[r * size + j];
      others++;
    });
    sum += (count * weight) / Math.max(1, others);
  }
  return sum;
}

/**
 * A head's weights from a query on, [T - first, T].
 * @param {Trace} trace
 * @param {number} layer
 * @param {number} head
 * @param {number} first
 */
function rowsOf(trace, layer, head, first) {
  return trace.attended(layer).weights(head, trace.kept[layer], first, trace.ids.length);
}

/** A head's weights from one query, [T]. @param {Trace} trace @param {number} layer @param {number} head @param {number} query */
function weightsFrom(trace, layer, head, query) {
  return trace.attended(layer).weights(head, trace.kept[layer], query, query + 1);
}

/** The place of the largest number, the first of equal ones; null counts as `otherwise`. @param {ArrayLike<number | null>} numbers */
export function placeOfLargest(numbers, otherwise = 0) {
  let best = 0;
  for (let i = 1; i < numbers.length; i++) if ((numbers[i] ?? otherwise) > (numbers[best] ?? otherwise)) best = i;
  return best;
}

/**
 * The row that shows the most: of the strongest head with a measure that is worth seeing, the query that does most clearly what
 * its tag says; where there is none, the sharpest head that does not rest on the first token, at the last query. Of several heads
 * that look there for what followed an earlier copy, the one that adds most to the logit of what they look at.
 * @param {Trace} trace
 * @param {(number | null)[][]} values of `measured`
 * @param {{ name: string, least: number }[]} table Python's TAGS
 * @param {Record<string, (number | null)[]>} stats of `surveyOf`
 * @param {number} besides a head that looks one back and is shown beside: neither it nor another that does the same is taken; -1: none
 * @returns {Row}
 */
export function strikingRow(trace, values, table, stats, besides = -1) {
  const { heads, ids: { length } } = trace;
  const free = values.map((all) => all.map((value, i) => (i === besides ? null : value)));
  const worth = WORTH_SEEING.filter((name) => besides < 0 || name !== "previous");
  const tag = table.findIndex(({ name, least }, index) => worth.includes(name) && free[index].some((value) => value >= Math.fround(least)));
  if (tag >= 0) {
    const index = placeOfLargest(free[tag]);
    const row = clearest(trace, table[tag].name, Math.floor(index / heads), index % heads);
    return tag === FOLLOWERS && isSum(trace.network.config)
      ? tellingOf(trace, row, free[tag].flatMap((value, i) => (value >= Math.fround(table[tag].least) ? [i] : []))) : row;
  }
  const index = placeOfLargest(stats.entropy.map((entropy, i) => (i === besides ? null : stats.sink[i] < 0.5 ? -entropy : -ASLEEP)), -Infinity);
  const [layer, head, query] = [Math.floor(index / heads), index % heads, length - 1];
  return { layer, head, query, key: placeOfLargest(weightsFrom(trace, layer, head, query)), tag: "" };
}

/** Whether a logit is a sum of what heads give in which each counts as it is. @param {import("./types").ModelConfig} config */
function isSum({ connection, norm }) {
  return connection.kind === "residual" && !["post", "output", "sandwich"].includes(norm.placement);
}

/**
 * The same row of that one of several heads, of those that weigh the same key most, that adds most to the key's logit.
 * @param {Trace} trace
 * @param {Row} row
 * @param {number[]} found heads, layer after layer
 * @returns {Row}
 */
function tellingOf(trace, { query, key, tag }, found) {
  const places = found.map((index) => ({ layer: Math.floor(index / trace.heads), head: index % trace.heads, query, key, tag }));
  const there = places.filter(({ layer, head }) => placeOfLargest(weightsFrom(trace, layer, head, query)) === key);
  const direction = readBy(trace.network, trace.ids[key]);
  return there[placeOfLargest(there.map(({ layer, head }) => addedBy(trace, layer, head, query, direction)), -Infinity)];
}

/**
 * What a final stream is multiplied by to give a token's logit, but for the scale of the stream, [C].
 * @param {import("./network.js").TransformerLM} network
 * @param {number} token
 */
function readBy({ norm, head }, token) {
  const direction = head.row(token).map((value, c) => value * norm.gain[c]);
  const mean = norm instanceof LayerNorm ? direction.reduce((sum, value) => sum + value, 0) / direction.length : 0; // it takes every part's mean off
  return direction.map((value) => value - mean);
}

/**
 * What a head gives in a direction after a query.
 * @param {Trace} trace
 * @param {number} layer
 * @param {number} head
 * @param {number} query
 * @param {Float32Array} direction [C]
 */
function addedBy(trace, layer, head, query, direction) {
  const { groups, width: size, heads } = trace.attended(layer);
  const { kept: { [layer]: { v } }, ids: { length } } = trace;
  const weights = weightsFrom(trace, layer, head, query);
  const first = Math.floor((head * groups) / heads) * length;
  const { proj } = /** @type {{ proj: import("./types").Matrix }} */ (trace.network.blocks[layer].attn);
  const read = new Float32Array(size); // what each number of the mixed value adds
  direction.forEach((value, c) => proj.row(c).subarray(head * size, (head + 1) * size).forEach((weight, e) => (read[e] += value * weight)));
  return weights.reduce((sum, weight, j) => sum + weight * read.reduce((all, value, e) => all + value * v[(first + j) * size + e], 0), 0);
}

/**
 * The row of a head with the largest weight on one of the keys that count; the last row where that is close to it.
 * @param {Trace} trace
 * @param {string} tag
 * @param {number} layer
 * @param {number} head
 * @returns {Row}
 */
function clearest(trace, tag, layer, head) {
  const { length } = trace.ids;
  const first = Math.max(0, length - MOST_QUERIES);
  const [map, read] = [rowsOf(trace, layer, head, first), readOf(trace.tokens)];
  const rows = Array.from({ length: length - first }, (_, r) => map.subarray(r * length, (r + 1) * length));
  const best = rows.map((row, r) => {
    const key = placeOfLargest(row);
    return KEYS[tag](read, first + r, key) ? row[key] : 0; // the largest weight of all is what is shown
  });
  const row = best.at(-1) >= NEARLY * Math.max(...best) ? best.length - 1 : placeOfLargest(best);
  return { layer, head, query: first + row, key: placeOfLargest(rows[row]), tag };
}
