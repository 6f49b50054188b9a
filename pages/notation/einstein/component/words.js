// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  tensorsFormula: "Tensors of the formula",
};
