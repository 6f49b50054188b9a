// @ts-check
// What heads are called by what they measurably do on this text. Free of the DOM.

/** @typedef {import("./types").Header} Header */
/** @typedef {import("./types").Tag} Tag */

/**
 * The tags that hold for a head with what was measured, the most telling first.
 * @param {Header} header
 * @param {number} index of the head
 * @returns {{ tag: Tag, value: number }[]}
 */
export function tagsOf(header, index) {
  const { table = [], values = [] } = header.tags ?? {};
  return table.flatMap((tag, k) => {
    const value = values[k][index];
    return value !== null && value >= tag.least ? [{ tag, value }] : [];
  });
}

/**
 * How many heads have each tag, those without a head left out.
 * @param {Header} header
 * @returns {{ tag: Tag, count: number }[]}
 */
export function tagCounts(header) {
  const { table = [], values = [] } = header.tags ?? {};
  return table
    .map((tag, k) => ({ tag, count: values[k].filter((value) => value !== null && value >= tag.least).length }))
    .filter(({ count }) => count);
}

/**
 * Which heads have the tag that a search names; null where it names none.
 * @param {Header} header
 * @param {string} find
 * @returns {((index: number) => boolean) | null}
 */
export function tagged(header, find) {
  const name = find.trim().toLowerCase();
  const k = header.tags?.table.findIndex((tag) => name === tag.name || name === tag.label) ?? -1;
  if (k < 0) return null;
  const { table, values } = /** @type {NonNullable<Header["tags"]>} */ (header.tags);
  return (i) => values[k][i] !== null && values[k][i] >= table[k].least;
}
