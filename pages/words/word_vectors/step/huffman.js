// @ts-check
// The Huffman tree in numbers: what reaches each node, where it is drawn, the decisions on a path. Free of the DOM.

import { _ } from "#canvas/language.js";
import { logisticLoss, movedScores, sigmoid } from "./arithmetic.js";

/** @typedef {import("./types").Layout} Layout */
/** @typedef {import("./types").Decision} Decision */
/** @typedef {import("./types").Header} Header */
/** @typedef {import("./types").Step} Step */

/**
 * Pr of reaching each leaf and then each inner node, for the scores of the inner nodes: a node's left child gets sigma(score).
 * @param {ArrayLike<number>} children two for each inner node; the root is the last
 * @param {ArrayLike<number>} scores
 */
export function reachedBy(children, scores) {
  const size = scores.length + 1;
  const reached = new Float64Array(2 * size - 1);
  reached[2 * size - 2] = 1;
  for (let node = size - 2; node >= 0; node--) {
    const left = sigmoid(scores[node]);
    reached[children[2 * node]] = reached[size + node] * left;
    reached[children[2 * node + 1]] = reached[size + node] * (1 - left);
  }
  return reached;
}

/**
 * The share of the text that the words below each node make up.
 * @param {ArrayLike<number>} children
 * @param {ArrayLike<number>} counts
 */
export function sharesOf(children, counts) {
  const size = counts.length;
  const shares = new Float64Array(2 * size - 1);
  let total = 0;
  for (let w = 0; w < size; w++) total += counts[w];
  for (let w = 0; w < size; w++) shares[w] = counts[w] / total;
  for (let node = 0; node < size - 1; node++) shares[size + node] = shares[children[2 * node]] + shares[children[2 * node + 1]];
  return shares;
}

/**
 * Each node below its parent, as wide as its share; left children at the left.
 * @param {ArrayLike<number>} children
 * @param {Float64Array} share
 * @returns {Layout}
 */
export function layoutOfTree(children, share) {
  const size = (share.length + 1) / 2;
  const left = new Float64Array(share.length);
  const depth = new Uint8Array(share.length);
  const parent = new Int32Array(share.length).fill(-1);
  let deepest = 0;
  for (let node = size - 2; node >= 0; node--) {
    const [one, other] = [children[2 * node], children[2 * node + 1]];
    left[one] = left[size + node];
    left[other] = left[size + node] + share[one];
    depth[one] = depth[other] = depth[size + node] + 1;
    parent[one] = parent[other] = size + node;
    deepest = Math.max(deepest, depth[one]);
  }
  return { share, left, depth, parent, deepest };
}

/**
 * The node at a place: `x` as a share of the width. The deepest one that is not below `row`.
 * @param {ArrayLike<number>} children
 * @param {Layout} layout
 * @param {number} x
 * @param {number} row
 */
export function nodeAt(children, { left, depth }, x, row) {
  const size = (depth.length + 1) / 2;
  let at = depth.length - 1;
  while (at >= size && depth[at] < row) {
    const [one, other] = [children[2 * (at - size)], children[2 * (at - size) + 1]];
    at = x < left[other] ? one : other;
  }
  return at;
}

/**
 * The likeliest leaves below a node, likeliest first, and how many there are.
 * @param {ArrayLike<number>} children
 * @param {Float64Array} reached
 * @param {number} from
 * @param {number} most
 */
export function leavesBelow(children, reached, from, most) {
  const size = (reached.length + 1) / 2;
  const found = [];
  const waiting = [from];
  while (waiting.length) {
    const at = waiting.pop();
    if (at < size) found.push(at);
    else waiting.push(children[2 * (at - size)], children[2 * (at - size) + 1]);
  }
  const best = found.sort((a, b) => reached[b] - reached[a]).slice(0, most);
  return { count: found.length, best };
}

/**
 * The step for a pair, and the loss for every rate.
 * @param {Header} header
 * @param {Record<string, any>} arrays
 * @returns {{ step: Step, loss: (rate: number, all: boolean) => number }}
 */
export function treeStep({ vv, vg }, { scores, toward, pull, signs }) {
  const step = { scores, toward, pull, vv, vg, lift: 1 };
  return { step, loss: (rate, all) => logisticLoss(movedScores(step, rate, all), signs) };
}

/**
 * The decisions from the root to a leaf.
 * @param {Header} header
 * @param {Record<string, any>} arrays
 * @param {Layout} layout
 * @param {Float64Array} before what reaches each node
 * @param {Float64Array} after
 * @returns {Decision[]}
 */
export function decisionsOf({ target, words }, { children }, { parent }, before, after) {
  const size = words.length;
  const way = [];
  for (let at = target; parent[at] >= 0; at = parent[at]) way.unshift(at);
  return way.map((at) => {
    const [one, other] = [children[2 * (parent[at] - size)], children[2 * (parent[at] - size) + 1]];
    const { count, best } = leavesBelow(children, after, at === one ? other : one, 3);
    const named = best.map((w) => words[w]).join(", ");
    return { node: at, turn: at === one ? "left" : "right", before: before[at] / before[parent[at]], after: after[at] / after[parent[at]], product: after[at],
      others: count > 3 ? _("{named} and {more} more", { named, more: (count - 3).toLocaleString("en") }) : named };
  });
}
