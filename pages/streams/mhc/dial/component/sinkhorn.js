// Sinkhorn-Knopp in double precision on logarithms, free of the DOM, so that it can be tested outside a browser.
// A matrix is a Float64Array of its logarithms, row by row; an entry of 0 is -Infinity.

const ITERATIONS = 40;
const WORK = 400000; // entries scaled on the way to a limit

/** After every half step: the start, rows scaled, columns scaled, rows scaled, ...: 2 * count + 1 matrices. */
function halfSteps(logits, n, count = ITERATIONS) {
  let z = shifted(logits);
  const steps = [z];
  for (let half = 0; half < 2 * count; half++) steps.push((z = scaled(z, n, half % 2)));
  return steps;
}

/** Its largest entry is 1: the kernel begins there too. */
function shifted(logits) {
  const top = finite(Math.max(...logits));
  return Float64Array.from(logits, (value) => value - top);
}

/** Rows (axis 0) or columns (axis 1) brought to the sum 1; a line of zeros stays. */
function scaled(z, n, axis) {
  const out = new Float64Array(z.length);
  const [line, along] = axis ? [1, n] : [n, 1];
  for (let i = 0; i < n; i++) {
    let top = -Infinity;
    for (let j = 0; j < n; j++) top = Math.max(top, z[i * line + j * along]);
    top = finite(top);
    let sum = 0;
    for (let j = 0; j < n; j++) sum += Math.exp(z[i * line + j * along] - top);
    const total = sum === 0 ? 0 : top + Math.log(sum);
    for (let j = 0; j < n; j++) out[i * line + j * along] = z[i * line + j * along] - total;
  }
  return out;
}

function finite(top) {
  return top === -Infinity ? 0 : top;
}

function entries(z) {
  return Float64Array.from(z, Math.exp);
}

function sums(m, n) {
  const [rows, columns] = [new Float64Array(n), new Float64Array(n)];
  m.forEach((value, at) => {
    rows[Math.floor(at / n)] += value;
    columns[at % n] += value;
  });
  return { rows, columns };
}

/** Largest distance of a row sum from 1, and of a column sum. */
function errors(m, n) {
  const { rows, columns } = sums(m, n);
  const worst = (line) => line.reduce((most, value) => Math.max(most, Math.abs(value - 1)), 0);
  return { rows: worst(rows), columns: worst(columns), both: Math.max(worst(rows), worst(columns)) };
}

/** Where the iterations lead, {m, error}: how far from there they stopped. */
function limit(logits, n) {
  let z = shifted(logits);
  let error = Infinity;
  let done = 0;
  for (; done < WORK / (n * n) && error > 1e-14; done++) {
    z = scaled(scaled(z, n, 0), n, 1);
    if (done % 8 === 7) error = errors(entries(z), n).both;
  }
  return { m: entries(z), error };
}

/** The square of the limit's first singular value below those that are 1; NaN where the limit is not reached in time. */
function rateOf(logits, n, blocks) {
  if (n <= blocks) return 0;
  const { m, error } = limit(logits, n);
  return error < 1e-6 ? Math.min(1, squaredSingularValues(m, n)[blocks]) : NaN;
}

/** Squares of the singular values of a matrix, largest first: Jacobi rotations on its Gram matrix. */
function squaredSingularValues(m, n) {
  const a = Array.from({ length: n }, (_, i) =>
    Float64Array.from({ length: n }, (_, j) => {
      let sum = 0;
      for (let k = 0; k < n; k++) sum += m[k * n + i] * m[k * n + j];
      return sum;
    }));
  for (let sweep = 0; sweep < 60; sweep++) {
    let off = 0;
    for (let p = 0; p < n; p++) {
      for (let q = p + 1; q < n; q++) {
        off += Math.abs(a[p][q]);
        if (Math.abs(a[p][q]) > 1e-300) rotate(a, n, p, q);
      }
    }
    if (off < 1e-15) break;
  }
  return a.map((row, i) => Math.max(0, row[i])).sort((x, y) => y - x);
}

function rotate(a, n, p, q) {
  const theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
  const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.hypot(theta, 1));
  const c = 1 / Math.hypot(t, 1);
  const s = t * c;
  for (let k = 0; k < n; k++) {
    const [x, y] = [a[k][p], a[k][q]];
    a[k][p] = c * x - s * y;
    a[k][q] = s * x + c * y;
  }
  for (let k = 0; k < n; k++) {
    const [x, y] = [a[p][k], a[q][k]];
    a[p][k] = c * x - s * y;
    a[q][k] = s * x + c * y;
  }
}

/** Largest absolute row sum and column sum of the product of all matrices, after 0, 1, ... iterations on each. */
function depthGains(all, n, count = ITERATIONS) {
  let steps = all.map(shifted);
  const found = [];
  for (let k = 0; k <= count; k++) {
    if (k) steps = steps.map((z) => scaled(scaled(z, n, 0), n, 1));
    const { rows, columns } = sums(steps.map(entries).reduce((product, m) => times(m, product, n)), n);
    found.push([Math.max(...rows), Math.max(...columns)]);
  }
  return found;
}

function times(a, b, n) {
  const out = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < n; k++) {
      for (let j = 0; j < n; j++) out[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  }
  return out;
}
