// @ts-check
// The attention view as a page of its own, one file without a network: it answers itself from the rounded weights in it.

import { decode } from "#canvas/decode.js";
import { hosted } from "./hosted.js";
import { heldState, overviewOf, rowsOf, weightsOf } from "./rounded.js";

/** @typedef {import("./types").State & { seq?: number }} State */

/**
 * The bytes in an element: base64 of a zlib stream.
 * @param {string} id
 */
async function inflated(id) {
  const text = atob(document.getElementById(id).textContent);
  const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function start() {
  const { header, arrays } = decode(await inflated("data"));
  const codes = /** @type {import("./rounded.js").Codes} */ (arrays);
  const overview = overviewOf(header, codes);
  let picture = header.picture;
  let shown = header.state;
  const answer = (/** @type {State} */ asked) => {
    const state = heldState(header, asked, shown);
    const moved = state.layer !== asked.layer || state.head !== asked.head || state.overlay.length !== asked.overlay.length;
    const { layer, head } = (shown = state);
    /** @type {Record<string, any>} */
    const own = { overview, image: arrays.image, weights: weightsOf(header, codes, layer * header.heads + head) };
    if (state.query !== null) own.rows = rowsOf(header, codes, state.query);
    // Another origin has the view take over a state that is not the one it asked for.
    const origin = moved ? `${header.origin} ${picture}` : header.origin;
    return { header: { ...header, chosen: { layer, head }, state, origin, picture: picture++ }, arrays: own };
  };
  const css = document.getElementById("css").textContent;
  const view = hosted(document.getElementById("view"), css, (state) => view.show(answer(state)));
  view.show(answer(header.state));
}

export default start();
