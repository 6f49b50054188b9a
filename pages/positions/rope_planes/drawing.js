// @ts-check
// The planes of RoPE as dials with two hands, what each adds to the score, and the score by position: where all lies, and how
// it is drawn.

import { _ } from "#canvas/language.js";
import { digits, minus, scientific } from "#canvas/text.js";
import { shade } from "#canvas/theme.js";

/** @typedef {import("#canvas/pens.js").Pen} Pen */
/** @typedef {import("#canvas/theme.js").Theme} Theme */
/** @typedef {"both" | "query" | "key"} Moves */
/** @typedef {{ title: string, moves: Moves, home: number, positions: [number, number][],
 * speeds: number[] }} Header positions of query and key at each of N steps, `home` the true ones; radians per token of P planes */
/** @typedef {{ q: Float32Array, k: Float32Array, parts: Float32Array }} Arrays [N, P, 2] twice, turned, and what each plane adds [N, P] */
/** @typedef {import("#canvas/live.js").View<Header, Arrays, { at: number }>} View */
/** @typedef {Pick<View, "header" | "arrays">} Data */
/** @typedef {{ x: number, y: number, width: number, height: number }} Box */
/** @typedef {{ width: number, height: number, dials: Box & { columns: number, cell: number }, bars: Box, curve: Box }} Layout */
/** @typedef {{ plane: number } | { step: number }} Hover */

const [QUERY, KEY] = [2, 3]; // among the colours of heads, as in all figures
const BESIDE = 760; // pixels from which bars and curve stand beside the dials
const ROOM = 420; // of the dials' height there
const [LEAST, MOST] = [64, 128]; // pixels of a dial's cell
const TALL = 1.18; // a cell's height over its width: the words below a dial
const NAMED = 24; // planes at most whose wavelengths are written
const HEAD = 22; // pixels of a heading
const CURVE = 110;
const SUM = 54; // pixels of the sum's number

/** @param {Theme} theme @returns {{ query: string, key: string, adds: string, takes: string }} */
export const colorsOf = (theme) => ({ query: theme.heads[QUERY], key: theme.heads[KEY], adds: shade(theme.diverging, 0.86),
  takes: shade(theme.diverging, 0.14) });

/**
 * @param {number} width
 * @param {number} planes
 * @returns {Layout}
 */
export function layoutOf(width, planes) {
  const beside = width >= BESIDE;
  const wide = beside ? Math.floor(0.52 * width) : width;
  const side = (/** @type {number} */ columns) => Math.min(MOST, wide / columns, beside ? ROOM / (Math.ceil(planes / columns) * TALL) : MOST);
  let columns = beside ? 1 : Math.max(1, Math.min(planes, Math.floor(wide / (planes > NAMED ? LEAST : 1.4 * LEAST))));
  if (beside) for (let n = 2; n <= planes; n++) if (side(n) > side(columns)) columns = n;
  const cell = side(columns);
  const dials = { x: 0, y: 4, width: columns * cell, height: Math.ceil(planes / columns) * cell * TALL, columns, cell };
  const left = beside ? wide + 24 : 0;
  const room = (beside ? width - left : width) - 34; // left of it stand numbers
  const top = beside ? HEAD : dials.y + dials.height + HEAD + 8;
  const bars = { x: left + 34, y: top, width: room, height: beside ? ROOM - CURVE - 2 * HEAD - 24 : Math.max(160, Math.min(14 * planes, 300)) };
  const curve = { x: bars.x, y: bars.y + bars.height + HEAD + 20, width: room, height: CURVE };
  return { width, height: Math.max(dials.y + dials.height, curve.y + curve.height + 22), dials, bars, curve };
}

/** What all planes add at a step. @param {Data} data @param {number} step */
export function scoreAt({ header: { speeds: { length: planes } }, arrays }, step) {
  return arrays.parts.subarray(step * planes, (step + 1) * planes).reduce((sum, part) => sum + part, 0);
}

