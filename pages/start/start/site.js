// @ts-check
// Start on a static site: the sentence as words to point at.

import { debounce } from "#canvas/dom.js";
import { accent, asked, attempt, element, given, link, placed } from "#site/frame.js";
import { languageModel, languageModels } from "#site/language.js";
import { lookOf } from "./reading.js";
import view from "./view.js";

const { model, text } = given.own;
const PAUSE = 150; // milliseconds in typing until the sentence is read

async function start() {
  const first = given.root === "./"; // the address without a path, where a link of the app leads to the explorer
  if (first && location.search) return location.replace(`explorer/${location.search}`);
  const box = /** @type {HTMLTextAreaElement} */ (element("text"));
  box.value = asked.get("text") ?? text;
  const lm = await attempt(() => languageModel(languageModels(model)[0]));
  if (!lm) return;
  const show = placed("start", view);
  let picture = 0;
  const read = () => attempt(() => {
    show({ header: { ...lookOf(lm, box.value, given.own), picture: ++picture, color: accent(), lang: "en" }, arrays: {} });
    link({ text: box.value === text ? null : box.value });
  });
  box.addEventListener("input", debounce(read, PAUSE));
  return read();
}

start();
