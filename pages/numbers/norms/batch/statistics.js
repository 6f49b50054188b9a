// @ts-check
// Norms of numbers [items, channels, inner], and what changes of them when the input does. Free of the DOM.

/**
 * Items are tokens (inner 1) or pictures (inner: their pixels). `unit` says which sentence or picture an item belongs to.
 * @typedef {{ x: Float32Array | Float64Array, items: number, channels: number, inner: number, unit: ArrayLike<number> }} Cells
 * @typedef {{ mean: Float64Array, variance: Float64Array }} Moments one of each for every group
 * @typedef {"item" | "channel" | "instance" | "group"} Sharing
 * @typedef {{ key: string, name: string, sharing: Sharing, centred: boolean, running?: boolean }} Norm
 * @typedef {{ key: string, item?: number, channel?: number }} Action
 * @typedef {{ eps: number, printed: boolean, running: Moments | null }} Settings
 */

/** @type {Norm} */
export const LAYER = { key: "layer", name: "LayerNorm", sharing: "item", centred: true };
/** @type {Norm} */
export const RMS = { key: "rms", name: "RMSNorm", sharing: "item", centred: false };
/** @type {Norm} */
export const BATCH = { key: "batch", name: "BatchNorm, training", sharing: "channel", centred: true };
/** @type {Norm} */
export const RUNNING = { key: "running", name: "BatchNorm, evaluation", sharing: "channel", centred: true, running: true };
/** @type {Norm} */
export const INSTANCE = { key: "instance", name: "InstanceNorm", sharing: "instance", centred: true };
/** @type {Norm} */
export const GROUP = { key: "group", name: "GroupNorm, 2 groups", sharing: "group", centred: true };
export const NORMS = { tokens: [LAYER, RMS, BATCH, RUNNING], pictures: [BATCH, RUNNING, LAYER, INSTANCE, GROUP] };
export const FACTOR = 3;
const GROUPS = 2; // of channels, in GroupNorm

/**
 * The group of every item and channel, and how many there are.
 * @param {Sharing} sharing
 * @param {number} items
 * @param {number} channels
 */
export function groupsOf(sharing, items, channels) {
  const parts = Math.min(GROUPS, channels);
  const of = {
    item: (/** @type {number} */ i) => i,
    channel: (/** @type {number} */ i, /** @type {number} */ c) => c,
    instance: (/** @type {number} */ i, /** @type {number} */ c) => i * channels + c,
    group: (/** @type {number} */ i, /** @type {number} */ c) => i * parts + Math.floor((c * parts) / channels),
  }[sharing];
  const count = { item: items, channel: channels, instance: items * channels, group: items * parts }[sharing];
  return { of, count };
}

/**
 * Mean and variance of every group, over the items that are `alive`; not centred: 0 and the mean square.
 * @param {Cells} cells
 * @param {Sharing} sharing
 * @param {boolean} centred
 * @param {Uint8Array} [alive]
 * @returns {Moments}
 */
export function momentsOf({ x, items, channels, inner }, sharing, centred, alive) {
  const { of, count } = groupsOf(sharing, items, channels);
  const [sum, square, n] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)];
  const each = (/** @type {(group: number, at: number) => void} */ visit) => {
    for (let i = 0; i < items; i++) {
      if (alive && !alive[i]) continue;
      for (let c = 0; c < channels; c++) {
        const group = of(i, c);
        for (let s = 0, at = (i * channels + c) * inner; s < inner; s++, at++) visit(group, at);
      }
    }
  };
  each((group, at) => {
    sum[group] += x[at];
    n[group] += 1;
  });
  const mean = sum.map((total, group) => (centred && n[group] ? total / n[group] : 0));
  each((group, at) => {
    square[group] += (x[at] - mean[group]) ** 2;
  });
  return { mean, variance: square.map((total, group) => (n[group] ? total / n[group] : 0)) };
}

