// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  tilesChipSo: "tiles on chip so far",
  keptHbmBesides: (/** @type {string} */ kept) => `Kept in HBM besides Q, K, V, O: ${kept}.`,
  noMatrixHbm: "No matrix in HBM yet.",
  threeKernelsAfter: "Three kernels, one after the other:",
  passesTT: "each passes T × T numbers through HBM.",
  readsQK: "reads Q and K, writes S",
  readsWritesP: "reads S, writes P",
  readsPV: "reads P and V, writes O",
  kernelDoneStandard: "The kernel is done; standard attention goes on",
  resultSoftmaxQk: (/** @type {string} */ error) => ` Result − softmax(QKᵀ)V: at most ${error} of the largest value.`,
  stepBytesMoved: (/** @type {string} */ title, /** @type {number} */ step, /** @type {number} */ count, /** @type {string} */ said, /** @type {number} */ bytes, /** @type {number} */ moved, /** @type {number} */ standardMoves) => `${title}. Step ${step} of ${count}: ${said}. ${bytes} bytes moved; the kernel moves ${moved} in all, standard attention ${standardMoves}. Arrow keys step, space plays.`,
  linesTritonKernel: "Lines of the Triton kernel; those that run are marked",
};
