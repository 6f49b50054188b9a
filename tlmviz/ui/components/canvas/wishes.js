// @ts-check
// How pictures are wished for as files.

/**
 * Of all pictures, until the app is left: whether a file has the page's sentence and a ground of its own, whether its colours can be told
 * apart without colour, and how wide it may be laid out at most, in pixels; null as wide as it likes.
 * @typedef {{ sentence: boolean, transparent: boolean, grey: boolean, width: number | null }} Wishes
 */

const wishes = /** @type {{ tlmvizWishes?: Wishes }} */ (globalThis); // one for all modules: a view's bundle has its own copy of this file

/** @returns {Wishes} */
export const fileWishes = () => (wishes.tlmvizWishes ??= { sentence: false, transparent: false, grey: false, width: null });

/**
 * What `draw` returns while pictures are wished for otherwise.
 * @template Result
 * @param {Partial<Wishes>} others
 * @param {() => Result} draw
 */
export function wishing(others, draw) {
  const before = { ...fileWishes() };
  Object.assign(fileWishes(), others);
  try {
    return draw();
  } finally {
    Object.assign(fileWishes(), before);
  }
}
