// What the panels show of the payload: slices, ranges for the scales, one sublayer over all tokens, words and numbers.

/** H_res [N * N], H_pre [N] or H_post [N] of a sublayer at a token. */
function matrixAt(v, name, sublayer = v.state.sublayer, token = v.state.token) {
  const size = name === "res" ? v.N * v.N : v.N;
  const start = (sublayer * v.T + token) * size;
  return v.arrays[name].subarray(start, start + size);
}

/** The ends of all scales, from the whole text, so that steps through it can be compared. */
function measure(v) {
  const { N, arrays } = v;
  const larger = (most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most);
  const largest = (values) => values.reduce(larger, 0) || 1;
  let change = 0, sum = 1;
  for (let start = 0; start < arrays.res.length; start += N * N) {
    const matrix = arrays.res.subarray(start, start + N * N);
    for (let k = 0; k < N * N; k++) change = larger(change, matrix[k] - (k % (N + 1) === 0 ? 1 : 0));
    const { rows, columns } = sums(matrix, N);
    for (let i = 0; i < N; i++) sum = larger(larger(sum, rows[i]), columns[i]);
  }
  v.ranges = { value: largest(arrays.res), change: change || 1, pre: largest(arrays.pre), post: largest(arrays.post), sum };
  v.sublayers = new Map();
}

/** One sublayer over all tokens: mean and standard deviation of every entry, and all eigenvalues. */
function overTokens(v, sublayer) {
  if (v.sublayers.has(sublayer)) return v.sublayers.get(sublayer);
  const { N, T } = v;
  const mean = new Float64Array(N * N), spread = new Float64Array(N * N), allRoots = [];
  for (let t = 0; t < T; t++) {
    const matrix = matrixAt(v, "res", sublayer, t);
    for (let k = 0; k < N * N; k++) mean[k] += matrix[k] / T;
    allRoots.push(eigenvalues(matrix, N));
  }
  for (let t = 0; t < T; t++) {
    const matrix = matrixAt(v, "res", sublayer, t);
    for (let k = 0; k < N * N; k++) spread[k] += (matrix[k] - mean[k]) ** 2 / T;
  }
  const found = { mean, spread: spread.map(Math.sqrt), allRoots };
  v.sublayers.set(sublayer, found);
  return found;
}

/** Everything that is computed of the matrix looked at. */
function analyse(v) {
  const { N } = v;
  const matrix = matrixAt(v, "res");
  return {
    matrix, ...sums(matrix, N), ...distances(matrix, N), roots: eigenvalues(matrix, N), singular: singularValues(matrix, N),
    parts: v.header.kind === "hyper" ? null : birkhoff(matrix, N, v.header.tolerance), ...overTokens(v, v.state.sublayer),
  };
}

/** Name, value and explanation of each number beside the eigenvalues. */
function facts(v) {
  const { roots, singular, rows, columns, fromIdentity, fromMean } = v.found;
  const off = (values) => Math.max(...Array.from(values, (x) => Math.abs(x - 1)));
  const second = roots.length > 1 ? Math.hypot(...roots[1]) : null;
  return [
    ["singular values σ", singular.slice(0, 4).map((x) => x.toFixed(3)).join(" ") + (singular.length > 4 ? " …" : ""), `Singular values: ${singular.map((x) => digits(x, 6)).join(", ")}`],
    ["largest σ = ‖H‖₂", digits(singular[0], 5), "Spectral norm: the most that a signal can grow in one step"],
    ["second |λ|", second === null ? "–" : digits(second, 4), "How fast differences between streams fade when this matrix is applied again and again"],
    ["‖H − I‖F", digits(fromIdentity, 4), "Frobenius distance from the identity: 0 carries every stream on as it is"],
    ["‖H − 1/N‖F", digits(fromMean, 4), "Frobenius distance from 1/N everywhere, which makes all streams equal"],
    ["rows off 1 by", exponent(off(rows)), "Largest distance of a row sum from 1"],
    ["columns off 1 by", exponent(off(columns)), "Largest distance of a column sum from 1"],
  ];
}

function exponent(value) {
  return value === 0 ? "0" : value < 0.01 ? value.toExponential(1) : value.toFixed(3);
}

/** The entries in as many digits as all of them fit with into `width` pixels; nothing where none fit. */
function cellTexts(theme, matrix, width, size) {
  probe.font = font(theme, size);
  for (const [places, leading] of [[3, "$10."], [3, "$1."], [2, "$1."]]) {
    const texts = Array.from(matrix, (x) => (Number.isFinite(x) ? x.toFixed(places).replace("-", "−").replace(/^(−?)0\./, leading) : ""));
    if (texts.every((text) => probe.measureText(text).width <= width - 3)) return texts;
  }
  return Array.from(matrix, () => "");
}

/** A text in lines that are no wider than `width` pixels. */
function wrapped(theme, text, width, size) {
  probe.font = font(theme, size);
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (probe.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function tokenName(v, token = v.state.token) {
  return named(v.header.tokens, token);
}

/** One sentence on what is looked at, for those who do not see the picture. */
function sentence(v) {
  const { header, state, found } = v;
  const sizes = `distance from the identity ${digits(found.fromIdentity, 3)}, spectral norm ${digits(found.singular[0], 4)}`;
  const parts = found.parts?.terms.length ? `, ${found.parts.terms.length} permutations, the first of weight ${digits(found.parts.terms[0].weight, 3)}` : "";
  return `${header.names[state.sublayer]} at token ${tokenName(v)}: ${sizes}${parts}.`;
}
