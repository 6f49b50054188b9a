// @ts-check
// A training run: step by step, with good states kept to go back to.

import { dice } from "#canvas/dice.js";
import { EngineError } from "../errors.js";
import { LearningNetwork } from "./network.js";
import { scoreOf } from "./score.js";
import { settingsOf } from "./settings.js";
import { taskOf } from "./tasks.js";

/** @typedef {Partial<import("./settings.js").Settings> & import("./tasks.js").Options
 * & { task: string }} Asked what a run is asked for: a task with its options, and settings */

/** A run whose numbers have come apart. Its network is at the last good step again. */
export class Diverged extends EngineError {}

const TESTED = 32; // fresh sequences of a score
const TEST_SEED = 2 ** 31 - 1; // no step has it
const FAR = 2; // nats above guessing, from which on a loss is suspicious
const PATIENCE = 25; // suspicious steps in a row that end a run
const EVERY = 8; // steps between copies for the case that the next ones fail
const STEEP = 20; // length of a gradient before which a copy is made
const SEEDS = 1e5; // between the data of one seed and of the next: more than steps of a run
const MOST_BYTES = 2e8; // of copies to step back to

/** The same run for the same settings, on any machine up to rounding: weights and data come from the seed alone. */
export class Run {
  /**
   * @param {Asked} asked
   * @throws BadSetting
   */
  constructor({ task, fixed, turned, text, pieces, ...given }) {
    const { vocab, length } = given; // for repeated runs only: all other tasks have their own
    this.task = taskOf(task, { vocab, length, fixed, turned, text, pieces });
    this.settings = settingsOf({ ...given, vocab: this.task.names.length, length: this.task.length });
    this.network = new LearningNetwork(this.settings);
    this.test = this.task.draw(dice(TEST_SEED - this.settings.seed), TESTED, true);
    this.step = 0; // done
    this.loss = NaN; // of the last step's batch, before it
    this.suspicious = 0; // steps in a row
    /** @type {{ step: number, kept: Float32Array }[]} */
    this.copies = []; // after steps that are powers of two
    /** @type {{ step: number, kept: Float32Array }} */
    this.good = { step: 0, kept: this.network.kept() };
  }

  /**
   * One step.
   * @throws Diverged
   */
  advance() {
    const { network, settings: { batch, seed } } = this;
    const { tokens, targets } = this.task.draw(dice(seed * SEEDS + this.step), batch, false);
    network.forward(tokens);
    const loss = network.loss(targets);
    network.backward(targets);
    this.judge(loss);
    this.loss = loss;
    this.step++;
    network.adam(this.step);
  }

  /**
   * Whether the network, before its next step, is one to go back to.
   * @param {number} loss
   * @throws Diverged
   */
  judge(loss) {
    const { network, step, settings: { vocab } } = this;
    if (!Number.isFinite(loss) || !Number.isFinite(network.length)) this.fail("its numbers are no longer finite");
    this.suspicious = loss > Math.log(vocab) + FAR ? this.suspicious + 1 : 0;
    if (this.suspicious > PATIENCE) this.fail(`its loss has stayed far above that of guessing, ${Math.log(vocab).toFixed(2)}`);
    if (this.suspicious) return;
    const power = (step & (step - 1)) === 0;
    if (power || step % EVERY === 0 || network.length > STEEP) this.good = { step, kept: network.kept() };
    if (!power || this.copies.some((copy) => copy.step === step)) return;
    this.copies.push(this.good);
    while (this.copies.length * this.good.kept.byteLength > MOST_BYTES) this.copies.splice(1, 1); // but for the start
  }

  /** @param {string} why */
  fail(why) {
    const at = this.step;
    this.restore(this.good);
    throw new Diverged(`The run came apart at step ${at.toLocaleString("en")}: ${why}. Shown is the last good step, ${this.step}; take a smaller rate.`);
  }

  /** Go back to the last power of two before this step, or to the start. */
  back() {
    const earlier = this.copies.filter(({ step }) => step < this.step);
    if (!earlier.length) return;
    this.copies = earlier;
    this.good = earlier.at(-1);
    this.restore(this.good);
  }

  /** @param {{ step: number, kept: Float32Array }} copy */
  restore({ step, kept }) {
    this.network.restore(kept);
    Object.assign(this, { step, loss: NaN, suspicious: 0 });
  }

  /** How good it is on fresh sequences, with the first one's maps. */
  score() {
    return scoreOf(this.network, this.test, this.task.answers);
  }

  /**
   * Tokens that the network writes after some, drawn from its probabilities, sharpened.
   * @param {number[]} start at least one
   * @param {number} count
   * @param {number} [temperature]
   */
  write(start, count, temperature = 0.7) {
    const { network, settings: { length, vocab } } = this;
    const roll = dice(this.step);
    const written = [...start];
    for (let i = 0; i < count; i++) {
      const seen = written.slice(-length);
      network.forward(Int32Array.from({ length }, (_, t) => seen[t] ?? 0));
      const logits = network.logits().subarray((seen.length - 1) * vocab, seen.length * vocab);
      const most = logits.reduce((best, each) => Math.max(best, each), -Infinity);
      const weights = logits.map((each) => Math.exp((each - most) / temperature));
      let left = roll() * weights.reduce((sum, each) => sum + each, 0);
      let id = 0;
      while (id < vocab - 1 && (left -= weights[id]) > 0) id++;
      written.push(id);
    }
    return written.slice(start.length);
  }
}
