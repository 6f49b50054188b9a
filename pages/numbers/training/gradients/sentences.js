// @ts-check
// The numbers of the view in words. Free of the DOM.

import { _ } from "#canvas/language.js";
import { power } from "#canvas/text.js";

/** @typedef {import("./types").Format} Format */
/** @typedef {ReturnType<typeof import("./fates.js").fatesAt>} Fates */

/** @param {number} exponent */
export function powerOfTwo(exponent) {
  return power(exponent).replace("10", "2");
}

/**
 * A share of a total, exact to the digits that are shown; never 0 or 100% where some are left.
 * @param {number} count
 * @param {number} total
 */
export function share(count, total) {
  if (!count || !total) return "0%";
  if (count === total) return "100%";
  const percent = (100 * count) / total;
  if (percent < 0.001) return _("under 0.001%");
  if (percent > 99.999) return _("over 99.999%");
  return `${percent > 99 || percent < 0.1 ? percent.toFixed(3) : percent.toPrecision(3)}%`;
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
  if (!total) return _("{name}: all of these gradients are 0.", { name });
  const values = { name, scale: scaleName(k), format: format.name, total: total.toLocaleString("en"), zeros: zeros.toLocaleString("en"),
    lost: share(fates.lost, total), subnormal: share(fates.subnormal, total), overflow: share(fates.overflow, total) };
  const of = zeros ? _("{name}, {scale}, {format}: of {total} gradients ({zeros} more are 0 in any format)", values) : _(
    "{name}, {scale}, {format}: of {total} gradients", values);
  const parts = _("{lost} lost, {subnormal} subnormal, {overflow} too large.", values);
  const skipped = fates.overflow ? ` ${_("One that is too large is enough: the step is skipped.")}` : "";
  return `${of} ${parts}${skipped} ${safeSentence(safe, mostLost)}`;
}

/**
 * @param {[number, number] | null} safe
 * @param {number} mostLost
 */
function safeSentence(safe, mostLost) {
  const values = { most: 100 * mostLost, first: safe ? powerOfTwo(safe[0]) : "", last: safe ? powerOfTwo(safe[1]) : "" };
  if (!safe) return _("No scale keeps at most {most}% lost, none too large.", values);
  return safe[0] === safe[1] ? _("Only {first} keeps at most {most}% lost, none too large.", values) : _(
    "Safe (at most {most}% lost, none too large): from {first} to {last}.", values);
}
