// @ts-check
// Where lessons were left, as this browser remembers it: a link for each.

const LEFT = "tlmviz-lessons"; // of the browser's storage

/** @returns {Record<string, string>} the link of the scene that was seen last, by lesson; none where the browser keeps nothing */
export function lessonsLeft() {
  try {
    return Object(JSON.parse(localStorage.getItem(LEFT) ?? "{}"));
  } catch {
    return {};
  }
}

/** @param {string} lesson @param {string} link */
export function keepLeft(lesson, link) {
  try {
    const { [lesson]: _before, ...others } = lessonsLeft();
    localStorage.setItem(LEFT, JSON.stringify({ ...others, [lesson]: link })); // the one that was left last stands last
  } catch {
    // a browser that keeps nothing: the address has the scene all the same
  }
}
