// @ts-check
// What a link says of the attention view, by the keys of the app (tlmviz/ui/link.py). Free of the DOM.

/** @typedef {import("../ui/components/attention_view/types").State} State */
/** @typedef {import("../ui/components/attention_view/types").HeadIndex} HeadIndex */

const STAGES = ["dot", "scaled", "masked", "softmax"];
const ORDERS = ["position", "entropy", "previous", "induction", "sink", "distance"];
const MODES = ["map", "arcs"];
const [MOST_OVERLAID, LONGEST] = [8, 40];

/** Pairs of whole numbers such as 5.0,3.2; null for anything else. @param {string} text */
const pairs = (text) => (/^\d{1,9}\.\d{1,9}(,\d{1,9}\.\d{1,9})*$/.test(text)
  ? text.split(",").map((pair) => /** @type {HeadIndex} */ (pair.split(".").map(Number))) : null);
/** @param {string} text */
const whole = (text) => (/^\d{1,9}$/.test(text) ? Number(text) : null);
/** @param {HeadIndex[]} heads */
const written = (heads) => heads.map((head) => head.join(".")).join(",");
const among = (/** @type {string[]} */ options) => (/** @type {string} */ text) => (options.includes(text) ? text : null);

/** Key -> its default, how it is read (null: not at all) and written. @type {Record<string, [any, (text: string) => any, (value: any) => string]>} */
const FIELDS = {
  query: [null, whole, String],
  key: [null, whole, String],
  stage: ["softmax", among(STAGES), String],
  log: [false, (text) => text === "1", (log) => (log ? "1" : "0")],
  mode: ["map", among(MODES), String],
  order: ["position", among(ORDERS), String],
  overlay: [[], (text) => pairs(text)?.slice(0, MOST_OVERLAID), written],
  find: ["", (text) => text.slice(0, LONGEST), String],
  mute: [[], pairs, written],
};

/**
 * The state that a link asks for; without a head that somebody chose it has no layer.
 * @param {URLSearchParams} asked
 * @returns {State}
 */
export function viewOf(asked) {
  const values = Object.entries(FIELDS).map(([key, [otherwise, parse]]) => [key, (asked.has(key) ? parse(asked.get(key)) : null) ?? otherwise]);
  const head = pairs(asked.get("head") ?? "")?.[0];
  return { ...(head && { layer: head[0], head: head[1] }), ...Object.fromEntries(values) };
}

/**
 * A state as a link says it; null for what is as it is without a link.
 * @param {State} state
 * @returns {Record<string, string | null>}
 */
export function linkOf(state) {
  const said = Object.entries(FIELDS).map(([key, [otherwise, , write]]) => {
    const value = /** @type {any} */ (state)[key];
    return [key, String(value) === String(otherwise) ? null : write(value)];
  });
  return { head: `${state.layer}.${state.head}`, ...Object.fromEntries(said) };
}
