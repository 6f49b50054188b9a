// @ts-check
// Mixture of experts: a router, and the feed-forward networks that it chooses from (tlmviz/layers/experts.py; 003 section 6.3).

import { chosenFrom } from "../config.js";
import { Matrix } from "../memory.js";
import { FeedForward, gate, plainFeedForward, silu } from "./feedforward.js";

/** @typedef {import("../types").Site} Site */

const LOW = -1e4; // of an expert that cannot be chosen, in the sum of its group
const TINY = 1e-20; // keeps a token whose experts all weigh nothing from dividing by zero

/** `experts.score` -> scores of the router's logits. */
const SCORES = {
  softmax: (/** @type {number[]} */ logits) => {
    const most = Math.max(...logits);
    const parts = logits.map((logit) => Math.exp(logit - most));
    const sum = parts.reduce((total, part) => total + part, 0);
    return parts.map((part) => part / sum);
  },
  sigmoid: (/** @type {number[]} */ logits) => logits.map((logit) => 1 / (1 + Math.exp(-logit))),
};

/** Each token's k best experts of E, mixed by their scores, plus shared experts that read every token. */
export class Experts {
  /**
   * @param {Site} site
   * @param {string} name
   */
  constructor(site, name) {
    const { config, memory, weights } = site;
    const { experts: part, d_model: width } = config;
    this.memory = memory;
    this.name = name;
    this.part = part;
    this.width = width;
    this.scores = chosenFrom(SCORES, part.score, "score of experts", config.name);
    this.router = site.linear(`${name}.router`, part.count, width);
    this.bias = part.bias ? weights.take(`${name}.choice_bias`, [part.count]) : new Float32Array(part.count);
    const matrices = (/** @type {string} */ key, /** @type {number} */ outputs, /** @type {number} */ inputs) => {
      const all = weights.take(`${name}.${key}`, [part.count, outputs, inputs]);
      const size = outputs * inputs;
      return Array.from({ length: part.count }, (_, e) => new Matrix(memory, all.subarray(e * size, (e + 1) * size), outputs, inputs));
    };
    this.gateUp = matrices("gate_up", 2 * part.hidden, width);
    this.down = matrices("down", width, part.hidden);
    const shared = part.shared * (part.shared_hidden ?? part.hidden);
    this.shared = shared ? new FeedForward(site, `${name}.shared`, "swiglu", shared, false) : null;
    this.sharedGate = shared && part.shared_gate ? site.linear(`${name}.shared_gate`, 1, width) : null;
    const sizes = { logits: part.count, opened: 1, gathered: width, said: width, "both halves": 2 * part.hidden, "one half": part.hidden };
    this.at = Object.fromEntries(Object.entries(sizes).map(([use, size]) => [use, site.scratch(use, site.chunk * size + 4)]));
  }

  /**
   * @param {number} x [T, C]
   * @param {number} out [T, C]
   * @param {number} rows
   */
  apply(x, out, rows) {
    const { memory, name, at, width } = this;
    const { numbers } = memory;
    this.router.apply(x, at.logits, rows);
    memory.tap(`${name}.router_logits`, at.logits, rows * this.part.count);
    if (this.shared) this.shared.apply(x, out, rows);
    else numbers.fill(0, out, out + rows * width);
    if (this.sharedGate) {
      this.sharedGate.apply(x, at.opened, rows);
      for (let i = 0; i < rows * width; i++) numbers[out + i] /= 1 + Math.exp(-numbers[at.opened + Math.floor(i / width)]);
    }
    /** @type {{ t: number, weight: number }[][]} the tokens of each expert */
    const readers = Array.from({ length: this.part.count }, () => /** @type {any} */ ([]));
    for (let t = 0; t < rows; t++) for (const { expert, weight } of this.route(t)) readers[expert].push({ t, weight });
    readers.forEach((tokens, expert) => tokens.length && this.say(expert, tokens, x, out));
    memory.tap(`${name}.out`, out, rows * width);
  }

  /**
   * The experts that a token chooses and their weights. The bias enters the choice alone (DeepSeek-V3, Eq. 16).
   * @param {number} t
   */
  route(t) {
    const { memory: { numbers }, part, bias, at } = this;
    const scores = this.scores(Array.from(numbers.subarray(at.logits + t * part.count, at.logits + (t + 1) * part.count)));
    const choice = withinGroups(scores.map((score, e) => score + bias[e]), part);
    const chosen = best(choice, part.chosen).map((expert) => ({ expert, weight: choice[expert] > -Infinity ? scores[expert] : 0 }));
    const sum = part.normalised ? chosen.reduce((total, { weight }) => total + weight, TINY) : 1;
    return chosen.map(({ expert, weight }) => ({ expert, weight: (weight / sum) * part.scaling }));
  }

  /**
   * Add what one expert says of its tokens, times their weights.
   * @param {number} expert
   * @param {{ t: number, weight: number }[]} tokens
   * @param {number} x
   * @param {number} out
   */
  say(expert, tokens, x, out) {
    const { memory, at, width, part } = this;
    const { numbers } = memory;
    tokens.forEach(({ t }, i) => numbers.copyWithin(at.gathered + i * width, x + t * width, x + (t + 1) * width));
    this.gateUp[expert].apply(at.gathered, at["both halves"], tokens.length);
    gate(memory, silu, at["both halves"], at["one half"], tokens.length, part.hidden);
    this.down[expert].apply(at["one half"], at.said, tokens.length);
    tokens.forEach(({ t, weight }, i) => {
      for (let c = 0; c < width; c++) numbers[out + t * width + c] += weight * numbers[at.said + i * width + c];
    });
  }
}

/**
 * The places of the k largest numbers, the first of equals first.
 * @param {number[]} values
 * @param {number} k
 */
function best(values, k) {
  return values.map((_, place) => place).sort((a, b) => values[b] - values[a] || a - b).slice(0, k);
}

/**
 * The same with -Infinity in the groups that a token may not choose from: all but those whose best experts sum highest.
 * @param {number[]} choice
 * @param {import("../types").ExpertsConfig} part
 */
function withinGroups(choice, part) {
  if (part.groups === part.chosen_groups) return choice;
  const size = choice.length / part.groups;
  const sums = Array.from({ length: part.groups }, (_, group) => {
    const own = choice.slice(group * size, (group + 1) * size).map((score) => Math.max(score, LOW));
    return best(own, part.group_best).reduce((total, place) => total + own[place], 0);
  });
  const allowed = new Set(best(sums, part.chosen_groups));
  return choice.map((score, e) => (allowed.has(Math.floor(e / size)) ? score : -Infinity));
}

/**
 * A layer's feed-forward part: experts, or one network for all tokens.
 * @param {Site} site
 * @param {string} name
 * @param {number} layer
 */
export function feedForwardOf(site, name, layer) {
  const { experts } = site.config;
  return experts.count && !experts.dense_layers.includes(layer) ? new Experts(site, name) : plainFeedForward(site, name);
}
