// @ts-check
// Writes the browser's address: in place, or as a new entry of the history where the page shows another text, model or part.

/** @typedef {{ entry: string, part: string }} Place what an entry of the history stands for: texts and the model, and what is open of the page, as queries */
/** @typedef {Place & { query: string, whole: string, shown: string, back: boolean, time: number }} Address the query, the query with all defaults,
 * what pictures show, whether the browser is at one that was written before, and when the server said so, in seconds */
/** @typedef {Place & { path: string, since: number }} Written `since`: when the last change of a text was, in milliseconds */
/** @typedef {Window & { tlmvizLink?: { path: string, whole: string, shown: string } }} Page */

const TYPING = 2500; // milliseconds: texts that follow each other faster are one text that is being typed

/** @type {Written | undefined} */
let last;
let newest = 0; // what a fragment said earlier is shown again where it is drawn anew, and counts no more

/**
 * Whether an address begins an entry of its own: another text, model or part on the page where the last address was written, but
 * for texts that are still being typed. Back, and a page gone to, have their entry already.
 * @param {Written | undefined} before
 * @param {Place & { path: string, back: boolean }} now
 * @param {number} time
 */
export function beginsEntry(before, now, time) {
  if (!before || now.back || before.path !== now.path) return false;
  return differs(before.part, now.part) || (differs(before.entry, now.entry) && time - before.since > TYPING);
}

/**
 * Whether a field that both name has another value: parts of a page name theirs as they are drawn.
 * @param {string} before
 * @param {string} now
 */
function differs(before, now) {
  const known = new URLSearchParams(before);
  return [...new URLSearchParams(now)].some(([key, value]) => known.has(key) && known.get(key) !== value);
}

/** @param {{ data: Address }} component */
export default function ({ data }) {
  const { query, whole, entry, part, shown, back } = data;
  if (data.time < newest) return;
  newest = data.time;
  const path = location.pathname;
  const embedded = new URLSearchParams([...new URLSearchParams(location.search)].filter(([key]) => key.startsWith("embed")));
  const search = [query, embedded.toString()].filter(Boolean).join("&");
  const address = `${path}${search && `?${search}`}`;
  const [time, now] = [performance.now(), { path, entry, part, back }];
  if (beginsEntry(last, now, time)) history.pushState({}, "", address + location.hash);
  else if (address !== path + location.search) history.replaceState({}, "", address + location.hash);
  const same = last && !differs(last.entry, entry);
  last = { path, entry, part, since: same ? last.since : last?.path === path && !back ? time : -Infinity };
  /** @type {Page} */ (window).tlmvizLink = { path, whole, shown };
}
