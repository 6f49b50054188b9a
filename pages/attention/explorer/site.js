// @ts-check
// The Attention explorer on a static site: a live page whose model is chosen and whose link says what is shown.

import { measured, strikingRow } from "#browser/tags.js";
import { LivePage } from "#components/attention_view/live_page.js";
import { asked, given, link, modelMenu, styleOf } from "#site/frame.js";
import { languageModel, languageModels } from "#site/language.js";
import { linkOf, viewOf } from "#site/view_link.js";

const { opening, tags, model } = given.own;

function start() {
  /** @type {LivePage | null} */
  let page = null;
  return modelMenu("model", languageModels(model), async (name) => {
    const lm = await languageModel(name);
    if (page) return page.use(lm);
    const text = asked.get("text") ?? opening.text;
    let said = text;
    const told = (/** @type {any} */ state, /** @type {string} */ read) => {
      link({ ...linkOf(state), text: read === opening.text ? null : read }, read !== said); // heads and pins are places in the picture
      said = read;
    };
    page = new LivePage(lm, { ...opening, text, state: viewOf(asked), css: styleOf("attention_view") }, { told, table: tags, measured, opening: strikingRow });
  });
}

start();
