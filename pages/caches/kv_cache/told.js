// @ts-check
// What a step of a generation with a cache is, and what is said of it. Free of the DOM.

import { _ } from "#canvas/language.js";
import { visible } from "#canvas/text.js";

/**
 * A generation of N tokens behind a prompt, T in all: `first` is the first one drawn; each layer's window, the head's layer, the
 * latent's dimensions; `each` bytes of a position in a layer; bytes of all layers after every step, used and allocated, counted
 * (`measured`) or by formula; operations with the cache and without; the probabilities of the tokens that were drawn.
 * @typedef {{ title: string, prompt: number, tokens: string[], first: number, windows: (number | null)[], layer: number, latent: number | null,
 *   each: number, used: number[], allocated: number[], measured: boolean, flops: [number, number][], chances: number[] }} Header
 */
/** @typedef {{ weights: Float32Array, q: Float32Array, k: Float32Array, v: Float32Array }} Arrays [T', T'] with NaN where nothing is seen, and [T',
 * D]; T' those that are drawn */
/** @typedef {import("#canvas/live.js").View<Header, Arrays, { at: number | null }>} View */

const TAIL = 38; // letters of the text so far

/** The last position read at a step; the prompt is step 0. @param {Header} header @param {number} step */
export const lastRead = ({ prompt }, step) => prompt + step - 1;

/** @param {Header} header */
export const stepsOf = ({ used }) => used.length - 1;

/**
 * Positions that a layer's buffer has room for: a ring its window, the others share what is left.
 * @param {Header} header
 * @param {number} step
 * @param {number} layer
 */
export function capacityOf({ windows, allocated, each }, step, layer) {
  if (windows[layer]) return windows[layer];
  const rings = windows.reduce((sum, window) => sum + (window ?? 0), 0);
  return Math.floor((Math.floor(allocated[step] / each) - rings) / windows.filter((window) => window === null).length);
}

/** Positions that the largest buffer has room for in the end. @param {Header} header */
export const widestOf = (header) => Math.max(...header.windows.map((_window, layer) => capacityOf(header, stepsOf(header), layer)));

/** Operations in a few letters. @param {number} count */
function briefly(count) {
  for (const [unit, size] of /** @type {[string, number][]} */ ([["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3]])) if (count >= size)
    return `${Number((count / size).toPrecision(3))} ${unit}FLOP`;
  return `${count} FLOP`;
}

/** How many times as many. @param {number} kept @param {number} again */
export function timesOf(kept, again) {
  const times = again / kept;
  return times >= 100 ? Math.round(times).toLocaleString("en") : String(Number(times.toPrecision(3)));
}

const whole = (/** @type {number} */ count) => count.toLocaleString("en");

/**
 * The lines beside a step, the first its heading.
 * @param {Header} header
 * @param {number} step
 * @returns {string[]}
 */
export function linesOf(header, step) {
  const { prompt, tokens, windows, layer, latent, used, allocated, measured, flops, chances } = header;
  const [now, window, [kept, again]] = [prompt + step, windows[layer], flops[step]];
  const before = Array.from(tokens.slice(1, step ? now - 1 : now).join("")).slice(-TAIL).join("").replaceAll("\n", "⏎");
  const line = latent ? _("a latent (c_KV, k^R)") : _("a key and a value per KV head");
  const room = capacityOf(header, step, layer);
  const sums = flops.slice(1, step + 1).reduce(([a, b], [one, other]) => [a + one, b + other], [0, 0]);
  const lines = step
    ? [
      _("Token {step} of {steps}: position {at}, probability {p}", { step, steps: stepsOf(header), at: now - 1, p: chances[step - 1].toFixed(3) }),
      `…${before}[${visible(tokens[now - 1], true)}]`,
      _("New row: its query × {kept} keys. Then the query is gone", { kept: whole(Math.min(now, window ?? now)) }),
      _("Kept: {line}, in each of {layers} layers", { line, layers: windows.length }),
    ]
    : [_("The prompt: {count} tokens, read at once", { count: whole(now) }), `…${before}`, _("{count} rows of the map", { count: whole(now) }),
      _("Kept: {count} times {line}", { count: whole(Math.min(now, window ?? now)), line })];
  const bytes = { used: whole(used[step]), room: whole(allocated[step]) };
  lines.push(measured ? _("Cache: {used} B used of {room} B allocated", bytes) : _("Cache, by formula: {used} B used of {room} B allocated", bytes));
  if (step && allocated[step] > allocated[step - 1]) lines.push(_("Full: the buffers doubled to {room} positions", { room: whole(room) }));
  else if (window && now > window) lines.push(_("Ring of {window}: slot {slot} overwritten, {gone} forgotten",
    { window, slot: (now - 1) % window, gone: now - window }));
  else lines.push(_("Room for {room} positions per layer", { room: whole(room) }));
  lines.push(step ? _("By formula {kept} with the cache, {again} without it, {times} times as many",
    { kept: briefly(kept), again: briefly(again), times: timesOf(kept, again) }) : _("By formula {again}", { again: briefly(again) }));
  if (step > 1) lines.push(_("Tokens 1 to {step} together: {times} times as many", { step, times: timesOf(...sums) }));
  return lines;
}
