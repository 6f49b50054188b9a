// @ts-check
// Train a transformer on a static site.

import { controls } from "#site/controls.js";
import { given, picture } from "#site/frame.js";
import { headerOf, offered } from "./runs.js";
import view from "./view.js";

const MORE = ["heads", "width", "rate", "seed", "mlp", "mask", "norm", "guess"];

const show = picture("train", view);
controls(["task", "layers", "positions", "beside", "text", "pieces"], (values) => show(headerOf(/** @type {any} */ (values), given.own)), {
  more: MORE,
  offered: (values) => ({ beside: offered(/** @type {any} */ (values), given.own) }),
  shown: ({ task }) => ({ text: task === "text" || task === "pieces", pieces: task === "pieces" }),
});
