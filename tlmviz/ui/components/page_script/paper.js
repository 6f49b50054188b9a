// @ts-check
// A page on paper is laid out as it was seen, and made as much smaller as a sheet asks for: no picture is drawn anew.

const SHEET = 186 * (96 / 25.4); // CSS pixels across an A4 sheet within its margins of 12 mm

/** Before the browser lays the page out for paper. */
export function preparePaper() {
  const seen = document.querySelector(".stMainBlockContainer");
  if (!seen) return;
  const { style, classList } = document.documentElement;
  // what scrolls sideways is printed whole
  const width = Math.max(seen.clientWidth, ...[...seen.querySelectorAll("[class*='st-key-']")].map(({ scrollWidth }) => scrollWidth));
  style.setProperty("--seen-width", `${width}px`);
  style.setProperty("--paper-zoom", String(Math.min(1, SHEET / width)));
  classList.toggle("tlmviz-dark", getComputedStyle(document.querySelector(".stApp")).colorScheme === "dark");
}
