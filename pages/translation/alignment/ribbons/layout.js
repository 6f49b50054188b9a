// @ts-check
// Where tokens and ribbons lie: every token gets the room of its name and of its ribbons. Free of the DOM.

/** @typedef {import("./types").Slot} Slot */
/** @typedef {import("./types").Ribbon} Ribbon */
/** @typedef {import("./types").Plan} Plan */

export const LEAST = 0.005; // weights below are not drawn
const EDGE = 6; // pixels around the picture
const ROW = 30; // pixels of a row of tokens that lies across
const LINE = 21; // pixels of a token where rows stand
const THICK = 46; // pixels of a weight of 1, at most
const THIN = 10; // and at least: below, rows stand

/**
 * Slots of a row of `length` pixels, with what is left over shared out between them.
 * @param {number[]} sizes
 * @param {number} length
 * @returns {Slot[]}
 */
function slots(sizes, length) {
  const used = sizes.reduce((a, b) => a + b, 0);
  const gap = Math.max(0, Math.min(26, (length - used) / Math.max(1, sizes.length - 1)));
  let from = (length - used - gap * (sizes.length - 1)) / 2;
  return sizes.map((size) => {
    const at = from + size / 2;
    from += size + gap;
    return { at, size };
  });
}

/**
 * The sum of each column of a map [T, S]: how much all steps looked at a source token.
 * @param {ArrayLike<number>} weights
 * @param {number} T
 * @param {number} S
 */
export function coverage(weights, T, S) {
  return Array.from({ length: S }, (_, j) => Array.from({ length: T }, (__, t) => weights[t * S + j]).reduce((a, b) => a + b, 0));
}

/**
 * Every ribbon, with its ends stacked in the order of the other side, so that few cross. `thick` pixels are a weight of 1.
 * @param {ArrayLike<number>} weights [T, S]
 * @param {Slot[]} target
 * @param {Slot[]} source
 * @param {number} thick
 * @returns {Ribbon[]}
 */
function ribbonsOf(weights, target, source, thick) {
  const sums = coverage(weights, target.length, source.length);
  const free = source.map(({ at }, j) => at - (sums[j] * thick) / 2);
  const ribbons = /** @type {Ribbon[]} */ ([]);
  target.forEach(({ at }, step) => {
    let from = at - thick / 2;
    source.forEach((_, token) => {
      const weight = weights[step * source.length + token];
      const size = weight * thick;
      ribbons.push({ step, token, weight, target: [from, from + size], source: [free[token], free[token] + size] });
      from += size;
      free[token] += size;
    });
  });
  return ribbons;
}

/**
 * The places of a map's tokens and ribbons in `width` pixels: rows that lie across where both fit, else standing ones.
 * `names` are the widths of the tokens' names in pixels.
 * @param {ArrayLike<number>} weights [T, S]
 * @param {{ source: number[], target: number[] }} names
 * @param {number} width
 * @returns {Plan}
 */
export function layout(weights, names, width) {
  const sums = coverage(weights, names.target.length, names.source.length);
  const room = width - 2 * EDGE;
  const across = (/** @type {number} */ thick) => ({
    source: names.source.map((name, j) => Math.max(name + 12, sums[j] * thick + 6)),
    target: names.target.map((name) => Math.max(name + 12, thick + 6)),
  });
  const fits = (/** @type {number} */ thick) => Object.values(across(thick)).every((sizes) => sizes.reduce((a, b) => a + b, 0) <= room);
  let thick = THICK;
  while (thick > THIN && !fits(thick)) thick -= 1;
  if (fits(thick)) {
    const sizes = across(thick);
    const [source, target] = [slots(sizes.source, room), slots(sizes.target, room)].map(shifted);
    const height = 250 + 2 * ROW;
    return { upright: false, source, target, ribbons: ribbonsOf(weights, target, source, thick), near: ROW, far: height - ROW, width, height };
  }
  return standing(weights, names, sums, width);
}

/**
 * Rows side by side, the source at the left: for phones, and for long sentences.
 * @param {ArrayLike<number>} weights
 * @param {{ source: number[], target: number[] }} names
 * @param {number[]} sums
 * @param {number} width
 * @returns {Plan}
 */