/**
 * Running mean and variance after so many batches, from 0 and 1; variances [batches, channels] are the unbiased ones.
 * @param {ArrayLike<number>} means
 * @param {ArrayLike<number>} variances
 * @param {number} channels
 * @param {number} seen
 * @param {number} momentum
 * @returns {Moments}
 */
export function runningAfter(means, variances, channels, seen, momentum) {
  const mean = new Float64Array(channels);
  const variance = new Float64Array(channels).fill(1);
  for (let k = 0; k < seen; k++) {
    for (let c = 0; c < channels; c++) {
      mean[c] += momentum * (means[k * channels + c] - mean[c]);
      variance[c] += momentum * (variances[k * channels + c] - variance[c]);
    }
  }
  return { mean, variance };
}

/**
 * What the x of a norm is divided by.
 * @param {number} variance
 * @param {Settings} settings
 */
export function divisor(variance, { eps, printed }) {
  return Math.sqrt((printed ? Math.sqrt(variance) : variance) + eps);
}

/**
 * The cells normalised, and the moments that did it.
 * @param {Cells} cells
 * @param {Norm} norm
 * @param {Settings} settings
 * @param {Uint8Array} [alive]
 * @returns {{ out: Float64Array, moments: Moments }}
 */
export function normalise(cells, norm, settings, alive) {
  const { x, items, channels, inner } = cells;
  const moments = norm.running && settings.running ? settings.running : momentsOf(cells, norm.sharing, norm.centred, alive);
  const { of } = groupsOf(norm.sharing, items, channels);
  const out = new Float64Array(x.length);
  for (let i = 0; i < items; i++) {
    for (let c = 0; c < channels; c++) {
      const group = of(i, c);
      const by = divisor(moments.variance[group], settings);
      for (let s = 0, at = (i * channels + c) * inner; s < inner; s++, at++) out[at] = by ? (x[at] - moments.mean[group]) / by : 0;
    }
  }
  return { out, moments };
}

/**
 * The cells after an action, and which items are still there. `plus` is what "…plus" adds.
 * @param {Cells} cells
 * @param {Action} action
 * @param {number} plus
 * @returns {{ cells: Cells, alive: Uint8Array }}
 */
export function acted(cells, { key, item = 0, channel = 0 }, plus) {
  const { items, channels, inner } = cells;
  const x = Float64Array.from(cells.x);
  const alive = new Uint8Array(items).fill(1);
  const change = key.endsWith("times") ? (/** @type {number} */ v) => FACTOR * v : (/** @type {number} */ v) => v + plus;
  if (key === "away") {
    const gone = goneOf(cells.unit, item);
    for (let i = 0; i < items; i++) alive[i] = Number(cells.unit[i] !== gone);
  } else if (key !== "nothing") {
    for (let at = 0; at < x.length; at++) {
      const place = Math.floor(at / inner);
      const hit = key.startsWith("item") ? Math.floor(place / channels) === item : place % channels === channel;
      if (hit) x[at] = change(x[at]);
    }
  }
  return { cells: { ...cells, x }, alive };
}

/**
 * The sentence or picture that is taken away: the last that is not the chosen item's own; -1 where there is only one.
 * @param {ArrayLike<number>} unit
 * @param {number} item
 */
export function goneOf(unit, item) {
  for (let i = unit.length - 1; i >= 0; i--) if (unit[i] !== unit[item]) return unit[i];
  return -1;
}

/**
 * The largest change of what a norm gives, over what is still there, when an action is done to its input.
 * @param {Cells} cells
 * @param {Norm} norm
 * @param {Action} action
 * @param {Settings} settings
 * @param {number} plus
 */
export function changeOf(cells, norm, action, settings, plus) {
  const before = normalise(cells, norm, settings).out;
  const { cells: changed, alive } = acted(cells, action, plus);
  const after = normalise(changed, norm, settings, alive).out;
  const size = cells.channels * cells.inner;
  let most = 0;
  for (let at = 0; at < after.length; at++) {
    if (alive[Math.floor(at / size)]) most = Math.max(most, Math.abs(after[at] - before[at]));
  }
  return most;
}
