// @ts-check
// The terms of a matrix, their sums and their errors, as tlmviz.analysis.notation.rank_one in Python. Free of the DOM.

import { _, ngettext } from "#canvas/language.js";
import { digits, visible } from "#canvas/text.js";

/** @typedef {import("./types").Data} Data */
/** @typedef {import("./types").Header} Header */
/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Way} Way */

/**
 * Rows times columns, [m, k] by [k, n].
 * @param {ArrayLike<number>} left
 * @param {ArrayLike<number>} right
 * @param {number} m
 * @param {number} n
 */
export function multiplied(left, right, m, n) {
  const inner = left.length / m;
  const result = new Float64Array(m * n);
  for (let i = 0; i < m; i++) {
    for (let k = 0; k < inner; k++) {
      const factor = left[i * inner + k];
      if (factor) for (let j = 0; j < n; j++) result[i * n + j] += factor * right[k * n + j];
    }
  }
  return result;
}

/**
 * What the server sent, with the matrix itself.
 * @param {{ header: any, arrays: any }} sent
 * @returns {Data}
 */
export function opened({ header, arrays }) {
  const { rows, cols } = header;
  return { header, arrays, whole: arrays.right ? multiplied(arrays.left, arrays.right, rows, cols) : Float64Array.from(arrays.left) };
}

/**
 * Column u_k and row v_k of a term by its own number, whatever the order.
 * @param {Data} data
 * @param {Way} way
 * @param {number} k
 * @returns {{ column: Float64Array, row: Float64Array }}
 */
export function termAt({ header, arrays, whole }, way, k) {
  const { rows, cols } = header;
  const column = new Float64Array(rows);
  const row = new Float64Array(cols);
  const pick = (/** @type {ArrayLike<number>} */ u, /** @type {ArrayLike<number>} */ v) => {
    for (let i = 0; i < rows; i++) column[i] = u[i * way.count + k];
    for (let j = 0; j < cols; j++) row[j] = v[k * cols + j];
  };
  if (way.key === "product") pick(arrays.left, arrays.right);
  else if (way.key === "singular") pick(arrays.singular_columns, arrays.singular_rows);
  else if (way.key === "columns") {
    for (let i = 0; i < rows; i++) column[i] = whole[i * cols + k];
    row[k] = 1;
  } else {
    column[k] = 1;
    for (let j = 0; j < cols; j++) row[j] = whole[k * cols + j];
  }
  return { column, row };
}

/**
 * Where a way's numbers begin in arrays that hold all ways; `more` numbers beyond its terms for each.
 * @param {Header} header
 * @param {Way} way
 * @param {number} more
 */
function beginOf(header, way, more) {
  let begin = 0;
  for (const each of header.ways) {
    if (each === way) break;
    begin += each.count + more;
  }
  return begin;
}

/**
 * The own number of the term that comes at a place of the order.
 * @param {Data} data
 * @param {State} state
 * @param {number} place
 */
export function numberOf({ header, arrays }, { way, sorted }, place) {
  return sorted ? arrays.order[beginOf(header, way, 0) + place] : place;
}

/**
 * What the first 0, 1, ... terms leave out, as shares of the matrix's norm.
 * @param {Data} data
 * @param {Way} way
 * @param {boolean} sorted
 */
export function errorsOf({ header, arrays }, way, sorted) {
  const begin = beginOf(header, way, 1);
  return (sorted ? arrays.sorted_errors : arrays.errors).subarray(begin, begin + way.count + 1);
}

/**
 * Add terms to a sum, from one place of the order up to another.
 * @param {Data} data
 * @param {State} state
 * @param {Float64Array} sum changed in place
 * @param {number} from
 * @param {number} to
 */
export function addTerms(data, state, sum, from, to) {
  const { cols } = data.header;
  for (let place = from; place < to; place++) {
    const { column, row } = termAt(data, state.way, numberOf(data, state, place));
    for (let i = 0; i < column.length; i++) if (column[i]) for (let j = 0; j < cols; j++) sum[i * cols + j] += column[i] * row[j];
  }
  return sum;
}

/** @param {number} share */
export function percent(share) {
  return `${share >= 0.0005 || share < 5e-7 ? (100 * share).toFixed(1) : digits(100 * share, 2)}%`;
}

/**
 * A term by name: "token 4 “ball”", "column 7".
 * @param {Header} header
 * @param {Way} way
 * @param {number} number
 */
function termName({ tokens }, way, number) {
  return way.key === "product" && tokens.length ? _("token {number} “{token}”", { number, token: visible(tokens[number]) }) : `${way.term} ${number}`;
}

/**
 * How far the sum has come, and what the last term was.
 * @param {Data} data
 * @param {State} state
 */
export function sumSentence(data, state) {
  const { header } = data;
  const { way, count, sorted } = state;
  const left = errorsOf(data, way, sorted)[count];
  const singular = header.ways[header.ways.length - 1];
  const few = Math.min(count, singular.count);
  const best = percent(errorsOf(data, singular, false)[few]);
  const { rows, cols, rank } = header;
  if (!count) return _("No term yet: 100% is left. The matrix is {rows} × {cols} of rank {rank}.", { rows, cols, rank });
  const beside = way === singular ? _("No other terms, as many, leave less.") : ngettext(
    "The first singular term alone leaves {best}.", "The first {n} singular ones leave {best}.", few, { best });
  const last = termName(header, way, numberOf(data, state, count - 1));
  return ngettext("{n} of {all} terms leaves {left} of the matrix. {beside} Added last: {last}.",
    "{n} of {all} terms leave {left} of the matrix. {beside} Added last: {last}.", count, { all: way.count, left: percent(left), beside, last });
}

/**
 * One number of the matrix, of the sum and of the term.
 * @param {Data} data
 * @param {State} state
 * @param {Float64Array} sum
 * @param {{ row: number, col: number }} at
 */
export function cellSentence(data, state, sum, { row, col }) {
  const { header, whole } = data;
  const cell = row * header.cols + col;
  const where = header.tokens.length ? `${header.row} ${row} “${visible(header.tokens[row])}”` : `${header.row} ${row}`;
  let term = "";
  if (state.count) {
    const { column, row: across } = termAt(data, state.way, numberOf(data, state, state.count - 1));
    term = _("; the term {u} × {v} = {product}", { u: digits(column[row], 3), v: digits(across[col], 3), product: digits(column[row] * across[col], 3) });
  }
  return _("{where}, column {col}: the matrix {whole}, the sum {sum}, left {left}{term}.",
    { where, col, whole: digits(whole[cell]), sum: digits(sum[cell]), left: digits(whole[cell] - sum[cell]), term });
}
