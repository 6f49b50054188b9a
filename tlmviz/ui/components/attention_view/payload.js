// @ts-check
// What the attention view is given of a text that this browser has read: what `build_payload` in Python packs. Free of the DOM.

/** @typedef {import("../../../browser/language_model.js").Trace} Reading */
/** @typedef {import("./types").State & { seq?: number }} State */

/**
 * What the view shows of a trace: the overview of all heads, and q, k and lse of the chosen one.
 * @param {Reading} reading
 * @param {ReturnType<typeof import("../../../browser/survey.js").surveyOf>} survey of it
 * @param {State} state
 * @param {Record<string, any>} rest of the header
 * @returns {import("./types").Payload}
 */
export function payloadOf(reading, survey, state, rest) {
  const { layer, head } = state;
  const attended = reading.attended(layer);
  const { q, k, lse } = reading.kept[layer];
  const { length } = reading.ids;
  const { dim, scale, slopes } = attended.scores;
  const part = (/** @type {Float32Array} */ all, /** @type {number} */ index, /** @type {number} */ width) =>
    all.subarray(index * length * width, (index + 1) * length * width);
  const own = { q: part(q, head, dim), k: part(k, Math.floor((head * attended.groups) / attended.heads), dim), lse: part(lse, head, 1) };
  const { window } = attended.scores;
  const header = {
    ...rest, tokens: reading.tokens, layers: reading.layers, heads: reading.heads, stats: survey.stats, overview_size: survey.size,
    chosen: { layer, head }, state, scale, slope: slopes ? slopes[head] : 0, window: Number.isFinite(window) ? window : null, causal: true,
  };
  // What q and k do not say alone, positions by distance and capped scores, travels as weights.
  const plain = !attended.scores.vectors && attended.scores.softcap === null;
  const chosen = plain ? own : { weights: reading.map(layer, head) };
  const pinned = state.query === null ? {} : { rows: reading.row(state.query) };
  return { header: /** @type {any} */ (header), arrays: { overview: survey.overview, ...chosen, ...pinned } };
}
