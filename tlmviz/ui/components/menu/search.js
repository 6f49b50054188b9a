// @ts-check
// What a search finds, the nearest first.

/** @typedef {{ kind: string, title: string, says: string, to: string, names?: string[] }} Found `names`: other names of it */

const MOST = 12; // that are shown
const FAR = 9; // a place in the order behind all others: not found

/**
 * How near a word is to a text: 0 the text itself, 1 its beginning, 2 the beginning of one of its words, 3 within it.
 * @param {string} word in lower case
 * @param {string} text
 */
function nearness(word, text) {
  const within = text.toLowerCase();
  if (within === word) return 0;
  const at = within.indexOf(word);
  if (at < 1) return at ? FAR : 1;
  return new RegExp(`(?<![\\p{L}\\p{N}])${word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`, "u").test(within) ? 2 : 3;
}

/**
 * How near a search is to what may be found: by the worst of its words. What only its sentence says comes last.
 * @param {string} asked
 * @param {Found} found
 */
function distance(asked, { title, names = [], says }) {
  const near = (/** @type {string} */ word) => Math.min(nearness(word, title), ...names.map((name) => nearness(word, name)), 4 + nearness(word, says));
  return Math.min(near(asked), Math.max(...asked.split(/\s+/).map((word) => Math.min(FAR, near(word)))));
}

/**
 * @param {string} asked as it was typed
 * @param {Found[]} index
 * @returns {Found[]} those that have every word of the search, the nearest first, and the first of the index among equals
 */
export function search(asked, index) {
  const words = asked.trim().toLowerCase();
  if (!words) return [];
  const near = index.map((found) => ({ found, at: distance(words, found) })).filter(({ at }) => at < FAR);
  return near.sort((a, b) => a.at - b.at).slice(0, MOST).map(({ found }) => found);
}

/**
 * Terms as they are found: each meaning once, under its first form.
 * @param {Record<string, string>} words form -> meaning; empty for words that are not explained
 * @param {string} page the path of the page that explains the term of its link
 * @returns {Found[]}
 */
export function termsOf(words, page) {
  /** @type {Map<string, string[]>} */
  const forms = new Map();
  for (const [form, says] of Object.entries(words)) if (says) forms.set(says, [...(forms.get(says) ?? []), form]);
  return [...forms].map(([says, [title, ...names]]) => ({ kind: "term", title, says, names, to: `${page}?${new URLSearchParams({ term: title })}` }));
}
