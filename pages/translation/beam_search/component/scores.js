// The arithmetic of 004 Eq. 34-41, free of the DOM, so that it can be tested outside a browser.

/** lp(Y): ((5 + |Y|) / 6)^alpha, or |Y|^alpha. */
function lengthPenalty(count, alpha, kind) {
  return kind === "power" ? Math.max(1, count) ** alpha : ((5 + count) / 6) ** alpha;
}

/** A text's score in parts that add up to `total`. */
function partsOf(row, { alpha, beta, gamma }, kind) {
  const length = row.logp / lengthPenalty(row.count, alpha, kind) - row.logp;
  const coverage = beta * row.coverage;
  const end = gamma * row.ends;
  return { logp: row.logp, length, coverage, end, total: row.logp + length + coverage + end };
}

/** Rows with their parts, best first; equal ones in the order given. */
function rank(rows, weights, kind) {
  return rows
    .map((row) => ({ ...row, parts: partsOf(row, weights, kind) }))
    .sort((a, b) => b.parts.total - a.parts.total);
}
