// @ts-check
// What a training run is made of, and what is allowed.

import { EngineError } from "../errors.js";

/**
 * @typedef {object} Shape a network: one to four pre-norm blocks, an untied output
 * @property {number} vocab tokens V
 * @property {number} length positions T, a multiple of 4
 * @property {number} layers
 * @property {number} heads H of a layer
 * @property {number} width C, a multiple of 4 H
 * @property {number} hidden numbers inside an MLP, a multiple of 4; 0: blocks without one
 * @property {"rope" | "learned" | "none"} positions
 * @property {boolean} causal whether a position sees earlier ones and itself only
 * @property {boolean} norm whether RMSNorm stands before each sublayer and the output
 * @property {number} batch sequences of a step
 * @property {number} seed of weights and data
 */
/** @typedef {Shape & { rate: number, warmup: number, clip: number }} Settings Adam's rate, after so many steps in which it grows; the longest gradient,
 * 0: any */

/** A setting that no run can have. */
export class BadSetting extends EngineError {}

const MOST_PARAMETERS = 1.1e6;
const MOST_TOKENS = 8192; // of a step: what the backward pass keeps of them stays below some 300 MB
const EACH = /** @type {[keyof Settings, string, number, number][]} */ ([
  ["vocab", "tokens to choose from", 2, 1024],
  ["length", "positions", 4, 256],
  ["layers", "layers", 1, 4],
  ["heads", "heads", 1, 16],
  ["width", "numbers per token", 4, 256],
  ["hidden", "numbers inside an MLP", 0, 1024],
  ["batch", "sequences a step", 1, 256],
  ["warmup", "steps of warm-up", 0, 1e6],
  ["seed", "as the seed", 0, 2 ** 31],
]);
const FOURS = /** @type {(keyof Settings)[]} */ (["length", "width", "hidden"]);
const SCHEMES = ["rope", "learned", "none"];

const DEFAULTS = /** @type {const} */ ({
  vocab: 16, length: 32, layers: 2, heads: 2, width: 32, hidden: 0, positions: "rope", causal: true, norm: true, batch: 32, seed: 0,
  rate: 0.01, warmup: 20, clip: 1,
});

/** How many parameters a network has. @param {Shape} shape */
export function parametersOf({ vocab, length, layers, width, hidden, positions, norm }) {
  const norms = norm ? width * (1 + layers * (hidden ? 2 : 1)) : 0;
  return 2 * vocab * width + (positions === "learned" ? length * width : 0) + layers * (4 * width * width + 2 * width * hidden) + norms;
}

/**
 * All settings of a run: those given, and defaults, with which an induction head forms within 100 steps.
 * @param {Partial<Settings>} given
 * @returns {Settings}
 * @throws BadSetting
 */
export function settingsOf(given) {
  const all = /** @type {Settings} */ ({ ...DEFAULTS, ...given });
  for (const [name, what, least, most] of EACH) {
    const value = all[name];
    if (!Number.isInteger(value) || +value < least || +value > most) {
      throw new BadSetting(`${shown(value)} ${what} cannot be trained; give a whole number from ${least} to ${most.toLocaleString("en")}.`);
    }
  }
  for (const name of FOURS) {
    if (+all[name] % 4)
      throw new BadSetting(`The ${name} ${all[name]} is no multiple of 4, which the kernels compute in; take ${Math.ceil(+all[name] / 4) * 4}.`);
  }
  checkRest(all);
  return all;
}

/** @param {Settings} all */
function checkRest(all) {
  const { width, heads, positions, rate, clip, batch, length } = all;
  if (width % (4 * heads))
    throw new BadSetting(`A width of ${width} does not give ${heads} heads a multiple of 4 numbers each; take a width such as ${4 * heads * Math.max(1,
    Math.round(width / (4 * heads)))}.`);
  if (!SCHEMES.includes(positions)) throw new BadSetting(`There are no positions called ${shown(positions)}; choose one of ${SCHEMES.join(", ")}.`);
  if (!(rate > 0) || !Number.isFinite(rate)) throw new BadSetting(`${shown(rate)} is no learning rate; give a number above 0, such as 0.01.`);
  if (!(clip >= 0)) throw new BadSetting(`Gradients cannot be clipped at ${shown(clip)}; give a length above 0, or 0 to leave them as they are.`);
  if (batch * length > MOST_TOKENS) throw new BadSetting(
    `A step of ${batch} sequences of ${length} tokens is too large; take at most ${Math.floor(MOST_TOKENS / length)} sequences.`);
  const parameters = parametersOf(all);
  if (parameters > MOST_PARAMETERS) throw new BadSetting(
    `This model has ${(parameters / 1e6).toFixed(1)} million parameters, and a browser trains at most 1 million well; take fewer layers or a smaller width.`);
}

const shown = (/** @type {unknown} */ value) => (typeof value === "string" ? `“${value}”` : String(value));
