// @ts-check
// A page in which a model reads what is typed: the text, what comes next, and the attention view below. Nothing leaves it.

import { BadText, EngineError } from "../../../browser/errors.js";
import { surveyOf } from "../../../browser/survey.js";
import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { visible } from "#canvas/text.js";
import { hosted } from "./hosted.js";
import { payloadOf } from "./payload.js";

/** @typedef {import("../../../browser/language_model.js").LanguageModel} Model */
/** @typedef {import("../../../browser/language_model.js").Trace} Reading */
/** @typedef {import("./types").State & { seq?: number }} State */
/**
 * What a page opens with.
 * @typedef {{ text: string, state: State, colors: import("#canvas/theme.js").Palette, height: number, overview: number, css?: string }} Given
 * What a page does beside: `told` is called with all that is shown anew; heads are named by `table` and `values`
 * (tlmviz/browser/tags.js), and a state without a layer opens on the row of `opening`.
 * @typedef {{ told?: (state: State, text: string) => void, table?: import("./types").Tag[], measured?: typeof import("../../../browser/tags.js").measured,
 *   opening?: typeof import("../../../browser/tags.js").strikingRow }} More
 */

const NEXT_SHOWN = 6; // likeliest next tokens that are shown
const WRITTEN_ON = 20; // tokens that one press writes on
const QUICK = 30; // milliseconds: two frames, or a key that is held down
const SLOW = 60; // milliseconds: where two texts took longer, the next one waits for a pause in typing
const PAUSE = 300;

/** @param {string} id */
export const element = (id) => document.getElementById(id);

/**
 * The likeliest next tokens and their probabilities.
 * @param {Reading} reading
 */
function likeliest(reading) {
  const last = reading.following;
  const most = last.reduce((best, logit) => Math.max(best, logit), -Infinity);
  const sum = last.reduce((total, logit) => total + Math.exp(logit - most), 0);
  const ids = Array.from(last.keys()).sort((a, b) => last[b] - last[a]).slice(0, NEXT_SHOWN);
  return ids.map((id) => ({ id, probability: Math.exp(last[id] - most) / sum }));
}

/** The text, what the model says next, and the view below, in the elements of a live page (tlmviz/notebook/parts.py). */
export class LivePage {
  /**
   * @param {Model} model
   * @param {Given} given
   * @param {More} [more]
   */
  constructor(model, { state, colors, height, overview, text, css = element("css").textContent }, more = {}) {
    this.model = model;
    this.state = state;
    this.more = more;
    this.rest = { colors, height, mutable: true };
    this.most = overview;
    this.pictures = 0;
    this.texts = 0;
    this.took = [0, 0]; // milliseconds of the last two texts: one alone may be slow for another program's sake
    /** @type {ReturnType<typeof setTimeout>} */
    this.waiting = undefined;
    this.shown = ""; // the text that was traced last
    /** @type {Reading | null} */
    this.reading = null;
    /** @type {ReturnType<typeof surveyOf> | null} */
    this.survey = null;
    /** @type {import("../../../browser/tags.js").Measured | undefined} */
    this.tagged = undefined;
    /** @type {{ query: number, key: number } | null} */
    this.suggested = null; // a pin that nobody chose: it goes when the text changes
    this.input = /** @type {HTMLTextAreaElement} */ (element("text"));
    this.input.value = text;
    this.input.addEventListener("input", () => this.typed());
    element("write").addEventListener("click", () => this.write());
    this.view = hosted(element("view"), css, (asked) => this.answer(asked));
    this.read();
  }

  /** Read what is typed: at once where that takes no longer than keys need to come, else when the letter is drawn, or after a pause. */
  typed() {
    clearTimeout(this.waiting);
    const took = Math.min(...this.took);
    if (took < QUICK) this.read();
    else this.waiting = setTimeout(() => this.read(), took > SLOW ? PAUSE : 0);
  }

