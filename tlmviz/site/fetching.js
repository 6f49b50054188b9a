// @ts-check
// Models, which are fetched once and kept in the browser.

import { EngineError } from "#browser/errors.js";
import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { element, given, root } from "#site/frame.js";

const LARGE = 8e6; // bytes: a model of more is fetched when somebody says so
const MEMORY = 5; // times its file that such a model takes while it is read
const PAINT = 50; // milliseconds until what was said is on the screen

/** The text in a file's bytes. @param {Uint8Array} bytes */
export const textOf = (bytes) => new TextDecoder().decode(bytes);

/**
 * A model, by a function that makes it of the texts and bytes of its files. A file is fetched once and kept in the browser, a large
 * one when somebody asks for it.
 * @template T
 * @param {string} name
 * @param {(files: Record<string, Uint8Array>) => T} load
 * @returns {Promise<T>}
 * @throws EngineError where a file cannot be fetched, arrives cut, or is damaged, or memory ends
 */
export async function opened(name, load) {
  if (!given.models[name]) throw new EngineError(_("This page needs {model}, which this site was written without.", { model: name }));
  const status = element("status");
  status.replaceChildren(); // a button for another model that nobody pressed
  const { folder, files } = given.models[name];
  const kept = globalThis.caches ? await caches.open(`tlmviz models ${root.href}`) : null; // not where the site is no secure origin
  const asked = await Promise.all(Object.entries(files).map(async ([file, bytes]) => {
    const address = new URL(`${folder}/${file}`, root).href;
    return { file, bytes, address, held: await kept?.match(address) };
  }));
  const missing = asked.filter(({ held }) => !held);
  const bytes = missing.reduce((sum, file) => sum + file.bytes, 0);
  const unlock = bytes > LARGE ? await pressed(name, bytes) : () => {};
  try {
    const all = /** @type {Record<string, Uint8Array>} */ ({});
    for (const { file, bytes, address, held } of asked) {
      all[file] = held ? new Uint8Array(await held.arrayBuffer()) : await fetched(name, address, bytes, kept ? "no-store" : "default");
      if (bytes > LARGE) {
        status.textContent = _("Reading {model} …", { model: name });
        await new Promise((resolve) => setTimeout(resolve, PAINT));
      }
    }
    const model = load(all);
    // what could not be loaded is not kept, so that the next visit fetches it again
    // no room: fetched again
    for (const { file, address } of missing) await kept?.put(address, new Response(/** @type {BlobPart} */ (all[file]))).catch(() => {});
    return model;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // arrays throw it where memory ends
    throw new EngineError(_("{model} needs more memory than there is; close other tabs, or choose a smaller model.", { model: name }));
  } finally {
    status.textContent = "";
    unlock();
  }
}

/**
 * Ask whether to fetch a large model, and wait for the button. The menu of models is locked from then on until `unlock` is called.
 * @param {string} name
 * @param {number} bytes
 * @returns {Promise<() => void>} `unlock`
 */
function pressed(name, bytes) {
  const size = (bytes / 1e6).toFixed(0);
  return new Promise((resolve) => {
    const press = () => {
      const menu = /** @type {HTMLSelectElement | null} */ (element("model"));
      if (menu) menu.disabled = true;
      resolve(() => {
        if (menu) menu.disabled = false;
      });
    };
    const memory = 100 * Math.ceil((bytes * MEMORY) / 1e8);
    const says = _("It is fetched once and kept in this browser. Reading it takes seconds and about {memory} MB of memory.", { memory });
    element("status").replaceChildren(make("button", { type: "button", textContent: _("Fetch {model}, {size} MB", { model: name, size }), onclick: press }),
      ` ${says}`);
  });
}

/**
 * @param {string} name
 * @param {string} address
 * @param {number} size bytes that it has
 * @param {RequestCache} cache of the browser: one that holds a file that was cut would hand it over again
 */
async function fetched(name, address, size, cache) {
  const answer = await fetch(address, { cache }).catch(() => /** @type {null} */ (null));
  if (!answer?.ok) throw new EngineError(_("{model} could not be fetched ({why}); connect to the network and reload, then it is kept here.",
    { model: name, why: answer ? answer.status : _("no connection") }));
  const bytes = new Uint8Array(size);
  const reader = answer.body.getReader();
  let count = 0;
  for (;;) {
    const part = await reader.read().catch(() => /** @type {null} */ (null));
    if (!part || part.done) break;
    const { value } = part;
    if (count + value.length <= size) bytes.set(value, count);
    count += value.length;
    if (size > 1e6) element("status").textContent = _("Fetching {model}, once: {part} of {whole} MB",
      { model: name, part: (count / 1e6).toFixed(1), whole: (size / 1e6).toFixed(1) });
  }
  if (count === size) return bytes;
  throw new EngineError(_("A file of {model} arrived with {count} of {size} bytes; reload the page.",
    { model: name, count: count.toLocaleString("en"), size: size.toLocaleString("en") }));
}
