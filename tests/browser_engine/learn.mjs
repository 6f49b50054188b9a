// Trains on what Python asks for, {"runs": [{settings, tokens, targets, noise}]}: prints for each its parameters before and
// after one step, the gradients, the loss, and the last head's map on the last sequence, as base64 of float32.

import { readFileSync } from "node:fs";

import { LearningNetwork } from "../../tlmviz/browser/training/network.js";
import { settingsOf } from "../../tlmviz/browser/training/settings.js";

const text = (numbers) => Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength).toString("base64");

/** One step of a network whose parameters are moved off their start, so that no gradient is 0 by symmetry. */
function stepped({ settings, tokens, targets, noise }) {
  const network = new LearningNetwork(settingsOf(settings));
  const { site, numbers: parameters } = network;
  noise.forEach((value, i) => (parameters[i] += value));
  const block = (which) => network.numbers.slice(which * site.size, (which + 1) * site.size);
  const before = block(0);
  network.forward(Int32Array.from(tokens));
  const logits = network.logits();
  const loss = network.loss(Int32Array.from(targets));
  network.backward(Int32Array.from(targets));
  const { layers, heads, batch } = network.settings;
  const found = { loss, before: text(before), logits: text(logits), gradients: text(block(3)), map: text(network.map(layers - 1, heads - 1, batch - 1)) };
  network.adam(1);
  return { ...found, after: text(block(0)), tensors: site.tensors, settings: network.settings };
}

console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).runs.map(stepped)));
