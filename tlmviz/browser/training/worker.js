// @ts-check
// The script of a worker that trains: trainer.js says what it is told and what it tells.

import { Trainer } from "./trainer.js";

const scope = /** @type {any} */ (globalThis); // a worker's, of which the types of pages know nothing
const trainer = new Trainer((message) => scope.postMessage(message));
scope.onmessage = (/** @type {MessageEvent} */ { data }) => trainer.receive(data);
