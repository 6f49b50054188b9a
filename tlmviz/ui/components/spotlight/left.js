// @ts-check
// Where tours were left, as this browser remembers it: a link for each.

const LEFT = "tlmviz-tours"; // of the browser's storage

/** @returns {Record<string, string>} the link of the last step, by tour; none where the browser keeps nothing */
export function toursLeft() {
  try {
    return Object(JSON.parse(localStorage.getItem(LEFT) ?? "{}"));
  } catch {
    return {};
  }
}

/** @param {string} tour @param {string} link */
export function keepLeft(tour, link) {
  try {
    localStorage.setItem(LEFT, JSON.stringify({ ...toursLeft(), [tour]: link }));
  } catch {
    // a browser that keeps nothing: the address has the step all the same
  }
}
