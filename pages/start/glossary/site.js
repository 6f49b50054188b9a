// @ts-check
// The glossary on a static site: terms lead to the pages that the site has.

import { _ } from "#canvas/language.js";
import { asked, given, link, placed, say } from "#site/frame.js";
import view from "./view.js";

/** @typedef {{ name: string, aliases: string[], text: string, pages: { title: string, count: number, path: string }[] }} Entry */

const entries = /** @type {Entry[]} */ (given.own.entries);
const wanted = (asked.get("term") ?? "").trim().slice(0, 60);
const lit = entries.find(({ name, aliases }) => [name, ...aliases].some((form) => form.toLowerCase() === wanted.toLowerCase()));
if (wanted && !lit) say(_("No term is called “{asked}”; search among the {count} that there are.", { asked: wanted, count: entries.length }));

const show = placed("glossary", view, ({ text }) => {
  say("");
  link({ gfind: text || null, term: null });
});
show({
  entries: entries.map((entry) => ({
    ...entry, link: `?term=${encodeURIComponent(entry.name)}`, shown: /** @type {null} */ (null), lessons: /** @type {any[]} */ ([]),
    pages: entry.pages.filter(({ path }) => given.pages.includes(path)).map(({ title, count, path }) => ({ title, count, link: `${given.root}${path}/` })),
  })),
  find: (asked.get("gfind") ?? "").slice(0, 60), term: lit?.name ?? "", lang: "en",
});
