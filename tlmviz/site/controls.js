// @ts-check
// The controls of a page as its state declares them (tlmviz/ui/state.py), their values, and what a link says of them.

import { debounce, make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { asked, element, given, link } from "#site/frame.js";

/** @typedef {{ key: string, widget: string, label: string, help: string, default: any, min_value?: number, max_value?: number, step?: number, options?: [any,
 * string, string][] }} Control a menu's `options`: value, as a link spells it, label */

const PAUSE = 150; // milliseconds in typing until a text counts
const SETTLED = 1000; // and until a number that is not taken gives way to the one that is

/**
 * A value as a link spells it.
 * @param {Control} control
 * @param {any} value
 */
function spelled({ options }, value) {
  return options ? options.find(([each]) => each === value)?.[1] ?? String(value) : String(value);
}

/**
 * The value that a link asks for, clipped; the default where it says none that there is.
 * @param {Control} control
 * @param {string | null} text
 */
export function valueOf(control, text) {
  const { options, widget, default: otherwise, min_value: least, max_value: most } = control;
  if (text === null) return otherwise;
  if (options) return (options.find(([, spelling]) => spelling === text) ?? [otherwise])[0];
  if (widget === "toggle") return { true: true, 1: true, false: false, 0: false }[text.toLowerCase()] ?? otherwise;
  if (least === undefined) return text;
  const number = text.trim() ? Number(text) : NaN;
  if (!Number.isFinite(number)) return otherwise;
  return Math.min(Math.max(Number.isInteger(otherwise) && Number.isInteger(least) ? Math.trunc(number) : number, least), most);
}

/**
 * Draw some controls; `change` is called with the values of all fields, now and whenever one changes.
 * @param {string[]} names of fields
 * @param {(values: Record<string, any>) => void} change
 * @param {{ more?: string[], offered?: (values: Record<string, any>) => Record<string, any[]>, shown?: (values: Record<string, any>) => Record<string,
 *   boolean> }} [parts]
 *   `more` fields are folded; `offered` says what menus offer, and `shown` which fields are there, where that depends on others
 */
export function controls(names, change, { more = [], offered = () => ({}), shown = () => ({}) } = {}) {
  const declared = /** @type {Record<string, Control>} */ (given.controls);
  const values = Object.fromEntries(Object.entries(declared).map(([name, control]) => [name, valueOf(control, asked.get(control.key))]));
  const parts = Object.fromEntries([...names, ...more].map((name) => [name, drawn(declared[name], values[name], (value) => {
    values[name] = value;
    told();
  })]));
  const told = () => {
    for (const [name, some] of Object.entries(offered(values))) {
      const [part, otherwise] = [parts[name], declared[name].default];
      part.offer(some);
      if (!some.includes(values[name])) values[name] = some.includes(otherwise) ? otherwise : some[0];
      part.show(values[name]);
    }
    for (const [name, there] of Object.entries(shown(values))) parts[name].root.hidden = !there;
    link(Object.fromEntries(Object.entries(declared).map(
      ([name, control]) => [control.key, values[name] === control.default ? null : spelled(control, values[name])])));
    change({ ...values });
  };
  const roots = (/** @type {string[]} */ some) => some.map((name) => parts[name].root);
  const folded = more.length ? [make("details", {}, make("summary", { textContent: _("More") }), ...roots(more))] : [];
  element("controls").replaceChildren(...roots(names), ...folded);
  told();
}

/**
 * A box for a text, which opens on the link's; `changed` is called at each pause in typing.
 * @param {Control} control
 * @param {() => void} changed
 */
export function textBox(control, changed) {
  const first = valueOf(control, asked.get(control.key));
  const { root, show } = drawn(control, first, (value) => {
    box.value = value;
    changed();
  });
  const set = (/** @type {string} */ value) => {
    box.value = value;
    show(value);
  };
  const box = { value: first, root, set };
  return box;
}

/**
 * A menu of [value, label]; `offer` gives it others, `show` chooses one.
 * @param {string} label
 * @param {(value: string) => void} changed
 */
export function menu(label, changed) {
  const select = make("select", { "aria-label": label, onchange: () => changed(select.value) });
  return {
    root: make("label", {}, label, select),
    offer: (/** @type {[string, string][]} */ some) => select.replaceChildren(...some.map(([value, textContent]) => make("option", { value, textContent }))),
    show: (/** @type {string} */ value) => {
      select.value = value;
    },
  };
}

/**
 * One control: its element, and what shows a value or offers others in it.
 * @param {Control} control
 * @param {any} value
 * @param {(value: any) => void} changed
 */
function drawn(control, value, changed) {
  const { widget, label, help, options, min_value: least, max_value: max, step } = control;
  const title = help || label;
  if (options) {
    const of = new Map(options.map(([each, spelling, text]) => [each, /** @type {[string, string]} */ ([spelling, _(text)])]));
    const spelledOf = (/** @type {any} */ each) => of.get(each)[0];
    const { root, offer, show } = menu(_(label), (spelling) => changed(options.find(([, each]) => each === spelling)[0]));
    root.title = title;
    const offerSome = (/** @type {any[]} */ some) => offer(some.map((each) => of.get(each)));
    offerSome(options.map(([each]) => each));
    show(spelledOf(value));
    return { root, show: (/** @type {any} */ chosen) => show(spelledOf(chosen)), offer: offerSome };
  }
  const tag = widget === "text_area" ? "textarea" : "input";
  const input = /** @type {HTMLInputElement} */ (make(tag,
    { title, "aria-label": _(label), spellcheck: false, ...(tag === "textarea" ? { rows: 4 } : {}),
    ...(widget === "toggle" ? { type: "checkbox" } : least === undefined ? {} : { type: "number", min: least, max, step: step ?? "any" }) }));
  const show = (/** @type {any} */ chosen) => {
    if (widget === "toggle") input.checked = chosen;
    else input.value = chosen === null ? "" : String(chosen);
  };
  show(value);
  if (least !== undefined) return { ...number(control, input, show, changed), show, offer: (/** @type {any[]} */ _some) => {} };
  if (widget === "toggle") input.onchange = () => changed(input.checked);
  else input.oninput = debounce(() => changed(input.value), PAUSE);
  const kind = widget === "toggle" ? "switch" : "wide";
  return { root: make("label", { className: kind }, ...(kind === "switch" ? [input, _(label)] : [_(label), input])), show,
    offer: (/** @type {any[]} */ _some) => {} };
}

/**
 * A field of a number: what lies outside of its range, or is none, gives way to the number that is used, and a sentence says so.
 * @param {Control} control
 * @param {HTMLInputElement} input
 * @param {(value: any) => void} show
 * @param {(value: any) => void} changed
 */
function number(control, input, show, changed) {
  const { label, min_value: least, max_value: most } = control;
  const said = make("small", { role: "status" });
  if (control.default === null) input.placeholder = _("model's own");
  const settle = () => show(valueOf(control, input.value));
  const settleLater = debounce(settle, SETTLED);
  const told = debounce(() => {
    const [typed, value] = [input.value, valueOf(control, input.value)];
    const clipped = typed.trim() !== "" && Number(typed) !== value;
    said.textContent = clipped ? _("{label} goes from {least} to {most}: {value} is used, not {typed}.",
      { label: _(label), least, most, value, typed: typed.slice(0, 20) }) : "";
    changed(value);
    if (clipped || typed.trim() === "") settleLater();
  }, PAUSE);
  input.oninput = () => {
    settleLater.cancel();
    told();
  };
  input.onchange = () => setTimeout(settle, PAUSE + 50); // once it was told
  return { root: make("label", {}, _(label), input, said) };
}
