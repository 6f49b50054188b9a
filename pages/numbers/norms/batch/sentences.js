// @ts-check
// What the view says in words. Free of the DOM.

import { _, ngettext } from "#canvas/language.js";
import { digits, named } from "#canvas/text.js";
import { divisor, FACTOR, goneOf } from "./statistics.js";

/** @typedef {import("./types").Header} Header */
/** @typedef {import("./statistics.js").Norm} Norm */
/** @typedef {import("./types").State} State */

export const UNCHANGED = 0.005; // what shows as 0.00 in the picture's scale, in which numbers have a spread of 1

/**
 * With which other cells a cell shares its statistic.
 * @param {Header} header
 * @param {Norm} norm
 * @param {number} items
 */
function shared(header, norm, items) {
  const values = { channels: header.channels, others: header.channels - 1, items, rest: items - 1 };
  if (header.kind === "tokens") return norm.sharing === "item"
    ? _("the other {others} channels of this token", values) : _("this channel of the other {rest} tokens, in every sentence", values);
  return {
    item: _("all pixels of all {channels} channels of this picture", values),
    channel: ngettext("all pixels of this channel in the one picture", "all pixels of this channel in all {n} pictures", items, values),
    instance: _("the pixels of this one map"),
    group: _("the pixels of this picture's channels in its half of the {channels}", values),
  }[norm.sharing];
}

/**
 * The actions, as rows of the table and as buttons: key and name.
 * @param {Header} header
 * @returns {[string, string][]}
 */
export function actionsOf(header) {
  const plus = `+ ${sized(header.plus, 2)}`;
  const item = header.kind === "tokens" ? _("token") : _("picture");
  return [
    ["nothing", _("as it is")],
    ["itemtimes", `${item} × ${FACTOR}`],
    ["itemplus", `${item} ${plus}`],
    ["channeltimes", _("channel × {factor}", { factor: FACTOR })],
    ["channelplus", _("channel {plus}", { plus })],
    ["away", header.kind === "tokens" ? _("a sentence less") : _("a picture less")],
  ];
}

/**
 * @param {Header} header
 * @param {number} item
 */
export function itemName(header, item) {
  return header.kind === "tokens" ? named(header.tokens, item) : _("picture {at}, a {digit}", { at: item, digit: header.labels[item] });
}

/**
 * @param {Header} header
 * @param {number} channel
 */
export function channelName(header, channel) {
  return header.kind === "tokens" ? _("channel {channel}", { channel }) : header.filters[channel];
}

/**
 * A number in so many digits; a thousand and more as a whole number.
 * @param {number} value
 * @param {number} count
 */
function sized(value, count) {
  return Math.abs(value) >= 10 ** count && Math.abs(value) < 1e6 ? String(Math.round(value)).replace("-", "−") : digits(value, count);
}

/**
 * How many digits the numbers of a cell need, from three on, so that what is written in one step makes what is written in the next.
 * @param {{ before: number, mean: number, over: number, under: number, quotient: string }} cell
 */
function digitsFor({ before, mean, over, under, quotient }) {
  const read = (/** @type {number} */ value, /** @type {number} */ count) => Number(sized(value, count).replaceAll("−", "-"));
  const divides = (/** @type {number} */ count) => digits(read(over, count) / read(under, count), 3) === quotient;
  const subtracts = (/** @type {number} */ count) => sized(read(before, count) - read(mean, count), count) === sized(over, count);
  const counts = [3, 4, 5, 6, 7];
  return counts.find((count) => divides(count) && subtracts(count)) ?? counts.find(divides) ?? 3;
}

/**
 * One cell, worked out: what it was, what it is, and with which others it shares a statistic.
 * @param {Header} header
 * @param {Norm} norm
 * @param {{ item: number, channel: number, before: number, mean: number, variance: number, items: number }} cell
 * @param {import("./statistics.js").Settings} settings
 */
export function cellSentence(header, norm, cell, settings) {
  const { item, channel, before, mean, variance, items } = cell;
  const root = `√(${sized(settings.printed ? Math.sqrt(variance) : variance, 4)} + ${String(settings.eps)})`;
  const [over, under] = [before - mean, divisor(variance, settings)];
  const quotient = digits(under ? over / under : 0, 3);
  const count = digitsFor({ before, mean, over, under, quotient });
  const top = norm.centred ? `(${sized(before, count)} − ${sized(mean, count).replace(/^−(.*)$/, "(−$1)")})` : sized(before, count);
  const cells = shared(header, norm, items);
  const own = norm.centred ? _("It shares μ and σ with {cells}.", { cells }) : _("It shares its RMS with {cells}.", { cells });
  const whose = norm.running ? _("Its μ and σ are running ones, from other batches: no cell here changes them.") : own;
  return `${itemName(header, item)}, ${channelName(header, channel)}: ${top} / ${root} = ${sized(over, count)} / ${sized(under,
    count)} = ${quotient}. ${whose}`;
}

/**
 * What an action does, in words.
 * @param {Header} header
 * @param {State} state
 * @param {ArrayLike<number>} unit
 */
export function actionSentence(header, state, unit) {
  const { action, item, channel } = state;
  if (action === "nothing") return "";
  if (action === "away") {
    const gone = goneOf(unit, item);
    if (gone < 0) return _("There is only one, so none can be taken away.");
    return header.kind === "tokens" ? _("Sentence {gone} is taken away.", { gone }) : _("Picture {gone} is taken away.", { gone });
  }
  const values = { what: action.startsWith("item") ? itemName(header, item) : channelName(header, channel), factor: FACTOR, plus: sized(header.plus, 2) };
  return action.endsWith("times") ? _("{what} is multiplied by {factor}.", values) : _("{what} is raised by {plus}.", values);
}

/**
 * A measured change.
 * @param {number} change
 */
export function changeWord(change) {
  if (change === 0) return _("unchanged (0)");
  return change < UNCHANGED ? _("unchanged ({change})", { change: digits(change, 1) }) : _("by up to {change}", { change: digits(change, 3) });
}
