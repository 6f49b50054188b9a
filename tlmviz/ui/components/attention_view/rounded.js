// @ts-check
// The maps of all heads in one file, their weights rounded: what the server sends elsewhere is made from them. Free of the DOM.

/** @typedef {import("./types").Header & { levels: number, held?: number[] }} Header held: the heads whose maps are in the file, all without it */
/** @typedef {{ codes: Uint8Array | Uint16Array, peaks: Float32Array }} Codes codes of each head's cells, row by row, and each row's largest weight */

/**
 * The weights of one head, [T * T]: (code / levels)^2 * peak. Without the future where the mask is causal; zeros where the file has none.
 * @param {Header} header
 * @param {Codes} codes
 * @param {number} index of the head
 */
export function weightsOf(header, { codes, peaks }, index) {
  const { levels, causal } = header;
  const size = header.tokens.length;
  const cells = causal ? (size * (size + 1)) / 2 : size * size;
  const out = new Float32Array(size * size);
  const place = header.held ? header.held.indexOf(index) : index;
  if (place < 0) return out;
  for (let i = 0, at = place * cells; i < size; i++) {
    const peak = peaks[place * size + i];
    for (let j = 0, last = causal ? i + 1 : size; j < last; j++, at++) out[i * size + j] = (codes[at] / levels) ** 2 * peak;
  }
  return out;
}

/**
 * Every head's map as bytes, [heads * n * n]: 255 times the square root of the largest weight of each bin.
 * @param {Header} header
 * @param {Codes} codes
 */
export function overviewOf(header, codes) {
  const n = header.overview_size;
  const size = header.tokens.length;
  const count = header.layers * header.heads;
  const out = new Uint8Array(count * n * n);
  const first = (/** @type {number} */ bin) => Math.floor((bin * size) / n);
  const last = (/** @type {number} */ bin) => Math.ceil(((bin + 1) * size) / n);
  for (let head = 0; head < count; head++) {
    const weights = weightsOf(header, codes, head);
    for (let r = 0; r < n; r++) {
      for (let c = 0; c < n; c++) {
        let most = 0;
        for (let i = first(r); i < last(r); i++) {
          for (let j = first(c); j < last(c); j++) most = Math.max(most, weights[i * size + j]);
        }
        out[(head * n + r) * n + c] = Math.round(255 * Math.sqrt(most));
      }
    }
  }
  return out;
}

/**
 * What every head attends to from one query, [heads * T].
 * @param {Header} header
 * @param {Codes} codes
 * @param {number} query
 */
export function rowsOf(header, codes, query) {
  const size = header.tokens.length;
  const count = header.layers * header.heads;
  const out = new Float32Array(count * size);
  for (let head = 0; head < count; head++) {
    out.set(weightsOf(header, codes, head).subarray(query * size, (query + 1) * size), head * size);
  }
  return out;
}

/**
 * A state of the view in which every head has its map in the file: from one without, on to the next that has one.
 * @template {import("./types").State} S
 * @param {Header} header
 * @param {S} state
 * @param {{ layer: number, head: number }} before the head that was shown
 * @returns {S}
 */
export function heldState(header, state, before) {
  const { held, heads } = header;
  if (!held) return state;
  const flat = (/** @type {number} */ layer, /** @type {number} */ head) => layer * heads + head;
  const asked = flat(state.layer, state.head);
  const on = held.filter((index) => (asked >= flat(before.layer, before.head) ? index >= asked : index <= asked));
  const rest = on.length ? on : held;
  const index = rest.reduce((best, one) => (Math.abs(one - asked) < Math.abs(best - asked) ? one : best));
  const overlay = state.overlay.filter(([layer, head]) => held.includes(flat(layer, head)));
  return { ...state, layer: Math.floor(index / heads), head: index % heads, overlay };
}
