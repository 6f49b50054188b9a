// @ts-check
// A page about one head of a model that reads a text: the model's menu, the text, and the head.

import { previousHead } from "#browser/survey.js";
import { _ } from "#canvas/language.js";
import { menu, textBox } from "#site/controls.js";
import { asked, attempt, link, modelMenu } from "#site/frame.js";
import { languageModel } from "#site/language.js";
import { viewOf } from "#site/view_link.js";

/** @typedef {import("#browser/language_model.js").LanguageModel} LanguageModel */
/** @typedef {import("#browser/language_model.js").Trace} Trace */
/** @typedef {[layer: number, head: number]} Head */

/**
 * The controls of such a page and its model's menu. `draw` is called for a text that is read, again by `redraw`; where nobody chose
 * a head it is the one that `suggest` gives, one that looks at the token before.
 * @param {{ names: string[], control: import("#site/controls.js").Control, draw: (lm: LanguageModel, read: { text: string, trace: Trace,
 *   head: Head }) => void, suggest?: (trace: Trace) => Head }} parts
 *   `names` of the models, the default first; `control` of the text
 */
export function headPage({ names, control, draw, suggest = previousHead }) {
  const linked = viewOf(asked);
  let head = linked.layer === undefined ? null : /** @type {Head} */ ([linked.layer, linked.head]);
  let suggested = false;
  /** @type {LanguageModel | null} */
  let lm = null;
  const box = textBox(control, () => redraw());
  const numbers = (/** @type {number} */ count) => Array.from({ length: count }, (_number, i) => /** @type {[string, string]} */ ([String(i), String(i)]));
  const choose = (/** @type {Head} */ chosen) => {
    [head, suggested] = [chosen, false];
    redraw();
  };
  const layers = menu(_("Layer"), (layer) => choose([Number(layer), head[1]]));
  const heads = menu(_("Head"), (at) => choose([head[0], Number(at)]));
  const redraw = () => attempt(() => {
    if (!lm) return;
    const trace = lm.trace(box.value);
    if (!head) [head, suggested] = [suggest(trace), true];
    head = [Math.min(head[0], trace.layers - 1), Math.min(head[1], trace.heads - 1)];
    layers.offer(numbers(trace.layers));
    heads.offer(numbers(trace.heads));
    layers.show(String(head[0]));
    heads.show(String(head[1]));
    link({ text: box.value === control.default ? null : box.value, head: head.join(".") });
    draw(lm, { text: box.value, trace, head });
  });
  return {
    roots: [box.root, layers.root, heads.root],
    redraw,
    /** Read with the model that the link names, and with each that is chosen. */
    start: () => modelMenu("model", names, async (name) => {
      lm = await languageModel(name);
      if (suggested) head = null;
      await redraw();
    }),
  };
}
