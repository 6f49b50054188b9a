// @ts-check
// Cards of a page's gallery and steps of a tour: links into the app itself, which the open session follows.

const TOUR = ["tour", "tourstep", "told", "room"]; // a card of a gallery stays on the tour that is on
const KEPT = ["guess", "read"]; // the switch Guess first and the reading level are kept wherever a card leads

/**
 * Where a card leads. `data-card` says what it is: "step" a link that is whole, "leave" the page as it is without its tour,
 * else a card of a gallery, which keeps the tour. All of them keep KEPT.
 * @param {HTMLAnchorElement} card
 */
function target(card) {
  const leaves = card.dataset.card === "leave";
  const to = new URL(leaves ? location.href : card.href);
  const from = new URLSearchParams(location.search);
  for (const key of TOUR) {
    if (leaves) to.searchParams.delete(key);
    else if (!card.dataset.card && from.has(key)) to.searchParams.set(key, from.get(key) ?? "");
  }
  for (const key of KEPT) if (from.has(key) && !to.searchParams.has(key)) to.searchParams.set(key, from.get(key) ?? "");
  return to.href;
}

/**
 * A card is a link like any other, and opened in a new tab it is one. A plain click need not load the app anew: to Streamlit
 * it is the browser going to another entry of its history, which sets every control to what the address says.
 * @param {MouseEvent} event
 */
export function followCard(event) {
  const card = event.target instanceof Element && event.target.closest("a[data-card]");
  if (!(card instanceof HTMLAnchorElement) || event.button) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  history.pushState({}, "", target(card));
  dispatchEvent(new PopStateEvent("popstate"));
  card.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true })); // the gallery closes
}
