// @ts-check
// What a run is at a moment: who works, who waits, what is held. Free of the DOM.

import { minus } from "#canvas/text.js";
import { TEXTS } from "./words.js";

/** @typedef {import("./types").Run} Run */

export const KINDS = ["forward", "forward again", "gradient by inputs", "gradient by weights", "backward, both gradients", "sending"];
const SENDING = 5;

/**
 * A time or an amount in few digits.
 * @param {number} value
 */
export function brief(value) {
  return minus(String(Number(value.toFixed(2))));
}

/**
 * The devices that do something at a time, each with its events; just at the end of the run, those that end there.
 * @param {Run} run
 * @param {number} at
 */
export function workingAt({ arrays, header }, at) {
  /** @type {Map<number, number[]>} */
  const found = new Map();
  const last = at >= header.time - 1e-6;
  for (let e = 0; e < arrays.start.length; e++) {
    if (last ? arrays.end[e] < header.time - 1e-4 : arrays.start[e] > at + 1e-6 || arrays.end[e] <= at + 1e-6) continue;
    found.set(arrays.device[e], [...(found.get(arrays.device[e]) ?? []), e]);
  }
  return found;
}

/**
 * What every device holds at a time.
 * @param {Run} run
 * @param {number} at
 */
export function heldAt({ arrays }, at) {
  const held = [];
  for (let device = 0, first = 0; device < arrays.changes.length; first += arrays.changes[device], device++) {
    let now = 0;
    for (let k = first; k < first + arrays.changes[device] && arrays.times[k] <= at + 1e-6; k++) now = arrays.held[k];
    held.push(now);
  }
  return held;
}

/**
 * The share of the time up to now in which devices waited.
 * @param {Run} run
 * @param {number} at
 */
export function bubbleAt({ arrays, header }, at) {
  if (at <= 0) return 0;
  let busy = 0;
  for (let e = 0; e < arrays.start.length; e++) {
    if (arrays.half[e] !== 2) busy += Math.max(0, Math.min(at, arrays.end[e]) - arrays.start[e]);
  }
  return Math.max(0, 1 - busy / (at * header.stages));
}

/**
 * One event in words.
 * @param {Run} run
 * @param {number} event
 */
export function eventSentence({ arrays }, event) {
  const { device, kind, micro, stage, half, start, end } = arrays;
  const what = kind[event] === SENDING ? TEXTS.sendsWhatMade : `${KINDS[kind[event]]} of`;
  const beside = half[event] ? ", beside another task" : "";
  return TEXTS.deviceMicroBatch(device[event] + 1, what, micro[event] + 1, stage[event] + 1, brief(start[event]), brief(end[event]), beside);
}

/**
 * A moment in words.
 * @param {Run} run
 * @param {number} at
 */
export function momentSentence(run, at) {
  const { header } = run;
  const held = heldAt(run, at).map(brief).join(", ");
  const passed = TEXTS.devicesTimeSo((100 * bubbleAt(run, at)).toFixed(1));
  if (at >= header.time - 1e-6) return TEXTS.afterAllDone(brief(header.time), passed, header.peaks.map(brief).join(", "));
  const working = workingAt(run, at).size;
  return TEXTS.workWaitThey(brief(at), brief(header.time), working, header.stages, header.stages - working, passed, held);
}
