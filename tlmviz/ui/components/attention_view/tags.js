// @ts-check
// What heads are called by what they measurably do on this text. Free of the DOM.

/** @typedef {import("./types").Header} Header */
/** @typedef {import("./types").Tag} Tag */

/**
 * Whether a tag holds for a head: what was measured is enough, and over enough queries.
 * @param {NonNullable<Header["tags"]>} tags
 * @param {number} k of the tag
 * @param {number} index of the head
 */
function holds({ table, values, counts }, k, index) {
  const value = values[k][index];
  return value !== null && value >= table[k].least && counts[k] >= table[k].fewest;
}

/**
 * The tags that hold for a head with what was measured, the most telling first.
 * @param {Header} header
 * @param {number} index of the head
 * @returns {{ tag: Tag, value: number, count: number }[]}
 */
export function tagsOf({ tags }, index) {
  return tags?.table.flatMap((tag, k) => (holds(tags, k, index) ? [{ tag, value: tags.values[k][index], count: tags.counts[k] }] : [])) ?? [];
}

/**
 * How many heads have each tag, those without a head left out.
 * @param {Header} header
 * @returns {{ tag: Tag, count: number }[]}
 */
export function tagCounts({ tags }) {
  const counted = tags?.table.map((tag, k) => ({ tag, count: tags.values[k].filter((_, index) => holds(tags, k, index)).length }));
  return counted?.filter(({ count }) => count) ?? [];
}

/**
 * Which heads have the tag that a search names; null where it names none.
 * @param {Header} header
 * @param {string} find
 * @returns {((index: number) => boolean) | null}
 */
export function tagged({ tags }, find) {
  const name = find.trim().toLowerCase();
  const k = tags?.table.findIndex((tag) => name === tag.name || name === tag.label) ?? -1;
  return k < 0 ? null : (index) => holds(tags, k, index);
}