/** A position of what moves: of the query where both do. @param {Header} header @param {number} step */
const movedAt = ({ positions, moves }, step) => positions[step][moves === "key" ? 1 : 0];

/** Tokens of a turn in a few letters: 6.28, 628, 6.28k, 63M. @param {number} speed */
function turnOf(speed) {
  const tokens = (2 * Math.PI) / speed;
  for (const [size, unit] of /** @type {[number, string][]} */ ([[1, ""], [1e3, "k"], [1e6, "M"]])) if (tokens < 999.5 * size)
    return `${Number((tokens / size).toPrecision(3))}${unit}`;
  return scientific(tokens, 1);
}

/** @param {number} value @param {number} places */
const signed =
  (value, places) =>
  minus(`${Number(value.toFixed(places)) < 0 ? "" : "+"}${Number(value.toFixed(places)) === 0 ? (0).toFixed(places) : value.toFixed(places)}`);

// --- what is said ---------------------------------------------------------------------------------------

/** The slider's reading. @param {Data} data @param {number} step */
export function brief({ header }, step) {
  const offset = movedAt(header, step) - movedAt(header, header.home);
  return offset ? _("moved by {offset}", { offset: minus(`${offset > 0 ? "+" : ""}${offset.toLocaleString("en")}`) }) : _("true positions");
}

/** @param {Data} data @param {number} step */
export function stepSentence(data, step) {
  const [query, key] = data.header.positions[step];
  const at = { query: query.toLocaleString("en"), key: key.toLocaleString("en"), apart: Math.abs(query - key).toLocaleString("en"),
    score: signed(scoreAt(data, step), 3) };
  if (key > query) return _("Query at {query}, key at {key}, {apart} apart, the key later: a causal model hides it. Score {score}", at);
  return _("Query at {query}, key at {key}, {apart} apart: score {score}", at);
}

/** @param {Data} data @param {number} plane @param {number} step */
export function planeSentence({ header: { speeds }, arrays: { q, k, parts } }, plane, step) {
  const at = step * speeds.length + plane;
  const [a, b] = [q, k].map((vectors) => ({ length: Math.hypot(vectors[2 * at], vectors[2 * at + 1]),
    angle: Math.atan2(vectors[2 * at + 1], vectors[2 * at]) }));
  return _("Plane {plane}: {speed} rad per token, {turn} tokens a turn; |q| {q}, |k| {k}, angle {angle}°, adds {part}", {
    plane, speed: digits(speeds[plane], 4), turn: turnOf(speeds[plane]), q: digits(a.length, 4), k: digits(b.length, 4),
    angle: signed((shortWay(a.angle - b.angle) * 180) / Math.PI, 1), part: signed(parts[at], 4),
  });
}

/** An angle between -π and π. @param {number} angle */
function shortWay(angle) {
  return angle - 2 * Math.PI * Math.round(angle / (2 * Math.PI));
}

// --- how it is drawn ------------------------------------------------------------------------------------

/**
 * @param {Pen} pen
 * @param {Data} data
 * @param {Layout} layout
 * @param {Theme} theme
 * @param {{ step: number, hover: Hover | null }} shown
 */
export function drawClocks(pen, data, layout, theme, { step, hover }) {
  const plane = hover && "plane" in hover ? hover.plane : -1;
  drawDials(pen, data, layout.dials, theme, step, plane);
  drawBars(pen, data, layout.bars, theme, step, plane);
  drawCurve(pen, data, layout.curve, theme, step);
}

/** The middle of a dial. @param {Layout["dials"]} dials @param {number} plane */
const centreOf = ({ x, y, columns, cell }, plane) => [x + ((plane % columns) + 0.5) * cell,
  y + (Math.floor(plane / columns) + 0.5) * cell * TALL - 0.07 * cell];

/**
 * @param {Pen} pen
 * @param {Data} data
 * @param {Layout["dials"]} dials
 * @param {Theme} theme
 * @param {number} step
 * @param {number} lit the plane that is pointed at
 */
