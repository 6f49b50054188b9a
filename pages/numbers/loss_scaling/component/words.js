// @ts-check
// The numbers of the view in words. Free of the DOM.

import { power } from "#canvas/text.js";

/** @typedef {import("./types").Format} Format */
/** @typedef {ReturnType<typeof import("./fates.js").fatesAt>} Fates */

/** @param {number} exponent */
export function powerOfTwo(exponent) {
  return power(exponent).replace("10", "2");
}

/**
 * A share of a total, exact to the digits that are shown; never 0 or 100 % where some are left.
 * @param {number} count
 * @param {number} total
 */
export function share(count, total) {
  if (!count || !total) return "0 %";
  if (count === total) return "100 %";
  const percent = (100 * count) / total;
  if (percent < 0.001) return "under 0.001 %";
  if (percent > 99.999) return "over 99.999 %";
  return `${percent > 99 || percent < 0.1 ? percent.toFixed(3) : percent.toPrecision(3)} %`;
}

/**
 * A scale: 2¹⁶ = 65,536.
 * @param {number} k
 */
export function scaleName(k) {
  const value = 2 ** k;
  const written = k < 0 ? ` = 1/${(2 ** -k).toLocaleString("en")}` : k < 31 ? ` = ${value.toLocaleString("en")}` : "";
  return `S = ${powerOfTwo(k)}${written}`;
}

/**
 * What becomes of gradients, in a sentence.
 * @param {{ name: string, fates: Fates, zeros: number, format: Format, k: number, safe: [number, number] | null, mostLost: number }} of
 */
export function sentence({ name, fates, zeros, format, k, safe, mostLost }) {
  const { total } = fates;
  const already = zeros ? ` (${zeros.toLocaleString("en")} more are 0 in any format)` : "";
  if (!total) return `${name}: all of these gradients are 0.`;
  const parts = `${share(fates.lost, total)} lost, ${share(fates.subnormal, total)} subnormal, ${share(fates.overflow, total)} too large`;
  const skipped = fates.overflow ? " One that is too large is enough: the step is skipped." : "";
  return `${name}, ${scaleName(k)}, ${format.name}: of ${total.toLocaleString("en")} gradients${already} ${parts}.${skipped} ${safeSentence(safe, mostLost)}`;
}

/**
 * @param {[number, number] | null} safe
 * @param {number} mostLost
 */
function safeSentence(safe, mostLost) {
  const bar = `at most ${100 * mostLost} % lost, none too large`;
  if (!safe) return `No scale keeps ${bar}.`;
  return safe[0] === safe[1] ? `Only ${powerOfTwo(safe[0])} keeps ${bar}.` : `Safe (${bar}): from ${powerOfTwo(safe[0])} to ${powerOfTwo(safe[1])}.`;
}

export const TEXTS = {
  sizeGradientTimes: "size of a gradient times S",
  sizeGradient: "size of a gradient",
  scaleLossDrag: "scale S of the loss: drag",
  tooLargeInfinite: "too large: infinite or NaN",
  sharesLostSubnormal: "Shares lost, subnormal and too large for every scale; arrow keys move the scale",
  everyTensorShares: "Every tensor's shares; click one to see it alone. Arrow keys point, Enter clicks.",
  scaleLossPower: "Scale of the loss, as a power of two",
  largestScaleOverflows: "The largest scale that overflows nothing and loses next to nothing",
  showAllTensors: "Show all tensors together again",
};
