// @ts-check
// In a frame of another page (`?embed=picture`) there is the picture that stands for the page, alive, below the sentence about it.

import { mainElement } from "./pictures.js";

const IS_ALONE = new URLSearchParams(location.search).get("embed") === "picture"; // as the frame began: later links do not say it
const BESIDE = "data-tlmviz-kept"; // on what is kept and on all that it stands in

/** Keep the page's first sentence and its picture, and hide what stands beside them; a page without a picture stays whole. */
export function showAlone() {
  const picture = IS_ALONE ? mainElement() : null;
  if (!picture) return;
  document.documentElement.dataset.alone = "";
  for (const kept of [picture, document.querySelector(".st-key-claim")]) {
    for (let part = kept; part && !part.matches(".stMainBlockContainer"); part = part.parentElement) part.setAttribute(BESIDE, "");
  }
}
