// @ts-check
// In a frame of another page (`?embed=picture`) there is the picture that stands for the page, alive, below the sentence about it.

import { mainElement } from "./pictures.js";

// The address that the document came with, too: by now the page may have written one of its own, which does not say it.
const BEGAN = [performance.getEntriesByType("navigation")[0]?.name ?? location.href, location.href];
const IS_ALONE = BEGAN.some((address) => new URL(address).searchParams.get("embed") === "picture");
const BESIDE = "data-tlmviz-kept"; // on what is kept and on all that it stands in

const AGAIN = 200; // milliseconds between two looks for a picture: views paint inside, where nobody is told

let waiting = 0;

/** Keep the page's first sentence and its picture, and hide what stands beside them; a page without a picture stays whole. */
export function showAlone() {
  if (!IS_ALONE) return;
  clearTimeout(waiting);
  const picture = mainElement();
  if (!picture) {
    waiting = setTimeout(showAlone, AGAIN);
    return;
  }
  document.documentElement.dataset.alone = "";
  for (const kept of [picture, document.querySelector(".st-key-claim")]) {
    for (let part = kept; part && !part.matches(".stMainBlockContainer"); part = part.parentElement) part.setAttribute(BESIDE, "");
  }
}
