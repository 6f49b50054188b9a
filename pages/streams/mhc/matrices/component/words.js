// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  mostSignalCan: "The most that a signal can grow in one step",
  whatRemainsDifference: "What remains of a difference between streams when they are mixed once",
  differenceMatrixCarries: "Difference from a matrix that carries every stream on as it is: root of the squares' sum",
  differenceMatrixMakes: "Difference from a matrix that makes all streams equal: root of the squares' sum",
  largestDistanceRow: "Largest distance of a row sum from 1",
  largestDistanceColumn: "Largest distance of a column sum from 1",
  spectralNormMost: "Spectral norm: the most that a signal can grow in one step",
  howFastDifferences: "How fast differences between streams fade when this matrix is applied again and again",
  frobeniusDistanceIdentity: "Frobenius distance from the identity: 0 carries every stream on as it is",
  frobeniusDistanceN: "Frobenius distance from 1/N everywhere, which makes all streams equal",
  distanceIdentitySpectral: (/** @type {string} */ fromIdentity, /** @type {string} */ singular) => `distance from the identity ${fromIdentity}, spectral norm ${singular}`,
  permutationsFirstWeight: (/** @type {number} */ termsCount, /** @type {string} */ weight) => `, ${termsCount} permutations, the first of weight ${weight}`,
  streamIntoStream: (/** @type {number} */ col, /** @type {number} */ row) => `from stream ${col} into stream ${row}: `,
  entryAlongText: (/** @type {number} */ row, /** @type {number} */ col, /** @type {number} */ width) => `Entry (${row}, ${col})${width < 240 ? "" : " along the text"}`,
  streamIntoStream2: (/** @type {string} */ col, /** @type {string} */ row, /** @type {string} */ matrix, /** @type {string} */ mean, /** @type {string} */ spread) => `from stream ${col} into stream ${row}: ${matrix}; over tokens ${mean} ± ${spread}`,
  hResAll: (/** @type {number} */ p, /** @type {string} */ tokenName, /** @type {string} */ name) => `H_res of all ${p} sublayers at token ${tokenName}; chosen: ${name}. Arrow keys choose another.`,
  rowSumsColumn: (/** @type {string} */ sentence, /** @type {string} */ colors, /** @type {string} */ from, /** @type {string} */ rows, /** @type {string} */ columns) => `${sentence} ${colors === "change" ? "H − I, rows" : "Rows"}: ${from}. ` +
    `Row sums ${rows}, column sums ${columns}. Arrow keys choose an entry.`,
  eigenvaluesComplexPlane: (/** @type {string} */ roots) => `Eigenvalues in the complex plane with the unit circle: ${roots}.`,
  standardDeviationOver: (/** @type {string} */ max) => `Standard deviation over tokens of every entry, at most ${max}. Arrow keys choose an entry.`,
  entryAlongTokens: (/** @type {number} */ row, /** @type {number} */ col, /** @type {string} */ name, /** @type {number} */ t) => `Entry ${row}, ${col} of ${name} along ${t} tokens. Left and right arrow keys choose a token.`,
  hResWeighted: (/** @type {string} */ terms) => `H_res as a weighted sum of permutations of the streams, weights ${terms}.`,
  coloursShowWhat: "Colours show what differs from the identity, from the largest difference in this text",
  coloursShowEntries: "Colours show the entries",
  hResWiring: "H_res as a wiring of the streams",
  matricesModelFree: "The matrices of this model are free: entries may be negative and sums differ from 1, so they are no average of permutations. Blue lines are positive entries, orange ones negative.",
  rowsColumnsOff: (/** @type {string} */ off) => `Rows or columns are off 1 by ${off} here: too far from doubly stochastic for an average of permutations.`,
};
