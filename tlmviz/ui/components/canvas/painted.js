// @ts-check
// Tells the rest of the page that a live picture has been painted: what is below it waits for that.

const EVENT = "tlmviz:painted";

/** @typedef {Window & { tlmvizPainted?: number, tlmvizWhole?: boolean }} Page the number of the picture painted last; `wantWhole` */

/**
 * Announce a picture once the browser has had a frame to draw it in.
 * @param {number} picture its number, as the server counts them
 */
export function announcePicture(picture) {
  requestAnimationFrame(() =>
    setTimeout(() => {
      /** @type {Page} */ (window).tlmvizPainted = picture;
      window.dispatchEvent(new Event(EVENT));
    }),
  );
}

/** The number of the picture that was painted last; 0 before any was. */
export function paintedPicture() {
  return /** @type {Page} */ (window).tlmvizPainted ?? 0;
}

/**
 * Call `action` after every announcement. Returns what ends that.
 * @param {() => void} action
 */
export function onPainted(action) {
  window.addEventListener(EVENT, action);
  return () => window.removeEventListener(EVENT, action);
}

/** From now on what lies below the window is asked for as well: a part of it is wanted as a file. */
export function wantWhole() {
  /** @type {Page} */ (window).tlmvizWhole = true;
  window.dispatchEvent(new Event(EVENT));
}

/** Whether `wantWhole` was called. */
export const wantsWhole = () => !!(/** @type {Page} */ (window).tlmvizWhole);
