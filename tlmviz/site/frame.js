// @ts-check
// What every page of the site has: what it was given, its link, its menu of models, and the place of its picture.

import { BadText, EngineError } from "#browser/errors.js";
import { debounce, make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";

/** @typedef {{ folder: string, files: Record<string, number>, task: string, says: string }} Model where it lies, its files with their bytes, and what it is */
/** @typedef {{ root: string, title: string, colors: import("#canvas/theme.js").Palette, accent: { light: string, dark: string }, models: Record<string,
 * Model>, controls: Record<string, any>, styles: Record<string, string>, pages: string[], own: any }} Given */

const WAIT = 300; // milliseconds without a change until the link says it
const TYPING = 2500; // milliseconds: choices that follow each other faster are one
const CARRIED = ["text", "english"]; // what pages share, by its key in links
const LONGEST = 4000; // characters of a value that a link says: longer links are refused by some hosts
const DARK = matchMedia("(prefers-color-scheme: dark)");

/** @param {string} id */
export const element = (id) => document.getElementById(id);

/** @type {Given} */
export const given = JSON.parse(element("data").textContent);
export const root = new URL(given.root, location.href);
const HERE = given.root === "./" ? `${root.pathname}start/` : location.pathname; // the site's first address with a text is Explorer's

/** The link that the page was opened by. */
export const asked = new URLSearchParams(location.search);

/** What is wrong, in a sentence; empty where nothing is. @param {string} problem */
export function say(problem) {
  element("problem").textContent = problem;
}

/**
 * Say where a link asks for a part of its page that only the app has.
 * @param {string} key in the link
 * @param {string} part that is here
 */
export function onlyPart(key, part) {
  const said = asked.get(key);
  if (said === null || said === part) return;
  element("view").before(make("p", { className: "part", textContent: _(
    "The link asks for “{said}”, which only the app has on this page; here is “{part}”.", { said: said.slice(0, 40), part }) }));
}

/** The accent of the theme in force. */
export const accent = () => given.accent[DARK.matches ? "dark" : "light"];

/**
 * Do what may end in a sentence for the reader. The picture of a text that cannot be read is that of the text before: it fades.
 * @param {() => any} work
 */
export async function attempt(work) {
  const fade = (/** @type {boolean} */ old) => document.body.toggleAttribute("data-ahead", old);
  try {
    say("");
    fade(false);
    return await work();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    say(error.message);
    fade(error instanceof BadText);
    return null;
  }
}

// --- the link -----------------------------------------------------------------------------------------

/** @type {Map<string, string | null>} */
const unsaid = new Map();
let [begins, typed, walked] = [false, -Infinity, false]; // an entry of the history; when the last began; a picture is walked in
let written = location.pathname + location.search;
let touched = false; // somebody did something here: what a page opens with is no choice
for (const type of ["pointerdown", "keydown", "input", "change"]) addEventListener(type, () => (touched = true), { capture: true, once: true });
const write = debounce(() => {
  const query = new URLSearchParams(location.search);
  for (const [key, value] of unsaid) {
    if (value === null || value.length > LONGEST) query.delete(key);
    else query.set(key, value);
  }
  unsaid.clear();
  const address = query.size ? `${HERE}?${query}` : location.pathname;
  const chosen = begins;
  begins = false;
  if (address === written) return;
  const fresh = chosen && performance.now() - typed > TYPING;
  if (chosen) typed = performance.now();
  written = address;
  history[fresh ? "pushState" : "replaceState"](null, "", address);
}, WAIT);

/**
 * Say values in the link; null takes one out. What somebody chose is a new entry of the history, so that Back undoes it, but for
 * where they are in a picture, and for choices that follow each other as fast as typing.
 * @param {Record<string, string | null>} values
 * @param {boolean} [chosen] whether somebody chose them
 */
export function link(values, chosen = touched && !walked) {
  for (const [key, value] of Object.entries(values)) unsaid.set(key, value);
  begins ||= chosen;
  write();
  for (const key of CARRIED) if (key in values) carry(key, values[key]);
}

/**
 * Take a text along to the pages that read it: their links name it.
 * @param {string} key of the text in links
 * @param {string | null} text
 */
function carry(key, text) {
  for (const anchor of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll(`a[data-carries="${key}"]`))) {
    const address = new URL(anchor.href);
    address.search = text === null || text.length > LONGEST ? "" : `?${new URLSearchParams({ [key]: text })}`;
    anchor.href = address.href;
  }
  try {
    sessionStorage.setItem(`tlmviz ${key}`, text ?? "");
  } catch {} // a browser that keeps nothing: pages without a text do not take one along
}

