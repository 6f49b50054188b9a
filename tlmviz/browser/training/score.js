// @ts-check
// How good a network is on fresh sequences: what it gets right, and what its heads look at.

/**
 * @typedef {object} Score of some sequences
 * @property {number} loss mean, in nats
 * @property {number} right share of predictions that are right
 * @property {number | null} whole share of sequences right from end to end; null where a task asks for no answer
 * @property {number[][]} previous by layer and head: mean weight on the position before
 * @property {number[][] | null} induction by layer and head: mean weight on what followed the same token earlier, summed over all
 *   its earlier places, in the second half of sequences; null where sequences do not repeat
 */
/** @typedef {import("./network.js").LearningNetwork} LearningNetwork */

/**
 * @param {LearningNetwork} network
 * @param {import("./tasks.js").Batch} batch of any number of sequences
 * @param {boolean} answers whether sequences are right or wrong as a whole
 * @returns {Score & { maps: Float32Array, guesses: Int32Array }} maps [L, H, T, T] of the first sequence, and the likeliest
 *   token at each of its positions
 */
export function scoreOf(network, { tokens, targets, periods }, answers) {
  const { settings: { layers, heads, length, batch } } = network;
  const rows = tokens.length / length;
  const zeros = () => Array.from({ length: layers }, () => new Array(heads).fill(0));
  const tally = { loss: 0, predicted: 0, right: 0, whole: 0, previous: zeros(), induction: zeros(), looked: 0 };
  let [maps, guesses] = [new Float32Array(), new Int32Array()];
  for (let first = 0; first < rows; first += batch) {
    const last = Math.min(rows, first + batch);
    const part = targets.subarray(first * length, last * length);
    network.forward(tokens.subarray(first * length, last * length));
    if (!first) [maps, guesses] = [mapsOf(network), likeliest(network, length)];
    countPredictions(network, part, tally);
    for (let row = first; row < last; row++) countLooks(network, row - first, periods?.[row], tally);
  }
  const share = (/** @type {number[][]} */ sums, /** @type {number} */ of) => sums.map((each) => each.map((sum) => sum / of));
  return {
    loss: tally.loss / tally.predicted,
    right: tally.right / tally.predicted,
    whole: answers ? tally.whole / rows : null,
    previous: share(tally.previous, rows * (length - 1)),
    induction: periods ? share(tally.induction, tally.looked) : null,
    maps,
    guesses,
  };
}

/** @param {LearningNetwork} network */
function mapsOf(network) {
  const { layers, heads, length } = network.settings;
  const maps = new Float32Array(layers * heads * length ** 2);
  for (let i = 0; i < layers * heads; i++) maps.set(network.map(Math.floor(i / heads), i % heads), i * length ** 2);
  return maps;
}

/**
 * The token with the largest logit at each of the first so many rows.
 * @param {LearningNetwork} network
 * @param {number} count
 */
function likeliest({ numbers, outputs, columns, settings: { vocab } }, count) {
  return Int32Array.from({ length: count }, (_, t) => {
    let best = 0;
    for (let id = 1; id < vocab; id++) if (numbers[outputs + t * columns + id] > numbers[outputs + t * columns + best]) best = id;
    return best;
  });
}

/**
 * @param {LearningNetwork} network after a forward pass
 * @param {Int32Array} targets
 * @param {{ loss: number, predicted: number, right: number, whole: number }} tally
 */
function countPredictions(network, targets, tally) {
  const { length } = network.settings;
  const guesses = likeliest(network, targets.length);
  tally.loss += network.loss(targets) * network.counted;
  tally.predicted += network.counted;
  for (let row = 0; row < targets.length; row += length) {
    let wrong = 0;
    for (let t = row; t < row + length; t++) {
      if (targets[t] < 0) continue;
      if (guesses[t] === targets[t]) tally.right++;
      else wrong++;
    }
    if (!wrong) tally.whole++;
  }
}

/**
 * @param {LearningNetwork} network after a forward pass
 * @param {number} row a sequence
 * @param {number | undefined} period of it
 * @param {{ previous: number[][], induction: number[][], looked: number }} tally
 */
function countLooks({ numbers, attentions, settings: { layers, heads, length } }, row, period, tally) {
  const from = Math.max(length / 2, period ?? length);
  tally.looked += length - from;
  for (let layer = 0; layer < layers; layer++) {
    for (let head = 0; head < heads; head++) {
      const map = attentions[layer].weights + (row * heads + head) * length ** 2;
      let [previous, induction] = [0, 0];
      for (let t = 1; t < length; t++) previous += numbers[map + t * length + t - 1];
      for (let t = from; t < length; t++) for (let key = t - period + 1; key >= 1; key -= period) induction += numbers[map + t * length + key];
      tally.previous[layer][head] += previous;
      tally.induction[layer][head] += induction;
    }
  }
}
