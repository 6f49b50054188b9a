// @ts-check
// The attention view as a widget of a notebook (anywidget): the kernel answers each choice with exact tiles.

import { hosted } from "./hosted.js";

/** @typedef {{ get: Function, set: Function, on: Function, off: Function, save_changes: Function }} Model as anywidget passes it */

/** @param {{ model: Model, el: HTMLElement }} widget */
function render({ model, el }) {
  const place = document.createElement("div");
  el.append(place);
  const send = (/** @type {import("./types").State} */ state) => {
    model.set("view", state);
    model.save_changes();
  };
  const view = hosted(place, model.get("css"), send, model.get("notes"));
  const update = () => {
    const { buffer, byteOffset, byteLength } = model.get("data");
    view.show(new Uint8Array(buffer, byteOffset, byteLength));
  };
  model.on("change:data", update);
  update();
  return () => {
    model.off("change:data", update);
    view.end();
  };
}

export default { render };
