// @ts-check
// Whether a view's page has been left. What a view still asks for then would run after the new page, as a run of the old one:
// Streamlit's browser would take it for the way back, clear the new page, and fail at the next part that comes for it.

const ARRIVES = 3000; // milliseconds after which a link was not followed after all, if the app rests by then

/** @typedef {Window & { tlmvizLeft?: number }} Page when another page was last gone to, as performance.now() counts */

let here = location.pathname;

/** @param {string} path of the page gone to */
function goingTo(path) {
  if (path !== here) /** @type {Page} */ (window).tlmvizLeft = performance.now();
  here = path;
}

/**
 * Note that a link within the app was followed in this tab.
 * @param {MouseEvent} event
 */
export function noteLink(event) {
  const link = event.target instanceof Element && event.target.closest("a");
  if (!(link instanceof HTMLAnchorElement) || !["", "_self"].includes(link.target) || link.origin !== location.origin) return;
  if (!event.button && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey) goingTo(link.pathname);
}

/** Note that the browser went back or on. */
export const noteBack = () => goingTo(location.pathname);

/** Whether the server has done all that it was asked for. */
export const appRests = () => !!document.querySelector('[data-test-script-state="notRunning"]');

/**
 * Whether the page is being left that something was made for.
 * @param {number} born when it was made, as performance.now() counts
 */
export function isLeft(born) {
  const left = /** @type {Page} */ (window).tlmvizLeft ?? -Infinity;
  return left > born && (performance.now() - left < ARRIVES || !appRests());
}
