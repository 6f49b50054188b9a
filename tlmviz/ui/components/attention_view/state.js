// @ts-check
// The state of a view: what arrives from the server, what the user changes, and what is sent back.

import { decode } from "#canvas/decode.js";
import { litAmong } from "#canvas/hovered.js";
import { announcePicture } from "#canvas/painted.js";
import { Head } from "./head.js";
import { hideTooltip } from "./tooltip.js";
import { repaint, repaintDetail } from "./view.js";
import { Weights } from "./weights.js";

/** @typedef {import("./types").HeadIndex} HeadIndex */
/** @typedef {import("./types").Header} Header */
/** @typedef {import("./types").State} State */
/** @typedef {import("./types").View} View */
/** @typedef {import("./types").Window} Window */

const CACHED_HEADS = 12;
const MOST_OVERLAID = 5;
const REPEAT = 120; // milliseconds: actions that follow each other faster are sent together

/**
 * @param {View} v
 * @param {import("./types").Payload} bytes as `build_payload` in Python packs them, or decoded already
 */
export function receive(v, bytes) {
  if (!bytes) return;
  const fresh = bytes !== v.bytes;
  if (fresh) {
    v.bytes = bytes;
    const { header, arrays } = decode(bytes);
    Object.assign(v, { header, arrays, textId: `${textKey(header)}:${checksum(arrays.overview)}`, hover: null, arcHover: null });
    const { layer, head } = header.chosen;
    remember(v, headKey(v, layer, head), arrays.weights ? new Weights(header, arrays.weights) : new Head(header, arrays));
    if (arrays.rows) v.rows = { textId: v.textId, query: header.state.query, data: arrays.rows };
    adopt(v, header);
    v.lit = litAmong(header.tokens);
  }
  repaint(v);
  if (fresh) announcePicture(v.header.picture);
}

/**
 * A hash of the overview's bytes: another model, or other weights behind the same text, change it.
 * @param {Uint8Array} bytes
 */
function checksum(bytes) {
  let hash = 0;
  for (let i = 0; i < bytes.length; i++) hash = (Math.imul(hash, 31) + bytes[i]) | 0;
  return hash;
}

/**
 * Take over the server's state where it is newer than the browser's, or of another origin.
 * @param {View} v
 * @param {Header} header
 */
function adopt(v, { state, origin, tokens }) {
  const { seq = -1, ...rest } = state;
  if (origin !== v.origin) {
    v.sendSoon.cancel();
    v.origin = origin;
    v.zoom = null;
    v.seq = Math.max(v.seq, seq);
    v.state = rest;
  } else if (seq >= v.seq) {
    v.state = rest;
  }
  if (v.state.query !== null && v.state.query >= tokens.length) v.state = { ...v.state, query: null, key: null };
  if (v.state.key !== null && v.state.key >= tokens.length) v.state = { ...v.state, key: null };
}

/**
 * The key of a head in the cache.
 * @param {View} v
 * @param {number} layer
 * @param {number} head
 */
export function headKey(v, layer, head) {
  return `${v.textId}|${layer}.${head}`;
}

/**
 * Keep a head among those used last.
 * @param {View} v
 * @param {string} key
 * @param {Head} head
 */
export function remember(v, key, head) {
  const cached = v.cache.get(key) ?? head;
  v.cache.delete(key);
  v.cache.set(key, cached);
  if (v.cache.size > CACHED_HEADS) v.cache.delete(v.cache.keys().next().value);
}

/**
 * A user's action: show it at once and send it, debounced while actions follow each other fast.
 * @param {View} v
 * @param {Partial<State>} change
 */
export function act(v, change) {
  if (change.mode) hideTooltip(v); // it is of the other picture
  v.state = { ...v.state, ...change };
  v.seq += 1;
  repaint(v);
  const now = performance.now();
  const repeating = now - v.actedAt < REPEAT;
  v.actedAt = now;
  v.sendSoon.cancel();
  if (repeating) v.sendSoon();
  else send(v);
}

/**
 * Send the state to the server.
 * @param {View} v
 */
export function send(v) {
  v.component.setStateValue("view", { ...v.state, seq: v.seq });
}

/**
 * @param {View} v
 * @param {number} layer
 * @param {number} head
 */
export function choose(v, layer, head) {
  if (layer !== v.state.layer || head !== v.state.head) act(v, { layer, head });
}

/**
 * @param {View} v
 * @param {HeadIndex} head
 */
export function toggleOverlay(v, [layer, head]) {
  if (layer === v.state.layer && head === v.state.head) return;
  const others = v.state.overlay.filter(([l, h]) => l !== layer || h !== head);
  /** @type {HeadIndex[]} */
  const longer = [...others, [layer, head]];
  const overlay = others.length < v.state.overlay.length ? others : longer.slice(-MOST_OVERLAID);
  act(v, { overlay });
}

/**
 * Chosen head first, then the overlaid ones.
 * @param {View} v
 * @returns {HeadIndex[]}
 */
export function overlaid(v) {
  const { layer, head, overlay } = v.state;
  /** @type {HeadIndex} */
  const choice = [layer, head];
  return [choice, ...overlay.filter(([l, h]) => l !== layer || h !== head)];
}

/**
 * Pin, or unpin what is already pinned.
 * @param {View} v
 * @param {number | null} query
 * @param {number | null} key
 */
export function pin(v, query, key) {
  const same = v.state.query === query && v.state.key === key;
  act(v, same ? { query: null, key: null } : { query, key });
}

/**
 * Show a part of the map, or with null all of it.
 * @param {View} v
 * @param {Window | null} zoom
 */
export function zoomTo(v, zoom) {
  const T = v.header.tokens.length;
  v.zoom = zoom && zoom.n < T ? zoom : null;
  v.hover = null;
  v.hovered.point(); // another cell lies there now
  hideTooltip(v);
  repaintDetail(v);
}

/**
 * A hash of model and tokens: which text a cached head belongs to.
 * @param {Header} header
 */
function textKey(header) {
  let hash = 2166136261;
  const text = header.model + "\u0001" + header.tokens.join("\u0001");
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16777619) >>> 0;
  return `${hash.toString(16)}:${text.length}`;
}
