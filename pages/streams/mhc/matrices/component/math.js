// What is computed of a matrix in the browser, in float64 and free of the DOM: n x n in row-major order, n at most 16.

/** Eigenvalues [[re, im], ...], largest magnitude first: Hessenberg form, then QR steps with complex shifts. */
function eigenvalues(matrix, n) {
  const re = hessenberg(Float64Array.from(matrix), n);
  const im = new Float64Array(n * n);
  let size = 0;
  for (const x of re) size = Math.max(size, Math.abs(x));
  const small = (k) => Math.hypot(re[k * n + k - 1], im[k * n + k - 1]);
  for (let last = n - 1, steps = 0; last > 0 && steps < 60 * n; steps++) {
    let first = last;
    while (first > 0 && small(first) > 1e-16 * (size + small(first))) first--;
    if (first > 0) re[first * n + first - 1] = im[first * n + first - 1] = 0;
    if (first === last) last--;
    else qrStep(re, im, n, first, last, steps % 11 === 10);
  }
  const found = Array.from({ length: n }, (_, i) => [re[i * n + i], im[i * n + i]]);
  return found.sort((a, b) => Math.hypot(...b) - Math.hypot(...a) || b[0] - a[0] || b[1] - a[1]);
}

/** The same eigenvalues in a matrix without entries below the first subdiagonal: columns are cleared by elimination. */
function hessenberg(a, n) {
  for (let c = 0; c < n - 2; c++) {
    let best = c + 1;
    for (let r = c + 2; r < n; r++) if (Math.abs(a[r * n + c]) > Math.abs(a[best * n + c])) best = r;
    if (a[best * n + c] === 0) continue;
    for (let j = 0; j < n; j++) [a[(c + 1) * n + j], a[best * n + j]] = [a[best * n + j], a[(c + 1) * n + j]];
    for (let i = 0; i < n; i++) [a[i * n + c + 1], a[i * n + best]] = [a[i * n + best], a[i * n + c + 1]];
    for (let r = c + 2; r < n; r++) {
      const factor = a[r * n + c] / a[(c + 1) * n + c];
      if (factor === 0) continue;
      for (let j = c; j < n; j++) a[r * n + j] -= factor * a[(c + 1) * n + j];
      for (let i = 0; i < n; i++) a[i * n + c + 1] += factor * a[i * n + r];
    }
  }
  return a;
}

/** One shifted QR step on rows and columns first..last of a complex Hessenberg matrix, by Givens rotations. */
function qrStep(re, im, n, first, last, unusual) {
  const [sr, si] = unusual ? [Math.abs(re[last * n + last - 1]) + re[last * n + last], 0.5 * Math.abs(re[last * n + last - 1])] : shift(re, im, n, last);
  for (let k = first; k <= last; k++) re[k * n + k] -= sr, im[k * n + k] -= si;
  const turns = [];
  for (let k = first; k < last; k++) {
    const [xr, xi] = [re[k * n + k], im[k * n + k]];
    const [yr, yi] = [re[(k + 1) * n + k], im[(k + 1) * n + k]];
    const x = Math.hypot(xr, xi), r = Math.hypot(x, yr, yi);
    // c is real, s = (x / |x|) conj(y) / r: rows become c x + s y = r and -conj(s) x + c y = 0
    const [ur, ui] = x === 0 ? [1, 0] : [xr / x, xi / x];
    const c = r === 0 ? 1 : x / r;
    const s = r === 0 ? [0, 0] : [(ur * yr + ui * yi) / r, (ui * yr - ur * yi) / r];
    turns.push([c, ...s]);
    for (let j = k; j <= last; j++) {
      const a = k * n + j, b = a + n;
      const [ar, ai, br, bi] = [re[a], im[a], re[b], im[b]];
      re[a] = c * ar + s[0] * br - s[1] * bi, im[a] = c * ai + s[0] * bi + s[1] * br;
      re[b] = c * br - s[0] * ar - s[1] * ai, im[b] = c * bi - s[0] * ai + s[1] * ar;
    }
  }
  turns.forEach(([c, sr2, si2], t) => {
    const k = first + t;
    for (let i = first; i <= Math.min(last, k + 1); i++) {
      const a = i * n + k, b = a + 1;
      const [ar, ai, br, bi] = [re[a], im[a], re[b], im[b]];
      re[a] = c * ar + sr2 * br + si2 * bi, im[a] = c * ai + sr2 * bi - si2 * br;
      re[b] = c * br - sr2 * ar + si2 * ai, im[b] = c * bi - sr2 * ai - si2 * ar;
    }
  });
  for (let k = first; k <= last; k++) re[k * n + k] += sr, im[k * n + k] += si;
}

