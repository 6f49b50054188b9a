// @ts-check
// What is counted and looked up in the arrays of the routing. Free of the DOM.

/** @typedef {import("./view.js").Header} Header */
/** @typedef {import("./view.js").Arrays} Arrays */

/**
 * The share of the tokens that reach each expert [L, E]; 1 / E of the choices each would be k / E.
 * @param {Header} header
 * @param {Arrays} arrays
 */
export function loadsOf({ layers, tokens, experts, chosen: k }, { chosen, kept }) {
  const loads = new Float32Array(layers.length * experts);
  for (let layer = 0; layer < layers.length; layer++) {
    for (let i = layer * tokens.length * k; i < (layer + 1) * tokens.length * k; i++) {
      if (kept[i]) loads[layer * experts + chosen[i]] += 1 / tokens.length;
    }
  }
  return loads;
}

/**
 * What the router says of one token in one layer: a row for each expert.
 * @param {Header} header
 * @param {Arrays} arrays
 * @param {number} layer
 * @param {number} token
 */
export function rowsOf({ tokens, experts, chosen: k }, arrays, layer, token) {
  const at = layer * tokens.length + token;
  const rows = Array.from({ length: experts }, (_none, expert) => ({
    expert,
    score: arrays.scores[at * experts + expert],
    bias: arrays.bias[layer * experts + expert],
    weight: 0,
    mixed: 0,
    notes: 0,
    chosen: false,
    plain: false,
    kept: true,
  }));
  for (let i = at * k; i < (at + 1) * k; i++) {
    Object.assign(rows[arrays.chosen[i]], { weight: arrays.weights[i], mixed: arrays.mixed[i], notes: arrays.notes[i], chosen: true,
      kept: arrays.kept[i] > 0 });
    rows[arrays.plain[i]].plain = true;
  }
  return rows;
}

/** @typedef {ReturnType<typeof rowsOf>[number]} Row */
