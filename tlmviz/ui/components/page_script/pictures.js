// @ts-check
// Every picture of a page, as what drives it from outside asks for them.

import { captioned } from "#canvas/caption.js";
import { aboutFigure, describedSvg, offlinePage, writtenData } from "#canvas/files.js";
import { appRests } from "#canvas/leaving.js";
import { wantWhole } from "#canvas/painted.js";
import { wishing } from "#canvas/wishes.js";

/** @typedef {import("#canvas/picture.js").Picture} Picture */
/** @typedef {import("#canvas/picture.js").Figure} Figure */
/** @typedef {{ format: "svg" | "html", link: string, asShown: boolean, grey: boolean, width: number | null, height: number | null }} Wanted */

const [QUICK, SLOW] = [200, 1500]; // milliseconds that a page stands still: with all that it has, with views to come
const BEGINS = 5000; // milliseconds within which the server begins with what it is asked for
const GLANCE = 25; // milliseconds between looks at a page

/**
 * The pictures of the page that are seen, from top to bottom.
 * @param {ParentNode} [part]
 * @returns {Picture[]}
 */
const picturesIn = (part = document) => placedPictures(part).map(([picture]) => picture);

/**
 * The same, each with the element of the page that holds it.
 * @param {ParentNode} part
 * @param {Element} [host] of the part, where it is one's insides
 * @returns {[Picture, Element][]}
 */
function placedPictures(part, host) {
  return [...part.querySelectorAll("*")].flatMap((element) => {
    const own = /** @type {import("#canvas/picture.js").Anchor} */ (element).tlmvizPicture;
    const place = host ?? element.closest(".stPlotlyChart") ?? element;
    if (own) return element.getClientRects().length ? [[own, place]] : [];
    return element.shadowRoot ? placedPictures(element.shadowRoot, place) : [];
  });
}

/** The element of the page that holds the picture which stands for it; null where there is none. */
export function mainElement() {
  const placed = placedPictures(document);
  return (placed.find(([{ main }]) => main) ?? placed[0])?.[1] ?? null;
}

/**
 * A figure of another size: scaled, or in the middle where both sides are asked for.
 * @param {Figure} figure
 * @param {number | null} wide
 * @param {number | null} high
 * @returns {Figure}
 */
function resized(figure, wide, high) {
  const width = wide ?? (high ? (figure.width * high) / figure.height : figure.width);
  const height = high ?? (figure.height * width) / figure.width;
  const svg = figure.svg.replace(/<svg\b[^>]*>/, (tag) => tag.replace(/ width="[^"]*"/, ` width="${width}"`).replace(/ height="[^"]*"/, ` height="${height}"`));
  return { ...figure, svg, width, height };
}

let begins = Promise.resolve(); // until the server has begun with the link that the page was sent to last

/**
 * Until the server begins to draw the page; watched from when it is asked on, as it may be done before anybody looks.
 * @returns {Promise<void>}
 */
function beginning() {
  return new Promise((done) => {
    const end = () => {
      watch.disconnect();
      done();
    };
    const watch = new MutationObserver(() => appRests() || end());
    watch.observe(document.body, { subtree: true, attributes: true, attributeFilter: ["data-test-script-state"] });
    setTimeout(end, BEGINS);
  });
}

/** Whether the server has drawn the page and nothing is on its way. */
function isIdle() {
  if (!appRests() || document.querySelector('[data-stale="true"], [data-testid="stSkeleton"], [data-testid="stSpinner"]')) return false;
  return [...document.querySelectorAll(".stPlotlyChart")].every((chart) => chart.querySelector(".main-svg"));
}

const viewRoots = () => [...document.querySelectorAll('[data-testid="stBidiComponentIsolated"]')].map(({ shadowRoot }) => shadowRoot);

/** Whether a part of the page below its pictures has not arrived. */
const awaitsPart = () => viewRoots().some((root) => root?.querySelector("[data-below]:not([data-below=done])"));