/** The eigenvalue of the last 2 x 2 block that lies nearer to its lower right corner. */
function shift(re, im, n, last) {
  const at = (i, j) => [re[i * n + j], im[i * n + j]];
  const [a, b, c, d] = [at(last - 1, last - 1), at(last - 1, last), at(last, last - 1), at(last, last)];
  const times = (p, q) => [p[0] * q[0] - p[1] * q[1], p[0] * q[1] + p[1] * q[0]];
  const half = [(a[0] - d[0]) / 2, (a[1] - d[1]) / 2];
  const [square, product] = [times(half, half), times(b, c)];
  const inside = [square[0] + product[0], square[1] + product[1]];
  const length = Math.sqrt(Math.hypot(...inside)), angle = Math.atan2(inside[1], inside[0]) / 2;
  const root = [length * Math.cos(angle), length * Math.sin(angle)];
  const [plus, minus] = [[half[0] + root[0], half[1] + root[1]], [half[0] - root[0], half[1] - root[1]]];
  const near = Math.hypot(...plus) < Math.hypot(...minus) ? plus : minus;
  return [d[0] + near[0], d[1] + near[1]];
}

/** Singular values, largest first: pairs of columns are turned until all are orthogonal (one-sided Jacobi). */
function singularValues(matrix, n) {
  const a = Float64Array.from(matrix);
  for (let sweep = 0, turned = true; turned && sweep < 40; sweep++) {
    turned = false;
    for (let p = 0; p < n - 1; p++) {
      for (let q = p + 1; q < n; q++) {
        let alpha = 0, beta = 0, gamma = 0;
        for (let i = 0; i < n; i++) {
          const [x, y] = [a[i * n + p], a[i * n + q]];
          alpha += x * x, beta += y * y, gamma += x * y;
        }
        if (Math.abs(gamma) <= 1e-15 * Math.sqrt(alpha * beta) || gamma === 0) continue;
        turned = true;
        const zeta = (beta - alpha) / (2 * gamma);
        const t = (zeta < 0 ? -1 : 1) / (Math.abs(zeta) + Math.hypot(1, zeta));
        const c = 1 / Math.hypot(1, t), s = c * t;
        for (let i = 0; i < n; i++) {
          const [x, y] = [a[i * n + p], a[i * n + q]];
          a[i * n + p] = c * x - s * y, a[i * n + q] = s * x + c * y;
        }
      }
    }
  }
  const norms = Array.from({ length: n }, (_, j) => Math.hypot(...Array.from({ length: n }, (_, i) => a[i * n + j])));
  return norms.sort((x, y) => y - x);
}

/** Sums of rows and of columns. */
function sums(matrix, n) {
  const rows = new Float64Array(n), columns = new Float64Array(n);
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) rows[i] += matrix[i * n + j], columns[j] += matrix[i * n + j];
  return { rows, columns };
}

/** Frobenius distances from the identity and from the matrix of nothing but 1/n. */
function distances(matrix, n) {
  let identity = 0, mean = 0;
  for (let k = 0; k < n * n; k++) {
    identity += (matrix[k] - (k % (n + 1) === 0 ? 1 : 0)) ** 2;
    mean += (matrix[k] - 1 / n) ** 2;
  }
  return { fromIdentity: Math.sqrt(identity), fromMean: Math.sqrt(mean) };
}

// --- Birkhoff-von Neumann, as tlmviz/analysis/birkhoff.py does it --------------------------------

const SMALLEST = 1e-12;

/** {terms: [{weight, columns}], residual}, largest weights first; null unless sums are 1 within `tolerance` and no entry negative. */
function birkhoff(matrix, n, tolerance) {
  const rest = Float64Array.from(matrix);
  const { rows, columns } = sums(rest, n);
  const close = (x) => Math.abs(x - 1) <= tolerance; // false for NaN
  if (![...rows, ...columns].every(close) || rest.some((x) => x < 0)) return null;
  const terms = [];
  for (let left = (n - 1) ** 2 + 1; left > 0; left--) {
    const chosen = widest(rest, n);
    const weight = Math.min(...chosen.map((j, i) => rest[i * n + j]));
    if (weight <= SMALLEST) break;
    chosen.forEach((j, i) => (rest[i * n + j] -= weight));
    terms.push({ weight, columns: chosen });
  }
  return { terms, residual: Math.max(...rest.map(Math.abs)) };
}

/** The column of each row in a permutation whose smallest entry is as large as possible. */
function widest(matrix, n) {
  const steps = [...new Set(matrix)].sort((a, b) => a - b);
  let low = 0, high = steps.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (matching(matrix, n, steps[middle])) low = middle;
    else high = middle - 1;
  }
  return matching(matrix, n, steps[low]);
}

/** A column for every row, none twice, among entries of at least `least`; null where there is no such choice. */
function matching(matrix, n, least) {
  const rowOf = new Array(n).fill(-1);
  const place = (row, seen) => {
    for (let col = 0; col < n; col++) {
      if (matrix[row * n + col] < least || seen.has(col)) continue;
      seen.add(col);
      if (rowOf[col] < 0 || place(rowOf[col], seen)) {
        rowOf[col] = row;
        return true;
      }
    }
    return false;
  };
  for (let row = 0; row < n; row++) if (!place(row, new Set())) return null;
  const columns = new Array(n);
  rowOf.forEach((row, col) => (columns[row] = col));
  return columns;
}
