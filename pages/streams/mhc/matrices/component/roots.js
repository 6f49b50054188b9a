// @ts-check
// Eigenvalues as the server sends them. Free of the DOM.

/** @typedef {import("./types").Root} Root */

/**
 * The n eigenvalues of one matrix, largest magnitude first. A real one is one of the `values`; a conjugate pair is two,
 * its real part and the size of its imaginary part, marked in `pairs`.
 * @param {ArrayLike<number>} values
 * @param {ArrayLike<number>} pairs
 * @returns {Root[]}
 */
export function unpackRoots(values, pairs) {
  /** @type {Root[]} */
  const roots = [];
  for (let k = 0; k < values.length; k++) {
    if (!pairs[k]) {
      roots.push([values[k], 0]);
      continue;
    }
    const [re, im] = [values[k], values[k + 1]];
    roots.push([re, im], [re, -im]);
    k += 1;
  }
  return roots;
}