  /** Trace the text in the box; where it cannot be read, say why and keep the picture. */
  read() {
    const started = performance.now();
    this.attempt(() => {
      const text = this.input.value;
      const reading = this.model.trace(text);
      Object.assign(this, { shown: text, reading, survey: surveyOf(reading, this.most), tagged: this.more.measured?.(reading) });
      this.texts += 1;
      this.answer(this.fitted());
    });
    const took = performance.now() - started;
    this.took = [this.took[1], took];
    document.body.dataset.took = took.toFixed(1);
  }

  /** The view is to be as high. @param {number} height */
  resize(height) {
    if (height === this.rest.height) return;
    this.rest.height = height;
    this.answer(this.state);
  }

  /** Another model reads the text from now on. @param {Model} model */
  use(model) {
    this.model = model;
    this.read();
  }

  /** The state with a head and pins that this model and text have. */
  fitted() {
    const { state, suggested, reading: { layers, heads, ids: { length } } } = this;
    if (state.layer === undefined) {
      const { layer, head, query, key } = this.more.opening(this.reading, this.tagged.values, this.more.table, this.survey.stats);
      this.suggested = state.query === null ? { query, key } : null;
      return { ...state, layer, head, ...this.suggested };
    }
    const there = (/** @type {import("./types").HeadIndex} */ [layer, head]) => layer < layers && head < heads;
    const head = there([state.layer, state.head]) ? {} : { layer: 0, head: 0 };
    const left = suggested?.query === state.query && suggested.key === state.key;
    /** @type {Partial<State>} */
    const pin = left || state.query === null || state.query >= length ? { query: null, key: null } : { key: state.key < length ? state.key : null };
    return { ...state, ...head, ...pin, overlay: state.overlay.filter(there), mute: state.mute.filter(there) };
  }

  /**
   * Show what the view asks for.
   * @param {State} state
   */
  answer(state) {
    if (!this.reading) return;
    this.state = state;
    this.predict();
    const tags = this.tagged && { table: this.more.table, ...this.tagged };
    this.view.show(payloadOf(this.reading, this.survey, state,
      { ...this.rest, tags, model: this.model.name, origin: `text ${this.texts}`, picture: ++this.pictures }));
    this.more.told?.(state, this.shown);
  }

  /** The likeliest next tokens without the muted heads; a press on one appends it. */
  predict() {
    const { model, state, reading } = this;
    const muted = state.mute.length ? model.trace(this.shown, { muted: state.mute }) : reading;
    const buttons = likeliest(muted).map(({ id, probability }) => {
      const ends = model.tokenizer.ends.has(id);
      const name = ends ? "⟨end⟩" : visible(model.tokenizer.nameOf(id), true);
      const share = make("b", { textContent: `${(100 * probability).toFixed(probability < 0.1 ? 1 : 0)}%` });
      const append = () => this.append(model.tokenizer.decode([id]));
      return make("button", { type: "button", disabled: ends, onclick: append, title: _("Append this token to the text") }, `${name} `, share);
    });
    element("next").replaceChildren(...buttons);
  }

  /** Write the likeliest tokens on, as many as fit. */
  write() {
    this.attempt(() => {
      const text = this.input.value;
      const room = this.model.config.context - (text ? this.model.encode(text).length : 1);
      if (room < 1) throw new BadText(_("The text fills all {context} tokens that {model} reads; shorten it to write on.",
        { context: this.model.config.context, model: this.model.name }));
      this.append(this.model.generate(text, Math.min(WRITTEN_ON, room), { muted: this.state.mute }));
    });
  }

  /** Write at the end of the text, as if it were typed where there is a keyboard: so the browser can undo it. @param {string} text */
  append(text) {
    const { input } = this;
    if (matchMedia("(pointer: fine)").matches) {
      input.focus();
      input.setSelectionRange(input.value.length, input.value.length);
      if (document.execCommand("insertText", false, text)) return; // its own input event reads it
    }
    input.value += text;
    this.read();
  }

  /** @param {() => void} work what may end in a sentence for the reader; the picture is of the text before then, and fades */
  attempt(work) {
    element("problem").textContent = "";
    document.body.removeAttribute("data-ahead");
    element("next").inert = false;
    try {
      work();
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      element("problem").textContent = error.message;
      document.body.setAttribute("data-ahead", "");
      element("next").inert = true; // what it offers follows the text before
    }
  }
}
