// @ts-check
// The picture follows typing, and some of what is chosen in it: what is in the text box is read in this browser, and shown until
// the server's picture of it arrives. Whatever goes wrong here, the server's pictures come as they did.

import { decode } from "#canvas/decode.js";

/** @typedef {import("#canvas/mount.js").Component} Component */
/** @typedef {{ header: any, arrays: Record<string, any> }} Payload */
/** @typedef {Record<string, any>} State where the user is in the picture, and the number of the message that says so */
/**
 * A picture of a text, as the header of the server's picture has it; the reader returns what is another one in its own.
 * @typedef {(text: string, header: any, state: State) => Payload} Reader
 */
/**
 * What the header of a picture says of who reads further texts (tlmviz/ui/engine.py): the addresses of a script, whose default
 * export makes a Reader of a model's, and of the model; the text of this picture and the key of its box, how many letters may be
 * read, and the parts of the state of which another value asks for another picture.
 * @typedef {{ script: string, model: string, text: string, box: string, most: number | null, follows: string[] }} Engine
 */

const SLOW_READING = 150; // milliseconds: where two texts took longer, the next ones are left to the server
const READER_RESTS = 10_000; // milliseconds, so long
const AHEAD_OF_SERVER = "data-ahead"; // of the document: what stands beside the picture is of the text before

/** Script and model -> what reads with it; null where this browser cannot. @type {Map<string, Promise<Reader | null>>} */
const textReaders = new Map();

/** Where the text is typed. @param {Engine} engine */
const typedIn = ({ box }) => `.st-key-${box} :is(input, textarea)`;

/** @param {Engine} engine */
function textReaderOf({ script, model }) {
  const key = `${script} ${model}`;
  if (!textReaders.has(key)) {
    const at = (/** @type {string} */ address) => new URL(address, document.baseURI).href;
    textReaders.set(key, import(at(script)).then((module) => module.default(at(model))).catch(/** @returns {null} */ () => null));
  }
  return textReaders.get(key);
}

/** One view in the app, and the text that is typed above it. */
class Typing {
  /** @param {(component: Component) => () => void} view */
  constructor(view) {
    this.view = view;
    /** @type {any} */
    this.bytes = null; // that arrived last
    /** @type {Payload | null} */
    this.arrived = null;
    /** @type {Component | null} */
    this.component = null;
    /** @type {string | null} */
    this.own = null; // the text whose picture was made here and is shown
    /** @type {State | null} */
    this.chosen = null; // by the user since
    this.took = [0, 0]; // milliseconds of the last two texts
    this.rests = 0; // until then, in milliseconds, texts are left to the server
    this.made = 0; // pictures, so far
    this.hears = false;
    /** @type {() => void} */
    this.end = () => {};
    this.hear = (/** @type {Event} */ { target, type }) => {
      const { engine } = this.arrived.header;
      if (engine && target instanceof Element && target.matches(typedIn(engine))) this.typed(/** @type {HTMLInputElement} */ (target), type === "input");
    };
  }

  /** @param {Component} component with the server's picture */
  receive(component) {
    const { data } = component;
    if (!data) return;
    this.component = component;
    if (data !== this.bytes) {
      this.bytes = data;
      this.arrived = /** @type {Payload} */ (decode(data));
      const { engine } = this.arrived.header;
      if (engine && !this.hears) this.listen();
      const box = engine && /** @type {HTMLInputElement | null} */ (document.querySelector(typedIn(engine)));
      const late = this.own !== null && box?.value === this.own && engine.text !== this.own;
      if (late) return; // typing went on: the picture of the newer text is on its way
      this.own = null;
      this.chosen = null;
    }
    if (this.own === null) this.show(this.arrived);
  }

  listen() {
    this.hears = true;
    for (const type of ["focusin", "input"]) document.addEventListener(type, this.hear);
  }

  /** @param {Payload} payload */
  show(payload) {
    if (this.hears) document.documentElement.toggleAttribute(AHEAD_OF_SERVER, this.own !== null);
    const { setStateValue, ...rest } = this.component;
    const heard = (/** @type {string} */ name, /** @type {State} */ state) => {
      const before = this.chosen ?? this.arrived.header.state;
      this.chosen = state;
      setStateValue(name, state);
      if (this.arrived.header.engine?.follows.some((/** @type {string} */ part) => state[part] !== before[part])) this.chose();
    };
    this.end = this.view({ ...rest, setStateValue: heard, data: payload });
  }

  /**
   * @param {HTMLInputElement} box
   * @param {boolean} changed else the box was entered, and what reads is fetched
   */
  async typed(box, changed) {
    const reader = await this.reader();
    const text = box.value; // what was typed while that was fetched is read once
    if (!reader || !changed || text === this.own) return;
    if (text !== this.arrived.header.engine.text) this.read(reader, text, text);
    else {
      this.own = null;
      this.show(this.arrived);
    }
  }

  /** Another place in the text that is shown. */
  async chose() {
    const reader = await this.reader();
    if (reader) this.read(reader, this.own ?? this.arrived.header.engine.text, this.own);
  }

  /** What reads texts for the picture that arrived last; null where none does. */
  async reader() {
    const { engine } = this.arrived?.header ?? {};
    return engine ? textReaderOf(engine) : null;
  }

  /**
   * @param {Reader} reader
   * @param {string} text
   * @param {string | null} own what of it is ahead of the server
   */
  read(reader, text, own) {
    const { header } = this.arrived;
    const started = performance.now();
    if (started < this.rests || (header.engine.most && text.length > header.engine.most)) return;
    try {
      const state = { ...(this.chosen ?? header.state), seq: -1 }; // the view keeps its own
      const made = reader(text, header, state);
      this.own = own;
      this.made += 1;
      this.show({ header: { ...header, state, seq: -1, content: `own ${this.made}`, ...made.header }, arrays: made.arrays });
    } catch {
      return; // nothing to read, or more than the model reads: the server says so
    }
    this.took = [this.took[1], performance.now() - started];
    if (Math.min(...this.took) > SLOW_READING) Object.assign(this, { took: [0, 0], rests: started + READER_RESTS });
  }

  leave() {
    if (this.hears) document.documentElement.removeAttribute(AHEAD_OF_SERVER);
    for (const type of ["focusin", "input"]) document.removeEventListener(type, this.hear);
    this.end();
  }
}

/**
 * The view as Streamlit's component, with pictures that follow typing.
 * @param {(component: Component) => () => void} view
 */
export function followTyping(view) {
  /** @type {WeakMap<HTMLElement, Typing>} */
  const all = new WeakMap();
  return (/** @type {Component} */ component) => {
    const host = component.parentElement;
    let typing = all.get(host);
    if (!typing) all.set(host, (typing = new Typing(view)));
    typing.receive(component);
    const shown = typing;
    return () => {
      if (all.delete(host)) shown.leave();
    };
  };
}
