// @ts-check
// One token's row of every step of a layer, as data.py and view.py make it of a language model. Free of the DOM.

import { _ } from "#canvas/language.js";
import { visible } from "#canvas/text.js";
import { BUILDERS, DRAWN_ROWS, strideOf } from "./rows.js";
import { Token } from "./token.js";

/** @typedef {import("./drawing.js").Row} Row */
/** @typedef {import("./drawing.js").Opened} Opened */
/** @typedef {import("./rows.js").Drawn} Drawn */
/** @typedef {import("./token.js").Read} Read */
/** @typedef {import("./token.js").Placement} Placement */
/** @typedef {{ placement: Placement, kinds: [name: string, inside: Row["inside"]][][],
 * layers: number[] }} Steps of a model: of each kind of layer every step's name and sublayer, and the kind of each layer */
/** @typedef {{ layer: number, head: number, position: number, step: string | null, cell: number | null }} Choice */

export const OPENING = "softmax";
export const LOSS = "loss"; // a step without a row
const DRAWN_CELLS = 100_000; // most cells of a matrix that is drawn
const TERMS = 5; // of a product's sum that are listed

/**
 * A cell of a row taken apart into its largest terms; null where no product made it.
 * @param {string} step
 * @param {Drawn} drawn
 * @param {number} cell
 * @returns {Opened | null}
 */
function openedOf(step, { values, product: made }, cell) {
  if (!made || cell >= values.length) return null;
  const { left, names, inner = "channel", terms, column = (/** @type {number} */ own) => own } = made;
  const at = column(cell);
  const right = made.right(at);
  const products = Array.from(left, (number, k) => number * right[k]);
  const bias = made.bias ? made.bias[at] : 0;
  const largest = products.map((_product, k) => k).sort((a, b) => Math.abs(products[b]) - Math.abs(products[a])).slice(0, TERMS);
  return {
    step, cell, total: products.reduce((sum, each) => sum + each, 0) + bias, actual: made.actual ? made.actual(at) : Math.fround(values[cell]), bias,
      count: products.length,
    left: names[0], right: names[1], terms: largest.map((k) => [`${inner} ${k}${terms ? ` “${visible(terms[k])}”` : ""}`, left[k], right[k]]),
  };
}

/**
 * The picture's header and arrays.
 * @param {Read} read
 * @param {Choice} chosen
 * @param {Steps} of the model
 */
export function layerOf(read, { layer, head, position, step, cell }, { placement, kinds, layers }) {
  const { trace, trace: { ids: { length } } } = read;
  const steps = kinds[layers[layer]];
  const shown = steps.some(([name]) => name === step) ? step : OPENING;
  const token = new Token(read, placement, head, position);
  /** @type {Row[]} */
  const rows = [];
  const arrays = /** @type {Record<string, Float32Array>} */ ({});
  let [opened, first] = [/** @type {Opened | null} */ (null), position];
  for (const [name, inside] of steps) {
    if (!BUILDERS[name]) continue;
    const whole = BUILDERS[name](token);
    const stride = strideOf(length, Math.min(DRAWN_ROWS, Math.max(1, Math.floor(DRAWN_CELLS / (whole.count ?? whole.values.length)))));
    const at = Math.floor(position / stride) * stride; // of a long text the nearest before that is drawn
    const drawn = at === position ? whole : BUILDERS[name](token.at(at));
    if (!rows.length) first = at;
    if (name === shown && cell !== null && at === position) opened = openedOf(name, drawn, cell);
    arrays[`values${rows.length}`] = Float32Array.from(drawn.values);
    arrays[`places${rows.length}`] = Float32Array.from(drawn.places ?? drawn.values.keys());
    rows.push({ name, what: drawn.what, inside, kind: drawn.kind ?? "signed", x: drawn.x ?? "channel", product: Boolean(drawn.product),
      labels: drawn.labels ?? [] });
  }
  let title = _("Token {token} through L{layer}H{head}, embedding to logits", { token: `${first} · ${visible(trace.tokens[first])}`, layer, head });
  if (first !== position) title += ` ${_("(of a long text some rows are drawn, not that of token {position})", { position })}`;
  return { header: { title, step: shown, opened, rows }, arrays };
}