function drawDials(pen, { header: { speeds }, arrays: { q, k, parts } }, dials, theme, step, lit) {
  const colors = colorsOf(theme);
  const planes = speeds.length;
  const radius = 0.37 * dials.cell;
  const longest = [q, k].map((vectors) => Math.max(...speeds.map((_speed, j) => Math.hypot(vectors[2 * j], vectors[2 * j + 1]))) || 1); // turning keeps lengths
  for (let j = 0; j < planes; j++) {
    const [x, y] = centreOf(dials, j);
    const at = step * planes + j;
    const [query, key] = [q, k].map((vectors, which) => (
      { share: Math.hypot(vectors[2 * at], vectors[2 * at + 1]) / longest[which], angle: Math.atan2(vectors[2 * at + 1], vectors[2 * at]) }));
    pen.path(circle(x, y, radius), j === lit ? theme.text : theme.faint, 1.5);
    const reach = radius * Math.sqrt(query.share * key.share);
    pen.shape(wedge(x, y, reach, key.angle, shortWay(query.angle - key.angle)), parts[at] > 0 ? colors.adds : colors.takes, 0.45);
    const [kx, ky] = [x + radius * key.share * Math.cos(key.angle), y - radius * key.share * Math.sin(key.angle)];
    pen.line(x, y, kx, ky, colors.key, { width: 2 });
    pen.circle(kx, ky, 1.5 + 2.5 * key.share, colors.key);
    const [qx, qy] = [x + radius * query.share * Math.cos(query.angle), y - radius * query.share * Math.sin(query.angle)];
    pen.line(x, y, qx, qy, colors.query, { width: 2.5 });
    pen.shape(tip(qx, qy, query.angle, 3 + 6 * query.share), colors.query);
    const size = dials.cell < 56 ? 8 : 10;
    pen.text(x - radius - 0.02 * dials.cell, y - radius + 2, j, { color: theme.muted, size });
    const part = signed(parts[at], 2);
    pen.text(x, y + radius + 9, planes > NAMED ? part : `λ ${turnOf(speeds[j])}  ${part}`, { color: theme.text, align: "center", size });
  }
}

