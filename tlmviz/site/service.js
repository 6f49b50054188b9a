// @ts-check
// The service worker of a site: its pages and scripts are kept at the first visit, so that a second one needs no network.
// In front of this stands what the site is made of: a `version`, its `files`, and the folders of `models`, whose files pages keep.

const worker = /** @type {any} */ (self); // of which the types of pages know nothing
/** @type {{ version: string, files: string[], models: string[] }} */
const { version, files, models } = worker.SITE;
const scope = worker.registration.scope;
const NAME = `tlmviz ${version} ${scope}`;
const KEPT = `tlmviz models ${scope}`;

worker.addEventListener("install", (/** @type {any} */ event) => {
  const requests = files.map((file) => new Request(new URL(file, scope), { cache: "no-cache" }));
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(requests)));
});

worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(tidy()));

/** Nothing of an earlier version is left. */
async function tidy() {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith("tlmviz ") && name.endsWith(` ${scope}`) && name !== NAME && name !== KEPT);
  await Promise.all(old.map((name) => caches.delete(name)));
  const kept = await caches.open(KEPT);
  const gone = (await kept.keys()).filter(({ url }) => !models.some((folder) => url.startsWith(`${scope}${folder}/`)));
  await Promise.all(gone.map((request) => kept.delete(request)));
}

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  if (request.method === "GET" && request.url.startsWith(scope)) event.respondWith(answer(request));
});

/** @param {Request} request */
async function answer(request) {
  const cache = await caches.open(NAME);
  const { origin, pathname, search } = new URL(request.url);
  const address = origin + pathname.replace(/index\.html$/, "");
  const held = await cache.match(address);
  if (held) return held;
  const folder = request.mode === "navigate" && (await cache.match(`${address}/`));
  return folder ? Response.redirect(`${address}/${search}`) : fetch(request);
}
