// @ts-check
// Cards of a page's gallery and of lessons: links into the app itself, which the open session follows.

const KEPT = ["guess", "read"]; // the switch Guess first and the reading level are kept wherever a card leads

/** Where a card leads. @param {HTMLAnchorElement} card */
function target(card) {
  const to = new URL(card.href);
  const from = new URLSearchParams(location.search);
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
