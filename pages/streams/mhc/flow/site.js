// @ts-check
// The page mHC on a static site: its view Flow, of one model beside its plain twin.

import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { textBox } from "#site/controls.js";
import { asked, attempt, element, given, link, modelMenu, onlyPart, picture } from "#site/frame.js";
import { languageModel, languageModels } from "#site/language.js";
import { streamsOf } from "./streams.js";
import view from "./view.js";

const { model, models, text, view: part, titles, warm, token, sublayer, shown, widths } = given.own;
const whole = (/** @type {string} */ key) => (/^\d{1,5}$/.test(asked.get(key) ?? "") ? Number(asked.get(key)) : null);
/** @typedef {{ key: string, options: string[] }} Choice of one, the first unless a link asks for another */
const among = (/** @type {Choice} */ { key, options }) => (options.includes(asked.get(key)) ? asked.get(key) : options[0]);
const said = (/** @type {Choice} */ { options }, /** @type {string} */ chosen) => (chosen === options[0] ? null : chosen);
const place = { token: whole(token), sublayer: whole(sublayer) ?? 0, shown: among(shown), widths: among(widths) };
let lm = /** @type {import("#browser/language_model.js").LanguageModel | null} */ (null);

const show = picture("flow", view, (left) => {
  Object.assign(place, left);
  const where = { [token]: place.token === null ? null : String(place.token), [sublayer]: place.sublayer ? String(place.sublayer) : null };
  link({ ...where, [shown.key]: said(shown, place.shown), [widths.key]: said(widths, place.widths) });
});
const redraw = () => attempt(() => {
  if (!lm) return;
  const { header, arrays } = streamsOf(lm, box.value, { family: models[lm.name], titles, warm });
  link({ text: box.value === text.default ? null : box.value });
  show(header, arrays, { ...place });
});
const box = textBox(text, redraw);

element("controls").replaceChildren(box.root);
element("view").after(make("p", { className: "part", textContent: _(
  "The app lays the models of a family side by side, gives one fewer Sinkhorn iterations, and has the other views of this page.") }));
onlyPart("sview", part);
modelMenu("smodel", languageModels(model).filter((name) => name in models), async (name) => {
  lm = await languageModel(name);
  await redraw();
});