/** @param {number} x @param {number} y @param {number} r */
const circle = (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`;

/** Between two hands, from an angle on. @param {number} x @param {number} y @param {number} r @param {number} from @param {number} turned */
function wedge(x, y, r, from, turned) {
  const rim = Array.from({ length: 9 }, (_at, i) => from + (turned * i) / 8).map((angle) => `L${x + r * Math.cos(angle)} ${y - r * Math.sin(angle)}`);
  return `M${x} ${y}${rim.join("")}Z`;
}

/** An arrow's tip. @param {number} x @param {number} y @param {number} angle @param {number} size */
function tip(x, y, angle, size) {
  const corner = (/** @type {number} */ turned) => `${x - size * Math.cos(angle + turned)} ${y + size * Math.sin(angle + turned)}`;
  return `M${x} ${y}L${corner(0.45)}L${corner(-0.45)}Z`;
}

/**
 * @param {Pen} pen
 * @param {Data} data
 * @param {Box} box
 * @param {Theme} theme
 * @param {number} step
 * @param {number} lit
 */
function drawBars(pen, data, box, theme, step, lit) {
  const { header: { speeds, positions }, arrays: { parts } } = data;
  const colors = colorsOf(theme);
  const planes = speeds.length;
  const scores = positions.map((_pair, i) => scoreAt(data, i));
  const [low, high] = [Math.min(0, ...parts, ...scores), Math.max(0, ...parts, ...scores)];
  const before = low < 0 ? SUM : 0;
  const x = (/** @type {number} */ value) => box.x + before + ((value - low) / (high - low || 1)) * (box.width - before - SUM);
  const row = box.height / (planes + 1.5);
  pen.text(box.x - 30, box.y - 12, _("what each plane adds, q · k / √d there, and the sum"), { color: theme.muted });
  const every = Math.ceil(11 / row);
  for (let j = 0; j <= planes; j++) {
    const value = j < planes ? parts[step * planes + j] : scores[step];
    const y = box.y + (j < planes ? j : j + 0.5) * row;
    const [from, to] = [x(0), x(value)];
    const color = j === planes ? theme.text : value > 0 ? colors.adds : colors.takes;
    pen.rect(Math.min(from, to), y + 0.1 * row, Math.max(1, Math.abs(to - from)), 0.8 * row, color, j === lit ? theme.text : null);
    if (j === planes || j % every === 0) pen.text(box.x - 8, y + row / 2, j === planes ? _("sum") : j,
      { color: j === planes ? theme.text : theme.muted, align: "right", size: 10 });
    if (j === planes) pen.text(to + (value < 0 ? -5 : 5), y + row / 2, signed(value, 3),
      { color: theme.text, align: value < 0 ? "right" : "left", weight: 600, size: 12 });
  }
  pen.line(x(0), box.y, x(0), box.y + box.height, theme.muted);
}

/** Where the curve's steps and scores lie. @param {Data} data @param {Box} box */
function curveOf(data, box) {
  const { header } = data;
  const scores = header.positions.map((_pair, i) => scoreAt(data, i));
  const [low, high] = [Math.min(0, ...scores), Math.max(0, ...scores)]; // with zero: rounding must not look like change
  const pad = 0.15 * (high - low) || 1;
  const last = header.positions.length - 1;
  return {
    scores, low, high,
    x: (/** @type {number} */ step) => box.x + (step / Math.max(1, last)) * box.width,
    y: (/** @type {number} */ score) => box.y + box.height * (1 - (score - low + pad) / (high - low + 2 * pad)),
  };
}

/**
 * @param {Pen} pen
 * @param {Data} data
 * @param {Box} box
 * @param {Theme} theme
 * @param {number} step
 */
function drawCurve(pen, data, box, theme, step) {
  const { header } = data;
  const { scores, low, high, x, y } = curveOf(data, box);
  const title = { key: _("score by position of the key"), query: _("score by position of the query"),
    both: _("score by position of the query, the key moving along") }[header.moves];
  pen.text(box.x - 30, box.y - 12, title, { color: theme.muted });
  pen.line(box.x, y(0), box.x + box.width, y(0), theme.faint);
  pen.line(x(header.home), box.y, x(header.home), box.y + box.height, theme.muted, { dash: "2 3" });
  pen.path(scores.map((score, i) => `${i ? "L" : "M"}${x(i)} ${y(score)}`).join(""), theme.primary, 1.8);
  pen.circle(x(step), y(scores[step]), 5, theme.text);
  for (const value of new Set([low, high])) pen.text(box.x - 8, y(value), minus(value.toFixed(1)), { color: theme.muted, align: "right", size: 10 });
  const last = scores.length - 1;
  const marks = [...new Set([0, header.home, last])].filter((at) => at === header.home || Math.abs(x(at) - x(header.home)) > 30);
  for (const at of marks) pen.text(x(at), box.y + box.height + 11, movedAt(header, at).toLocaleString("en"),
    { color: theme.muted, align: at === last && at ? "right" : at ? "center" : "left", size: 10 });
}

/**
 * What lies under a point: a plane's dial or bar, a step of the curve.
 * @param {Data} data
 * @param {Layout} layout
 * @param {number} x
 * @param {number} y
 * @returns {Hover | null}
 */
export function hoverAt({ header }, { dials, bars, curve }, x, y) {
  const planes = header.speeds.length;
  const inside = (/** @type {Box} */ box) => x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height;
  if (inside(dials)) {
    const plane = Math.floor((y - dials.y) / (dials.cell * TALL)) * dials.columns + Math.floor((x - dials.x) / dials.cell);
    return plane < planes ? { plane } : null;
  }
  if (inside(bars)) {
    const plane = Math.floor(((y - bars.y) / bars.height) * (planes + 1.5));
    return plane < planes ? { plane } : null;
  }
  const last = header.positions.length - 1;
  return inside(curve) ? { step: Math.round(((x - curve.x) / curve.width) * last) } : null;
}