/** How many views have nothing in them yet; one may stay so, where its page has nothing to show in it. */
function countBlank() {
  return viewRoots().filter((root) => !root || (root.childElementCount < 2 && !root.querySelector("i[hidden]"))).length;
}

/**
 * Wait until all that a page shows is there; at most `patience` milliseconds.
 * @param {number | string | null} wanted a picture that may come below others, once they are painted
 * @param {number} patience
 * @returns {Promise<boolean>} whether it stands still
 */
async function standStill(wanted, patience) {
  const begun = performance.now();
  await begins;
  let [before, since] = ["", begun];
  for (let now = begun; now - begun < patience; now = performance.now()) {
    const blank = countBlank();
    const state = isIdle() && !(wanted !== null && awaitsPart()) ? [blank, location.search, document.getElementsByTagName("*").length].join() : "";
    if (!state || state !== before) [before, since] = [state, now];
    else if (now - since > SLOW || (now - since > QUICK && !blank && (wanted === null || place(picturesIn(), wanted) >= 0))) return true;
    await pause(GLANCE);
  }
  return false;
}

const pause = (/** @type {number} */ milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/** Whether the app's menu does not name the page that the address does; to Streamlit the page before stays then. */
function isLost() {
  if ([...document.querySelectorAll('[role="dialog"]')].some((dialog) => dialog.textContent?.includes("Page not found"))) return true;
  const entries = [...document.querySelectorAll('[data-testid="stSidebarNavLink"]')].map(
    (entry) => new URL(/** @type {HTMLAnchorElement} */ (entry).href).pathname);
  return entries.length > 0 && !entries.includes(location.pathname);
}

/**
 * Which picture is wanted: by its number from 1, by a part of its title, or the one that stands for the page; -1 where it is not there.
 * @param {Picture[]} among
 * @param {number | string | null} wanted
 */
function place(among, wanted) {
  if (typeof wanted === "string") return among.findIndex((picture) => picture.figure().title.toLowerCase().includes(wanted.toLowerCase()));
  const index = wanted === null ? Math.max(0, among.findIndex((picture) => picture.main)) : wanted - 1;
  return index < among.length ? index : -1;
}

/** What drives a page from outside, `tlmviz shot`, asks here for its pictures. */
export const pictures = {
  /**
   * Go to another link of the app, as along a card: nothing is loaded anew.
   * @param {string} address
   */
  follow(address) {
    history.pushState({}, "", address);
    dispatchEvent(new PopStateEvent("popstate"));
    begins = beginning();
  },
  /**
   * What the page shows once it stands still: the titles of its pictures, which of them is asked for or else stands for the
   * page (-1: none), its address, what it says went wrong, whether the server has no such page,
   * and whether it stands still at all.
   * @param {number | string | null} wanted
   * @param {number} patience
   */
  async settled(wanted, patience) {
    if (wanted !== null) wantWhole();
    const done = await standStill(wanted, patience);
    const there = picturesIn();
    const alerts = document.querySelectorAll('[data-testid="stAlertContainer"], [data-testid="stException"]');
    return {
      titles: there.map((picture) => picture.figure().title),
      index: place(there, wanted),
      address: location.href,
      said: alerts[0]?.textContent?.trim() ?? "",
      lost: isLost(),
      done,
    };
  },
  /** Whether a picture is the one that stands for its page. @param {Picture} picture */
  standsForPage(picture) {
    const there = picturesIn();
    return there[place(there, null)] === picture;
  },
  /**
   * A picture as a file.
   * @param {number} index
   * @param {Wanted} wanted
   */
  file(index, { format, link, asShown, grey, width, height }) {
    const picture = picturesIn()[index];
    const figure = resized(wishing({ grey, width }, () => captioned(picture.figure(asShown))), width, height);
    const about = aboutFigure(picture, figure, link);
    const text = format === "html" ? offlinePage(figure, writtenData(picture.data()), about) : describedSvg(figure, about);
    return { ...about, text, width: figure.width, height: figure.height };
  },
};
