// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  sizeXDoubling: "size |x|, doubling by doubling; darker: more numbers",
  boxEmptyWrite: "The box is empty: write a number such as 0.1, or bits such as 0x7f.",
  noBitPattern: (/** @type {string} */ text) => `“${text}” is no bit pattern: after 0x come digits 0 to 9 and a to f, after 0b come 0 and 1.`,
  tooLongWhich: (/** @type {string} */ text, /** @type {string} */ name, /** @type {number} */ bits, /** @type {string} */ bits2) => `“${text}” is too long for ${name}, which has ${bits} bits: at most ${bits2}.`,
  readBits: (/** @type {string} */ name) => `Read as bits of ${name}.`,
  noNumberWrite: (/** @type {string} */ text) => `“${text}” is no number: write it as 0.1, -3e-5, inf or nan, or its bits as 0x7f or 0b0101.`,
  beyondLargestNumber: "Beyond 1.8·10³⁰⁸, the largest number of 64 bits: read as infinity.",
  belowSmallestNumber: "Below 4.9·10⁻³²⁴, the smallest number of 64 bits: read as zero.",
  allBitsAfter: "all bits after the sign are 1: NaN, not a number",
  exponentAllMantissa: "exponent all 1, mantissa not 0: NaN, not a number",
  numbersEveryFormat: (/** @type {string} */ x) => `The numbers of every format by size, and ${x} among them`,
  hasNoPattern: (/** @type {string} */ name, /** @type {string} */ x) => `${name} has no pattern for ${x}.`,
  neighboursStepUp: (/** @type {string} */ ulp) => `neighbours; step up (ULP) ${ulp}`,
  nextSmallerNumber: "the next smaller number",
  nextLargerNumber: "the next larger number",
  wholeNumbersRounding: (/** @type {string} */ name, /** @type {number} */ mantissa, /** @type {number} */ largest) => `${name}: whole numbers from −${mantissa} to ${largest}; rounding stops at ±${largest}. No infinity, no NaN; a step is 1, or the scale that goes with it.`,
  largestSmallestNormal: (/** @type {string} */ name, /** @type {string} */ largest, /** @type {string} */ smallestnormal, /** @type {string} */ smallestnormal2, /** @type {string} */ smallest, /** @type {string} */ smallest2, /** @type {string} */ stepatone, /** @type {string} */ beyond) => `${name}: largest ${largest}, smallest normal ${smallestnormal} = ${smallestnormal2}, smallest of all ${smallest} = ${smallest2}, ULP at 1 ${stepatone}; beyond the largest: ${beyond}.`,
  numberBits: "A number, or its bits",
  numberBitsEvery: "A number in bits, and in every format",
};
