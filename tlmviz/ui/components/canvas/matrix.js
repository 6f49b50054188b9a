// @ts-check
// Sums and singular values of n x n matrices in row-major order, n at most 16, in float64. Free of the DOM.

/**
 * Sums of rows and of columns.
 * @param {ArrayLike<number>} matrix
 * @param {number} n
 */
export function sums(matrix, n) {
  const rows = new Float64Array(n);
  const columns = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      rows[i] += matrix[i * n + j];
      columns[j] += matrix[i * n + j];
    }
  }
  return { rows, columns };
}

/**
 * Singular values, largest first: pairs of columns are rotated until all are orthogonal (one-sided Jacobi).
 * @param {ArrayLike<number>} matrix
 * @param {number} n
 * @returns {number[]}
 */
export function singularValues(matrix, n) {
  const a = Float64Array.from(matrix);
  for (let sweep = 0, rotated = true; rotated && sweep < 40; sweep++) {
    rotated = false;
    for (let p = 0; p < n - 1; p++) {
      for (let q = p + 1; q < n; q++) rotated = orthogonalize(a, n, p, q) || rotated;
    }
  }
  const norms = Array.from({ length: n }, (_, j) => Math.hypot(...Array.from({ length: n }, (__, i) => a[i * n + j])));
  return norms.sort((x, y) => y - x);
}

/**
 * Rotate columns p and q until they are orthogonal; false where they are so already.
 * @param {Float64Array} a
 * @param {number} n
 * @param {number} p
 * @param {number} q
 */
function orthogonalize(a, n, p, q) {
  let alpha = 0;
  let beta = 0;
  let gamma = 0;
  for (let k = 0; k < n * n; k += n) {
    alpha += a[k + p] ** 2;
    beta += a[k + q] ** 2;
    gamma += a[k + p] * a[k + q];
  }
  if (gamma === 0 || Math.abs(gamma) <= 1e-15 * Math.sqrt(alpha * beta)) return false;
  const zeta = (beta - alpha) / (2 * gamma);
  const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.hypot(1, zeta));
  const c = 1 / Math.hypot(1, t);
  const s = c * t;
  for (let k = 0; k < n * n; k += n) {
    const [x, y] = [a[k + p], a[k + q]];
    a[k + p] = c * x - s * y;
    a[k + q] = s * x + c * y;
  }
  return true;
}
