// @ts-check
// One step of training in float64, as tlmviz.analysis.words.one_step in Python computes it. Free of the DOM.

/** @typedef {import("./types").Step} Step */

/**
 * @param {ArrayLike<number>} a
 * @param {ArrayLike<number>} b
 */
export function dot(a, b) {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

/** @param {number} x */
export function sigmoid(x) {
  return 0.5 * (1 + Math.tanh(0.5 * x));
}

/**
 * Every score after a step of a rate: v + rate lift g against u_n + rate pull_n v, or against u_n where v moves alone.
 * @param {Step} step
 * @param {number} rate
 * @param {boolean} everything
 */
export function movedScores(step, rate, everything) {
  const { scores, toward, pull, vv, vg, lift } = step;
  const along = rate * lift;
  const both = everything ? rate * (vv + along * vg) : 0;
  const after = new Float64Array(scores.length);
  for (let n = 0; n < after.length; n++) after[n] = scores[n] + along * toward[n] + both * pull[n];
  return after;
}

/** @param {ArrayLike<number>} scores */
export function logSumExp(scores) {
  let most = -Infinity;
  for (let n = 0; n < scores.length; n++) most = Math.max(most, scores[n]);
  let sum = 0;
  for (let n = 0; n < scores.length; n++) sum += Math.exp(scores[n] - most);
  return most + Math.log(sum);
}

/** @param {ArrayLike<number>} scores */
export function softmaxOf(scores) {
  const all = logSumExp(scores);
  return Float64Array.from(scores, (score) => Math.exp(score - all));
}

/**
 * -sum log sigma(sign score), over the decisions that have a sign.
 * @param {ArrayLike<number>} scores
 * @param {ArrayLike<number>} signs
 */
export function logisticLoss(scores, signs) {
  let loss = 0;
  for (let n = 0; n < scores.length; n++) {
    const x = -signs[n] * scores[n];
    if (signs[n]) loss += Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));
  }
  return loss;
}

/**
 * +1 for the first row, -1 for those drawn, 0 for a draw of the first.
 * @param {ArrayLike<number>} rows
 */
export function signsOf(rows) {
  return Array.from(rows, (row, n) => (n === 0 ? 1 : row === rows[0] ? 0 : -1));
}

/**
 * The step of negative sampling: the first output was there, the others were drawn.
 * @param {ArrayLike<number>} v
 * @param {ArrayLike<number>[]} outputs
 * @param {ArrayLike<number>} rows which outputs are the same vector
 * @param {number} lift
 * @returns {Step}
 */
export function sampledStep(v, outputs, rows, lift) {
  const signs = signsOf(rows);
  const scores = outputs.map((u) => dot(u, v));
  const error = scores.map((score, n) => signs[n] * sigmoid(-signs[n] * score));
  const gradient = weighted(outputs, error);
  /** @type {Map<number, number>} */
  const pulls = new Map();
  error.forEach((e, n) => pulls.set(rows[n], (pulls.get(rows[n]) ?? 0) + e));
  return { scores, error, gradient, signs, toward: outputs.map((u) => dot(u, gradient)), pull: error.map((_, n) => pulls.get(rows[n])), vv: dot(v, v),
    vg: dot(v, gradient), lift };
}

/**
 * A weighted sum of vectors.
 * @param {ArrayLike<number>[]} vectors
 * @param {ArrayLike<number>} weights
 */
export function weighted(vectors, weights) {
  const sum = new Float64Array(vectors[0]?.length ?? 0);
  vectors.forEach((vector, n) => {
    for (let i = 0; i < sum.length; i++) sum[i] += weights[n] * vector[i];
  });
  return sum;
}

/**
 * Two orthonormal axes, the first along the first vector; those given next take over where some lie on one line.
 * @param {ArrayLike<number>[]} candidates
 * @returns {Float64Array[]}
 */
export function planeOf(candidates) {
  /** @type {Float64Array[]} */
  const axes = [];
  const spare = Array.from({ length: candidates[0].length }, (_, i) => Float64Array.from(candidates[0], (__, k) => Number(k === i)));
  for (const candidate of [...candidates, ...spare]) {
    const rest = Float64Array.from(candidate);
    for (const axis of axes) {
      const share = dot(rest, axis);
      for (let i = 0; i < rest.length; i++) rest[i] -= share * axis[i];
    }
    const length = Math.sqrt(dot(rest, rest));
    if (length > 1e-9 * Math.max(1, Math.sqrt(dot(candidate, candidate)))) axes.push(rest.map((x) => x / length));
    if (axes.length === 2) break;
  }
  return axes;
}

/**
 * CBOW's mean, and how far it moves for a rate of 1 where each word read moves by the whole gradient.
 * @param {ArrayLike<number>[]} vectors
 * @param {ArrayLike<number>} rows
 */
export function bagOf(vectors, rows) {
  const n = vectors.length;
  /** @type {Map<number, number>} */
  const times = new Map();
  for (let k = 0; k < n; k++) times.set(rows[k], (times.get(rows[k]) ?? 0) + 1);
  const squares = [...times.values()].reduce((sum, count) => sum + count ** 2, 0);
  return { mean: weighted(vectors, vectors.map(() => 1 / n)), lift: squares / n };
}