/** What pages in between were told. @param {string} key */
function remembered(key) {
  try {
    return sessionStorage.getItem(`tlmviz ${key}`) || null;
  } catch {
    return null;
  }
}

for (const anchor of document.links) anchor.href = anchor.href; // as it is from here, whatever the address will be
for (const key of CARRIED) carry(key, asked.get(key) ?? remembered(key));
addEventListener("popstate", () => {
  if (location.pathname + location.search !== written) location.reload(); // a page is what its link says
});

// --- models -------------------------------------------------------------------------------------------

/**
 * The names of the models of a task, a given one first where it is here.
 * @param {string} task
 * @param {string} first
 */
export function namesOf(task, first) {
  const names = Object.keys(given.models).filter((name) => given.models[name].task === task);
  return names.includes(first) ? [first, ...names.filter((name) => name !== first)] : names;
}

/**
 * A menu of some models, the link's chosen, and what `open` makes of the chosen one, now and at each change.
 * @param {string} key in the link
 * @param {string[]} names the default first
 * @param {(name: string) => Promise<any>} open
 */
export async function modelMenu(key, names, open) {
  if (!names.length) return say(_("No model of this page is on this site; it was written without one."));
  const said = asked.get(key) ?? names[0];
  const unknown = names.includes(said) ? "" : _("There is no model “{said}” on this site; it has {names}. This is {shown}.",
    { said: said.slice(0, 60), names: names.join(", "), shown: names[0] });
  const select = make("select", { id: "model", "aria-label": _("Model") }, ...names.map((name) => make("option", { value: name, textContent: name })));
  const says = make("span", { className: "says" });
  let shown = select.value = unknown ? names[0] : said;
  const choose = async () => {
    const name = select.value;
    const done = await attempt(async () => (await open(name), true));
    if (done) shown = name;
    select.value = shown;
    says.textContent = given.models[shown].says;
  };
  says.textContent = given.models[shown].says;
  select.addEventListener("change", async () => {
    await choose();
    link({ [key]: shown === names[0] ? null : shown });
  });
  element("models").replaceChildren(select, says);
  await choose();
  if (unknown && !element("problem").textContent) say(unknown);
}

// --- the picture --------------------------------------------------------------------------------------

/** The style of a view, by the name of its folder, and of what is around it. @param {string} name */
export const styleOf = (name) => given.styles[""] + (given.styles[name] ?? "");

/**
 * A place for a view of the app, in a shadow root with its style. Returns what shows data there.
 * @param {string} name of its folder
 * @param {(component: any) => any} view the default export of its view.js
 * @param {(left: any) => void} [left] called with where the user leaves the picture
 * @param {string} [id] of the element that it is placed in
 */
export function placed(name, view, left = () => {}, id = "view") {
  const host = make("div", { className: "host" });
  element(id).attachShadow({ mode: "open" }).append(make("style", { textContent: styleOf(name) }), host);
  let shown = /** @type {any} */ (null);
  const component = { parentElement: host, setTriggerValue: () => {}, setStateValue: (/** @type {string} */ _name, /** @type {any} */ state) => left(state) };
  const show = (/** @type {any} */ data) => view({ ...component, data: (shown = data) });
  DARK.addEventListener("change", () => setTimeout(() => (shown ? show(shown) : undefined))); // when the style of the other theme counts
  return show;
}

/**
 * `placed` for a view of the kit: what it is shown is a header and arrays as the page's Python sends them, and where the user is.
 * @param {string} name
 * @param {(component: any) => any} view
 * @param {(place: any) => void} [moved]
 * @param {string} [id]
 */
export function picture(name, view, moved = () => {}, id = undefined) {
  let [seq, count] = [0, 0];
  const show = placed(name, view, ({ seq: number, ...place }) => {
    seq = number;
    walked = true;
    moved(place);
    walked = false;
  }, id);
  return (/** @type {any} */ header, /** @type {Record<string, any>} */ arrays = {}, /** @type {any} */ state = {}) => {
    count += 1;
    show({ header: { colors: given.colors, ...header, state, seq, content: count, picture: count, lang: "en" }, arrays });
  };
}

document.documentElement.toggleAttribute("data-alone", asked.get("embed") === "picture");
element("waiting").remove();
navigator.serviceWorker?.register(new URL("service.js", root).href).catch(() => {}); // without one the site needs its host
