// @ts-check
// What the view says in words. Free of the DOM.

import { digits, named } from "#canvas/text.js";
import { divisor, FACTOR, goneOf } from "./statistics.js";

/** @typedef {import("./types").Header} Header */
/** @typedef {import("./statistics.js").Norm} Norm */
/** @typedef {import("./types").State} State */

export const UNCHANGED = 0.005; // what shows as 0.00 in the picture's scale, in which numbers have a spread of 1
const SHARED = {
  tokens: { item: (/** @type {number} */ c) => `the other ${c - 1} channels of this token`, channel: (/** @type {number} */ c, /** @type {number} */ n) => `this channel of the other ${n - 1} tokens, in every sentence` },
  pictures: {
    item: (/** @type {number} */ c) => `all pixels of all ${c} channels of this picture`,
    channel: (/** @type {number} */ c, /** @type {number} */ n) => `all pixels of this channel in all ${n} pictures`,
    instance: () => "the pixels of this one map",
    group: (/** @type {number} */ c) => `the pixels of this picture's channels in its half of the ${c}`,
  },
};

/**
 * The actions, as rows of the table and as buttons: key and name.
 * @param {Header} header
 * @param {State} state
 * @returns {[string, string][]}
 */
export function actionsOf(header, state) {
  const plus = `+ ${sized(header.plus, 2)}`;
  const item = header.kind === "tokens" ? "token" : "picture";
  return [
    ["nothing", "as it is"],
    ["itemtimes", `${item} × ${FACTOR}`],
    ["itemplus", `${item} ${plus}`],
    ["channeltimes", `channel × ${FACTOR}`],
    ["channelplus", `channel ${plus}`],
    ["away", header.kind === "tokens" ? "a sentence less" : "a picture less"],
  ];
}

/**
 * @param {Header} header
 * @param {number} item
 */
export function itemName(header, item) {
  return header.kind === "tokens" ? named(header.tokens, item) : `picture ${item + 1}, a ${header.labels[item]}`;
}

/**
 * @param {Header} header
 * @param {number} channel
 */
export function channelName(header, channel) {
  return header.kind === "tokens" ? `channel ${channel}` : header.filters[channel];
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
 * One cell, worked out: what it was, what it is, and with which others it shares a statistic.
 * @param {Header} header
 * @param {Norm} norm
 * @param {{ item: number, channel: number, before: number, after: number, mean: number, variance: number, items: number }} cell
 * @param {import("./statistics.js").Settings} settings
 */
export function cellSentence(header, norm, cell, settings) {
  const { item, channel, before, after, mean, variance, items } = cell;
  const root = `√(${sized(settings.printed ? Math.sqrt(variance) : variance, 4)} + ${String(settings.eps)})`;
  const top = norm.centred ? `(${sized(before, 3)} − ${sized(mean, 3).replace(/^−(.*)$/, "(−$1)")})` : sized(before, 3);
  const shares = /** @type {Record<string, (c: number, n: number) => string>} */ (SHARED[header.kind])[norm.sharing](header.channels, items);
  const whose = norm.running ? "Its μ and σ are running ones, from other batches: no cell here changes them." : `It shares ${norm.centred ? "μ and σ" : "its RMS"} with ${shares}.`;
  return `${itemName(header, item)}, ${channelName(header, channel)}: ${top} / ${root} = ${sized(before - mean, 3)} / ${digits(divisor(variance, settings), 3)} = ${digits(after, 3)}. ${whose}`;
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
    if (gone < 0) return "There is only one, so none can be taken away.";
    return header.kind === "tokens" ? `Sentence ${gone + 1} is taken away.` : `Picture ${gone + 1} is taken away.`;
  }
  const by = action.endsWith("times") ? `multiplied by ${FACTOR}` : `raised by ${sized(header.plus, 2)}`;
  return `${action.startsWith("item") ? itemName(header, item) : channelName(header, channel)} is ${by}.`;
}

/**
 * A measured change.
 * @param {number} change
 */
export function changeWord(change) {
  if (change === 0) return "unchanged (0)";
  return change < UNCHANGED ? `unchanged (${digits(change, 1)})` : `by up to ${digits(change, 3)}`;
}

export const TEXTS = {
  beforeAfterArrow: (/** @type {string} */ title, /** @type {string} */ name) => `${title}, before and after ${name}. Arrow keys move the chosen cell.`,
  runningStatisticsOther: (/** @type {number} */ seen) => `running statistics of ${seen} other batch${seen === 1 ? "" : "es"}`,
  printedSpreadAfter: (/** @type {string} */ min, /** @type {string} */ max) => ` As printed, with √(σ + ε), the spread after is ${min} to ${max}: √σ in place of 1.`,
  notesShortForm: "The notes' short form divides by √(σ + ε)",
  whatNormDoes: "What a norm does to a batch",
};
