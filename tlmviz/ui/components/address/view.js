// @ts-check
// Writes the browser's address: in place, or as a new entry of the history where the page shows another text or model.

/** @typedef {{ query: string, whole: string, entry: string, shown: string, back: boolean, time: number }} Address the query, the query with all defaults, what an entry stands for, what pictures show, whether the browser is at one that was written before, and when the server said so, in seconds */
/** @typedef {{ path: string, entry: string, typed: number }} Written `typed`: when the last change of an entry was, in milliseconds */
/** @typedef {Window & { tlmvizLink?: { path: string, whole: string, entry: string, shown: string } }} Page */

const TYPING = 2500; // milliseconds: texts that follow each other faster are one text that is being typed

/** @type {Written | undefined} */
let last;
let newest = 0; // what a fragment said earlier is shown again where it is drawn anew, and counts no more

/**
 * Whether an address begins an entry of its own: another text or model on the page where the last address was written, but for
 * texts that are still being typed. Back, and a page gone to, have their entry already.
 * @param {Written | undefined} before
 * @param {{ path: string, entry: string, back: boolean }} now
 * @param {number} time
 */
export function beginsEntry(before, now, time) {
  if (!before || now.back || before.path !== now.path || before.entry === now.entry) return false;
  return time - before.typed > TYPING;
}

/** @param {{ data: Address }} component */
export default function ({ data }) {
  const { query, whole, entry, shown, back } = data;
  if (data.time < newest) return;
  newest = data.time;
  const path = location.pathname;
  const embedded = new URLSearchParams([...new URLSearchParams(location.search)].filter(([key]) => key.startsWith("embed")));
  const search = [query, embedded.toString()].filter(Boolean).join("&");
  const address = `${path}${search && `?${search}`}`;
  const [now, same] = [performance.now(), last?.entry === entry];
  if (beginsEntry(last, { path, entry, back }, now)) history.pushState({}, "", address + location.hash);
  else if (address !== path + location.search) history.replaceState({}, "", address + location.hash);
  last = { path, entry, typed: same ? last.typed : last?.path === path && !back ? now : -Infinity };
  /** @type {Page} */ (window).tlmvizLink = { path, whole, entry, shown };
}