function standing(weights, names, sums, width) {
  const thick = 18;
  const sizes = {
    source: names.source.map((_, j) => Math.max(LINE, sums[j] * thick + 4)),
    target: names.target.map(() => LINE + 2),
  };
  const length = Math.max(...Object.values(sizes).map((list) => list.reduce((a, b) => a + b, 0)));
  const [source, target] = [slots(sizes.source, length), slots(sizes.target, length)].map(shifted);
  const side = Math.min(width * 0.32, Math.max(...names.source, ...names.target) + 16);
  const edge = Math.max(0, (width - 760) / 2); // on a wide screen the rows stay near each other
  return { upright: true, source, target, ribbons: ribbonsOf(weights, target, source, thick), near: edge + side, far: width - edge - side, width,
    height: length + 2 * EDGE };
}

/** @param {Slot[]} row */
function shifted(row) {
  return row.map(({ at, size }) => ({ at: at + EDGE, size }));
}

/**
 * A ribbon's outline as an SVG path.
 * @param {Plan} plan
 * @param {{ target: [number, number], source: [number, number] }} ribbon
 */
export function outline({ near, far, upright }, { target, source }) {
  const middle = (near + far) / 2;
  const point = (/** @type {number} */ along, /** @type {number} */ across) => {
    const [x, y] = upright ? [across, along] : [along, across];
    return `${x.toFixed(2)} ${y.toFixed(2)}`;
  };
  const curve = (/** @type {number} */ from, /** @type {number} */ to, /** @type {number} */ end) =>
    `C${point(from, middle)} ${point(to, middle)} ${point(to, end)}`;
  return `M${point(source[0], near)}${curve(source[0], target[0], far)}L${point(target[1], far)}${curve(target[1], source[1], near)}Z`;
}

/**
 * The heaviest ribbon under a point, as far as `slack` pixels; null where there is none.
 * @param {Plan} plan
 * @param {number} x
 * @param {number} y
 * @param {number} [slack]
 * @returns {Ribbon | null}
 */
export function ribbonAt(plan, x, y, slack = 3) {
  const [along, across] = plan.upright ? [y, x] : [x, y];
  const share = (across - plan.near) / (plan.far - plan.near);
  if (share <= 0 || share >= 1) return null;
  const bend = crossing(share);
  let best = null;
  for (const ribbon of plan.ribbons) {
    if (ribbon.weight < LEAST) continue;
    const [from, to] = [0, 1].map((k) => ribbon.source[k] + (ribbon.target[k] - ribbon.source[k]) * bend);
    if (along > from - slack && along < to + slack && (!best || ribbon.weight > best.weight)) best = ribbon;
  }
  return best;
}

/**
 * How far along the rows a curve has come where it has crossed a `share` of the gap: both are cubic in one parameter.
 * @param {number} share
 */
function crossing(share) {
  let [low, high] = [0, 1];
  for (let k = 0; k < 30; k++) {
    const s = (low + high) / 2;
    if (1.5 * s * (1 - s) * (1 - s) + 1.5 * s * s * (1 - s) + s ** 3 < share) low = s;
    else high = s;
  }
  return 3 * low ** 2 - 2 * low ** 3;
}

/**
 * The token under a point, or null between the rows; a row reaches from its edge of the picture to the ribbons.
 * @param {Plan} plan
 * @param {number} x
 * @param {number} y
 * @param {number} [reach] pixels beyond the row that still count as it
 * @returns {import("./types").Place | null}
 */
export function tokenAt(plan, x, y, reach = 0) {
  const [along, across] = plan.upright ? [y, x] : [x, y];
  const side = across <= plan.near + reach ? "source" : across >= plan.far - reach ? "target" : null;
  if (!side) return null;
  const distances = plan[side].map(({ at, size }) => Math.abs(along - at) - size / 2);
  const least = Math.min(...distances);
  return least < 14 ? { side, index: distances.indexOf(least) } : null;
}

/**
 * Pins with one step turned to another source token. Later pins go: the words that they were set on are written anew.
 * @param {import("./types").Pin[]} pins
 * @param {number} step
 * @param {number | null} token null: the step looks freely again
 * @returns {import("./types").Pin[]}
 */
export function repinned(pins, step, token) {
  const kept = pins.filter(([earlier]) => earlier < step);
  return token === null ? kept : [...kept, [step, token]];
}
