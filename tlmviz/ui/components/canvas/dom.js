// @ts-check
// Elements, downloads and timers.

/**
 * An element with properties, attributes, children, and `testid` as its data-testid. Texts stay texts.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} [props] `className`, `textContent`, ...; what is no property becomes an attribute
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name === "testid") element.dataset.testid = value;
    else if (name in element) /** @type {any} */ (element)[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/**
 * @param {string} text
 * @param {string} title its tooltip
 * @param {() => void} onclick
 */
export function makeButton(text, title, onclick) {
  return make("button", { type: "button", textContent: text, title, onclick });
}

/**
 * Offer a file for download.
 * @param {Blob} blob
 * @param {string} name of the file
 */
export function download(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/**
 * A text with the characters that mean something in XML replaced, also inside attributes.
 * @param {unknown} text
 * @returns {string}
 */
export function escape(text) {
  const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
  return String(text).replace(/[&<>"']/g, (c) => entities[/** @type {keyof typeof entities} */ (c)]);
}

/**
 * A debounced `action`: it runs once no call has come for `delay` milliseconds. `cancel` drops a pending run.
 * @param {() => void} action
 * @param {number} delay
 * @returns {(() => void) & { cancel: () => void }}
 */
export function debounce(action, delay) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  const cancel = () => clearTimeout(timer);
  const later = () => {
    cancel();
    timer = setTimeout(action, delay);
  };
  return Object.assign(later, { cancel });
}
