// @ts-check
// Drives a training run by messages, as worker.js does in a worker.
// It is told { start } with what a run is asked for, then { pace }, { pause }, { resume }, { back },
// { save } or { seen }, and tells of each moment that is looked at, { step, score, ... }, of the files of a model that was to be saved,
// { saved }, or { problem }, one sentence.
//
// The next moment is told once the last one is `seen`, so that a page that is slow, or hidden, holds nothing up.

import { EngineError } from "../errors.js";
import { Run } from "./run.js";
import { folderOf } from "./saved.js";
import { parametersOf } from "./settings.js";

/** @typedef {{ start?: import("./run.js").Asked, pace?: number, pause?: true, resume?: true, back?: true, seen?: true, until?: number,
 * save?: string }} Order `pace`: steps a second, 0: as many as it can; `until`: the step at which to pause; `save`: the name of a model */
/**
 * @typedef {object} Moment
 * @property {number} step
 * @property {number} loss mean of fresh sequences
 * @property {number} taught that of the last step's own, before it; NaN before the first
 * @property {number} right
 * @property {number | null} whole
 * @property {number[][]} previous
 * @property {number[][] | null} induction
 * @property {Float32Array} maps [L, H, T, T] of the sequence `tokens`
 * @property {Int32Array} tokens
 * @property {Int32Array} targets
 * @property {Int32Array} guesses
 * @property {string | null} written a sample, of a text
 * @property {string} text of `tokens`
 * @property {string[]} names of tokens
 * @property {number} parameters
 * @property {number} speed tokens a second, while it computes
 * @property {boolean} paused
 */

const GLANCE = 30; // milliseconds between moments
const BETWEEN = 1000; // milliseconds between samples

/** One run, and what is told of it. */
export class Trainer {
  /** @param {(message: Moment | { problem: string, step: number } | { saved: Record<string, Uint8Array> }) => void} tell */
  constructor(tell) {
    this.tell = tell;
    /** @type {Run | null} */
    this.run = null;
    this.pace = 0;
    this.paused = true;
    this.until = Infinity;
    this.awaited = false; // whether a moment has not been seen
    this.begun = 0; // when steps began to be counted by pace, in milliseconds
    this.counted = 0; // step at that time
    this.told = -Infinity;
    this.wrote = -Infinity;
    /** @type {string | null} */
    this.sample = null;
    this.spent = 0; // milliseconds of training
    this.trained = 0; // tokens
    this.waiting = false;
  }

  /** @param {Order} order */
  receive(order) {
    this.attempt(() => {
      if (order.start) this.start(order.start);
      if (order.pace !== undefined) this.pace = order.pace > 0 ? order.pace : 0;
      if (order.until !== undefined) this.until = order.until;
      if (order.pause) this.paused = true;
      if (order.resume && this.run) this.paused = false;
      if (order.back && this.run) {
        this.run.back();
        this.paused = true;
      }
      if (order.save && this.run) this.tell({ saved: folderOf(this.run, order.save) });
      if (order.seen) this.awaited = false;
      if (!this.run) return;
      if (!order.seen && !order.save) [this.begun, this.counted] = [performance.now(), this.run.step];
      if (order.start || order.back || order.pause) this.look();
    });
    this.goOn();
  }

  /** @param {import("./run.js").Asked} asked */
  start(asked) {
    Object.assign(this, { run: null, paused: true, sample: null, spent: 0, trained: 0, wrote: -Infinity, until: Infinity });
    this.run = new Run(asked);
    this.paused = false;
  }

  /** @param {() => void} work what may end in a sentence */
  attempt(work) {
    try {
      work();
    } catch (error) {
      if (!(error instanceof EngineError || error instanceof RangeError)) throw error;
      this.paused = true;
      const problem = error instanceof RangeError
        ? "This model needs more memory than the browser gives; take fewer layers or a smaller width." : error.message;
      this.tell({ problem, step: this.run?.step ?? 0 });
      if (this.run && !(error instanceof RangeError)) this.look();
    }
  }

  /** Train for the time between two moments, tell of the last step, and go on when messages have been read. */
  goOn() {
    if (this.waiting || this.paused || !this.run) return;
    this.waiting = true;
    setTimeout(() => {
      this.waiting = false;
      this.attempt(() => this.train());
      this.goOn();
    }, this.idle());
  }

  /** Milliseconds until the next step is due. */
  idle() {
    if (!this.pace) return 0;
    const due = this.begun + ((this.run.step + 1 - this.counted) * 1000) / this.pace;
    return Math.max(0, due - performance.now());
  }

  train() {
    const { run } = this;
    if (!run || this.paused) return;
    const end = performance.now() + GLANCE;
    const { batch, length } = run.settings;
    do {
      const from = performance.now();
      run.advance();
      this.spent += performance.now() - from;
      this.trained += batch * length;
      this.paused = run.step >= this.until;
    } while (!this.paused && performance.now() < end && !this.idle());
    // a machine that cannot keep the pace does not run after it
    if (this.pace && this.begun + ((run.step - this.counted) * 1000) / this.pace < performance.now() - 1000)
      [this.begun, this.counted] = [performance.now(), run.step];
    if (this.paused || (!this.awaited && performance.now() > this.told + GLANCE)) this.look();
  }

  look() {
    const { run } = this;
    const { length } = run.settings;
    if (run.settings.causal && this.isText && performance.now() > this.wrote + BETWEEN) {
      this.sample = run.task.text(run.write(Array.from(run.test.tokens.subarray(0, 8)), run.task.sample));
      this.wrote = performance.now();
    }
    const [tokens, targets] = [run.test.tokens.slice(0, length), run.test.targets.slice(0, length)];
    const speed = this.spent ? (1000 * this.trained) / this.spent : 0;
    const score = run.score();
    this.awaited = true;
    this.told = performance.now();
    this.tell({ step: run.step, ...score, taught: run.loss, tokens, targets, written: this.sample, text: run.task.text(tokens), names: run.task.names,
      parameters: parametersOf(run.settings), speed, paused: this.paused });
  }

  get isText() {
    return !this.run.task.answers && !this.run.test.periods;
  }
}
