// @ts-check
// What a run is at a moment: who works, who waits, what is held. Free of the DOM.

import { _ } from "#canvas/language.js";
import { minus } from "#canvas/text.js";

/**
 * A run: events by device and time; `changes` counts each device's entries in `times` and `held`.
 * `slot` is the shortest task's time, in which keys walk by quarters.
 * @typedef {{ stages: number, time: number, slot: number, peaks: number[], bound: number | null }} Header
 * @typedef {Record<"device" | "kind" | "micro" | "stage" | "half", Uint8Array> & Record<"start" | "end" | "times" | "held",
 *   Float32Array> & { changes: Uint16Array }} Arrays
 * @typedef {{ header: Header, arrays: Arrays }} Run
 */

/** The kinds of work, in the visitor's language. */
export const kinds = () => [_("forward"), _("forward again"), _("gradient by inputs"), _("gradient by weights"), _("backward, both gradients"), _("sending")];
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
  const values = {
    device: device[event] + 1, kind: kinds()[kind[event]], micro: micro[event] + 1, stage: stage[event] + 1,
    start: brief(start[event]), end: brief(end[event]),
  };
  if (kind[event] === SENDING) {
    return _("Device {device} sends what it made of micro-batch {micro}, stage {stage} of the model, from {start} to {end}.", values);
  }
  if (half[event]) {
    return _("Device {device}: {kind} of micro-batch {micro}, stage {stage} of the model, from {start} to {end}, beside another task.", values);
  }
  return _("Device {device}: {kind} of micro-batch {micro}, stage {stage} of the model, from {start} to {end}.", values);
}

/**
 * A moment in words.
 * @param {Run} run
 * @param {number} at
 */
export function momentSentence(run, at) {
  const { header } = run;
  const share = (100 * bubbleAt(run, at)).toFixed(1);
  if (at >= header.time - 1e-6) {
    const held = header.peaks.map(brief).join(", ");
    return _("After {time} all is done; {share}% of the devices' time so far was spent waiting. At most they held {held}.",
      { time: brief(header.time), share, held });
  }
  const [held, working] = [heldAt(run, at).map(brief).join(", "), workingAt(run, at).size];
  return _("At {at} of {time}: {working} of {stages} work, {waiting} wait; {share}% of the devices' time so far was spent waiting. They hold {held}.", {
    at: brief(at), time: brief(header.time), working, stages: header.stages, waiting: header.stages - working, share, held,
  });
}
