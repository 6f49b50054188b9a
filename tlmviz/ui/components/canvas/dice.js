// @ts-check
// Random numbers that a seed decides. Free of the DOM.

/**
 * A number from 0 to below 1 for every call, the same ones for the same seed (mulberry32).
 * @param {number} seed
 * @returns {() => number}
 */
export function dice(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
