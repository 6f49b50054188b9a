// @ts-check
// Cards of a page's gallery: links to the page itself, which the open session follows.

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
  history.pushState({}, "", card.href);
  dispatchEvent(new PopStateEvent("popstate"));
  card.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true })); // the gallery closes
}
