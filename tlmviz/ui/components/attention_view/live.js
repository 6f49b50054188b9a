// @ts-check
// The attention view as a page of its own with the model in it: what is typed is traced here, and nothing leaves the page.

import { EngineError } from "../../../browser/errors.js";
import { load } from "../../../browser/language_model.js";
import { measured } from "../../../browser/tags.js";
import { element, LivePage } from "./live_page.js";

const [HIGHEST, OTHERS] = [900, 270]; // pixels of the view, and of the text above and the notes below

const given = () => /** @type {import("./live_page.js").Given & { config: string, tags: import("./types").Tag[] }} */ (JSON.parse(element("data").textContent));

/** The view's height: what a larger window leaves it; on a phone parts stand one below another. @param {number} given */
const fitting = (given) => (innerWidth < 700 ? given : Math.max(given, Math.min(HIGHEST, innerHeight - OTHERS)));

/** The model of the file. */
function opened() {
  const text = atob(element("weights").textContent);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  element("weights").remove(); // megabytes of text that nobody reads again
  return load(given().config, bytes, element("tokenizer").textContent);
}

function startLive() {
  try {
    const model = opened();
    const opening = given();
    const page = new LivePage(model, { ...opening, height: fitting(opening.height) }, { table: opening.tags, measured });
    addEventListener("resize", () => page.resize(fitting(opening.height)));
    /** @type {any} */ (window).tlmviz = {
      trace: (/** @type {string} */ text, /** @type {any} */ options) => model.trace(text, options),
      generate: (/** @type {string} */ text, count = 40, /** @type {any} */ options = {}) => model.generate(text, count, options),
    };
    return page;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    element("problem").textContent = error.message;
    return null;
  }
}

export default startLive();
