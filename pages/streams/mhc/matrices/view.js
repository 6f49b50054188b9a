// @ts-check
// H_pre, H_post and H_res of every sublayer at every token, and one matrix in detail: eigenvalues, spread, course, permutations.

import { makeAxis, walk } from "#canvas/axis.js";
import { make } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";
import { cells, go, live, penOf, saving, segments, widthOf } from "#canvas/live.js";
import { singularValues, sums } from "#canvas/matrix.js";
import { makeStrip } from "#canvas/strip.js";
import { digits } from "#canvas/text.js";
import { sublayerAxis, sublayerOf, tokenAxis, tokenName, tokenOf } from "../places.js";
import { birkhoff, coloured, distances, unpackRoots } from "./arithmetic.js";
import { fixed, small } from "./numbers.js";
import { TITLE, drawCourse, drawMaps, drawMatrix, drawPlane, drawSpread } from "./panels.js";
import { LIGHTEST, drawWirings, refusal, wiringsHeight } from "./wirings.js";

/** @typedef {import("../places.js").Walked & { streams: number, kind: "manifold" | "hyper" | "residual", model: string, tolerance: number,
 * maths: boolean }} Header */
/** @typedef {{ pre: Float32Array, post: Float32Array, res: Float32Array, roots: Float32Array, pairs: Uint8Array }} Arrays */
/** @typedef {import("../places.js").Place & { cell: [row: number, col: number] | null, colors: "value" | "change" }} Place */
/**
 * `ranges` are the ends of all scales, from the whole text, so that pictures of its tokens can be compared; `over` is what was
 * computed of sublayers over all tokens; `plans` is where panels were drawn.
 * @typedef {import("#canvas/live.js").View<Header, Arrays, Place> & { ranges: Record<"value" | "change" | "pre" | "post" | "sum", number>,
 *   over: Map<number, ReturnType<typeof overTokens>>, result: ReturnType<typeof analyse>, entry: [row: number, col: number], plans: Record<string, any> }} View
 */
/** @typedef {"maps" | "matrix" | "plane" | "spread" | "course" | "wirings"} Name */

const STACKED = 700; // pixels of width below which panels stand below each other
const SIZES = /** @type {Record<string, number>} */ ({ maps: 446, matrix: 228, plane: 200, spread: 112, course: 112 }); // pixels of height
const DRAW = { maps: drawMaps, matrix: drawMatrix, plane: drawPlane, spread: drawSpread, course: drawCourse, wirings: drawWirings };

/** H_res [N * N], H_pre [N] or H_post [N] of a sublayer at a token. @param {View} v @param {"pre" | "post" | "res"} name */
export function matrixAt(v, name, sublayer = sublayerOf(v), token = tokenOf(v)) {
  const size = name === "res" ? v.header.streams ** 2 : v.header.streams;
  const start = (sublayer * v.header.tokens.length + token) * size;
  return v.arrays[name].subarray(start, start + size);
}

/** @param {View} v @param {number} sublayer @param {number} token */
function rootsAt({ header: { streams, tokens }, arrays }, sublayer, token) {
  const start = (sublayer * tokens.length + token) * streams;
  return unpackRoots(arrays.roots.subarray(start, start + streams), arrays.pairs.subarray(start, start + streams));
}

/** One sublayer over all tokens: mean and standard deviation of every entry, and all eigenvalues. @param {View} v @param {number} sublayer */
function overTokens(v, sublayer) {
  const matrices = v.header.tokens.map((__, t) => matrixAt(v, "res", sublayer, t));
  const average = (/** @type {(matrix: Float32Array, k: number) => number} */ of) =>
    Float64Array.from(matrices[0], (__, k) => matrices.reduce((sum, matrix) => sum + of(matrix, k), 0) / matrices.length);
  const mean = average((matrix, k) => matrix[k]);
  const spread = average((matrix, k) => (matrix[k] - mean[k]) ** 2).map(Math.sqrt);
  return { mean, spread, allRoots: matrices.flatMap((__, t) => rootsAt(v, sublayer, t)) };
}

/** Everything that is computed of the matrix looked at. @param {View} v */
function analyse(v) {
  const [N, sublayer, matrix] = [v.header.streams, sublayerOf(v), matrixAt(v, "res")];
  if (!v.over.has(sublayer)) v.over.set(sublayer, overTokens(v, sublayer));
  const parts = v.header.kind === "hyper" ? null : birkhoff(matrix, N, v.header.tolerance);
  return { matrix, ...sums(matrix, N), ...distances(matrix, N), roots: rootsAt(v, sublayer, tokenOf(v)), singular: singularValues(matrix, N), parts,
    ...v.over.get(sublayer) };
}

/** The ends of all scales. @param {View} v */
function fitScales(v) {
  const { header: { streams: N, tokens }, arrays } = v;
  const larger = (/** @type {number} */ most, /** @type {number} */ x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most);
  const largest = (/** @type {Float32Array} */ values) => values.reduce(larger, 0) || 1;
  let sum = 1;
  for (let start = 0; start < arrays.res.length; start += N * N) {
    const { rows, columns } = sums(arrays.res.subarray(start, start + N * N), N);
    sum = [...rows, ...columns].reduce(larger, sum);
  }
  const change = arrays.res.reduce((most, x, k) => larger(most, x - (k % (N * N) % (N + 1) ? 0 : 1)), 0) || 1;
  Object.assign(v, { over: new Map(), plans: {}, ranges: { value: largest(arrays.res), change, pre: largest(arrays.pre), post: largest(arrays.post), sum } });
  v.els.strip.fill(tokens);
}

/** Name, value and explanation of each number beside the eigenvalues. @param {View} v @returns {string[][]} */
function facts({ header, result: { roots, singular, rows, columns, fromIdentity, fromMean } }) {
  const off = (/** @type {Float64Array} */ values) => small(Math.max(...Array.from(values, (x) => Math.abs(x - 1))));
  const second = roots.length > 1 ? Math.hypot(...roots[1]) : null;
  const ends = [[_("rows off 1 by"), off(rows), _("Largest distance of a row sum from 1")],
    [_("columns off 1 by"), off(columns), _("Largest distance of a column sum from 1")]];
  if (!header.maths) {
    return [
      [_("largest growth"), `× ${digits(singular[0], 5)}`, _("The most that a signal can grow in one step")],
      [_("fades to"), second === null ? "–" : `× ${digits(second, 4)}`, _("What remains of a difference between streams when they are mixed once")],
      [_("from no mixing"), fixed(fromIdentity), _("Difference from a matrix that carries every stream on as it is: root of the squares' sum")],
      [_("from full mixing"), fixed(fromMean), _("Difference from a matrix that makes all streams equal: root of the squares' sum")], ...ends,
    ];
  }
  return [
    [_("singular values σ"), `${singular.slice(0, 4).map((x) => x.toFixed(3)).join(" ")}${singular.length > 4 ? " …" : ""}`,
      singular.map((x) => digits(x, 6)).join(", ")],
    [_("largest σ = ‖H‖₂"), digits(singular[0], 5), _("Spectral norm: the most that a signal can grow in one step")],
    [_("second |λ|"), second === null ? "–" : digits(second, 4), _("How fast differences between streams fade when this matrix is applied again and again")],
    ["‖H − I‖F", digits(fromIdentity, 4), _("Frobenius distance from the identity: 0 carries every stream on as it is")],
    ["‖H − 1/N‖F", digits(fromMean, 4), _("Frobenius distance from 1/N everywhere, which makes all streams equal")], ...ends,
  ];
}

/** What lies below a pixel of a panel, as a change of the place. @type {Record<string, (v: View, px: number, py: number) => Partial<Place> | null>} */
const UNDER = {
  maps({ plans: { maps: { x, y, width, height, columns } }, header }, px, py) {
    const [col, row] = [Math.floor((px - x) / width), Math.floor((py - y) / height)];
    const sublayer = row * columns + col;
    return row >= 0 && col >= 0 && col < columns && sublayer < header.names.length ? { sublayer } : null;
  },
  matrix: (v, px, py) => entryUnder(v, v.plans.matrix, px, py),
  spread: (v, px, py) => entryUnder(v, v.plans.spread, px, py),
  course: ({ plans: { course: { x, width } }, header: { tokens } }, px) =>
    ({ token: Math.max(0, Math.min(tokens.length - 1, Math.round(((px - x) / width) * (tokens.length - 1)))) }),
};

/** @param {View} v @param {import("./panels.js").CellPlan} plan @param {number} px @param {number} py @returns {Partial<Place> | null} */
function entryUnder({ header: { streams } }, { x, y, cell }, px, py) {
  const [row, col] = [Math.floor((py - y) / cell), Math.floor((px - x) / cell)];
  return row >= 0 && col >= 0 && row < streams && col < streams ? { cell: [row, col] } : null;
}

/** What an arrow key on a panel chooses. @param {View} v @param {string} name @param {number} dx @param {number} dy @returns {Partial<Place>} */
function stepped(v, name, dx, dy) {
  const keep = (/** @type {number} */ value, /** @type {number} */ count) => Math.max(0, Math.min(count - 1, value));
  const { names, tokens, streams } = v.header;
  if (name === "maps") return { sublayer: keep(sublayerOf(v) + dx + dy * v.plans.maps.columns, names.length) };
  if (name === "course") return { token: keep(tokenOf(v) + dx - dy, tokens.length) };
  return { cell: [keep(v.entry[0] + dy, streams), keep(v.entry[1] + dx, streams)] };
}

/** @param {View} v @param {string} name */
function makePanel(v, name) {
  const canvas = make("canvas", { testid: name, role: "img" });
  const under = UNDER[name];
  if (under) cells(v, canvas, { under: (x, y) => v.plans?.[name] && under(v, x, y), choose: (change) => go(v, change),
    beside: (dx, dy) => stepped(v, name, dx, dy) });
  if (name === "course") canvas.addEventListener("pointermove", ({ buttons, offsetX }) => buttons && go(v, UNDER.course(v, offsetX, 0))); // drag along the text
  return canvas;
}

/** @param {View} v */
function build(v) {
  const [tokens, depth] = [makeAxis(v, tokenAxis(v)), makeAxis(v, sublayerAxis(v))];
  const colors = segments(() => [["value", "H", _("Colours show the entries")],
    ["change", "H − I", _("Colours show what differs from the identity, from the largest difference in this text")]],
    () => v.place.colors, (chosen) => go(v, { colors: chosen }), _("Colours"));
  const strip = makeStrip((token) => walk(v, tokenAxis(v), token));
  v.ends.push(strip.end);
  const panels = Object.fromEntries(Object.keys(DRAW).map((name) => [name, makePanel(v, name)]));
  const [list, said] = [make("dl"), make("p", { className: "said", "aria-live": "polite" })];
  const save = saving(v, "tlmviz-matrices", {
    height: (width) => Math.max(464, 374 + wiringsHeight(v, 0.61 * width)), draw: (pen, theme, width) => drawAll(pen, v, theme, width), narrow: false,
    title: () => _("{model} · {sublayer} at token {token}", { model: v.header.model, sublayer: v.header.names[sublayerOf(v)], token: tokenName(v) }),
  });
  Object.assign(v.els, { tokens, depth, colors, strip, panels, list, said });
  const framed = (/** @type {string} */ name) => make("div", { className: "panel" }, panels[name]);
  return [make("div", { className: "bar" }, tokens.parts[1], depth.parts[1], colors.root, save), strip.root,
    make("div", { className: "body" }, framed("maps"), make("div", { className: "detail" },
      make("div", { className: "row first" }, framed("matrix"), framed("plane"), list),
        make("div", { className: "row second" }, framed("spread"), framed("course")), framed("wirings"))), said];
}

/** The whole figure: panels as on a wide screen, and the numbers. @param {import("#canvas/pens.js").Pen} pen @param {View} v
 * @param {import("#canvas/theme.js").Theme} theme @param {number} width */
function drawAll(pen, v, theme, width) {
  const [left, plans] = [410, v.plans]; // drawing sets the plans of the page
  v.plans = {};
  const places = { maps: [0, 0, 390, SIZES.maps], matrix: [left, 0, 290, SIZES.matrix], plane: [710, 0, 160, SIZES.plane],
    spread: [left, 240, 148, SIZES.spread],
    course: [left + 162, 240, width - left - 162, SIZES.course], wirings: [left, 364, width - left, 200] };
  for (const [name, [x, y, wide, height]] of Object.entries(places)) DRAW[/** @type {Name} */ (name)](pen, v, theme, { x, y, width: wide, height });
  v.plans = plans;
  facts(v).forEach(([name, value], k) => {
    pen.text(884, 30 + 24 * k + (k ? 20 : 0), name, { color: theme.muted, size: 11 }); // the first value stands in a line of its own
    pen.text(width, 50 + 24 * k, value, { color: theme.text, size: 11, align: "right" });
  });
}

/** @param {View} v @param {Name} name @param {number} width */
function panelHeight(v, name, width) {
  const count = v.header.names.length;
  if (name === "wirings") return wiringsHeight(v, width);
  if (!v.root.classList.contains("stacked")) return SIZES[name];
  if (name !== "maps") return SIZES[name] + (name === "matrix" ? 40 : 0);
  return TITLE + Math.ceil(count / (count > 20 ? 8 : 4)) * (count > 20 ? 66 : 100);
}

/** The matrix looked at, or the entry that is pointed at, in one sentence. @param {View} v */
function sentence(v, hover = v.hover) {
  const N = v.header.streams;
  if (hover?.cell) {
    const [row, col] = hover.cell;
    const k = row * N + col;
    return _("from stream {col} into stream {row}: {value}; over tokens {mean} ± {spread}",
      { col, row, value: digits(v.result.matrix[k], 7), mean: digits(v.result.mean[k], 4), spread: digits(v.result.spread[k], 2) });
  }
  const [sublayer, token] = [hover?.sublayer ?? sublayerOf(v), hover?.token ?? tokenOf(v)];
  const far = distances(matrixAt(v, "res", sublayer, token), N);
  return _("{sublayer} at token {token}: Frobenius distance from the identity {identity}, from equal streams {mean}",
    { sublayer: v.header.names[sublayer], token: tokenName(v, token), identity: digits(far.fromIdentity, 3), mean: digits(far.fromMean, 3) });
}

/** Panels in words, for screen readers. @type {Record<Name, (v: View) => string>} */
const LABELS = {
  maps: (v) => _("H_res of all {count} sublayers at token {token}; chosen: {name}. Arrow keys choose another.",
    { count: v.header.names.length, token: tokenName(v), name: v.header.names[sublayerOf(v)] }),
  matrix: (v) => _("{said}. {what}: {rows}. Row sums {sums}, column sums {columns}. Arrow keys choose an entry.", {
    said: sentence(v, null), what: v.place.colors === "change" ? _("H − I, rows") : _("Rows"),
    rows: Array.from({ length: v.header.streams }, (__, i) =>
      Array.from(coloured(v.result.matrix, v.header.streams, v.place.colors)).slice(i * v.header.streams, (i + 1) * v.header.streams).map(
      (x) => digits(x, 3)).join(" ")).join("; "),
    sums: Array.from(v.result.rows, (x) => fixed(x)).join(" "), columns: Array.from(v.result.columns, (x) => fixed(x)).join(" "),
  }),
  plane: (v) => _("Eigenvalues in the complex plane with the unit circle: {roots}.",
    { roots: v.result.roots.map(([a, b]) => `${fixed(a, 3)}${b ? ` ${b < 0 ? "−" : "+"} ${fixed(Math.abs(b), 3)}i` : ""}`).join(", ") }),
  spread: (v) => _("Standard deviation over tokens of every entry, at most {most}. Arrow keys choose an entry.",
    { most: digits(Math.max(...v.result.spread), 2) }),
  course: (v) => _("Entry {row}, {col} of {name} along {count} tokens. Left and right arrow keys choose a token.",
    { row: v.entry[0], col: v.entry[1], name: v.header.names[sublayerOf(v)], count: v.header.tokens.length }),
  wirings: (v) => (v.result.parts ? _("H_res as a weighted sum of permutations of the streams, weights {weights}.",
    { weights: v.result.parts.terms.filter((term) => term.weight >= LIGHTEST).map((term) => digits(term.weight, 3)).join(", ") }) : _(
    "H_res as a wiring. {why}", { why: refusal(v) })),
};

/** @param {View} v */
function paint(v) {
  const { els, header: { streams: N } } = v;
  v.result = analyse(v);
  const beside = Array.from(v.result.matrix, (x, k) => (k % (N + 1) ? Math.abs(x) : -1));
  const largest = Math.max(0, beside.indexOf(Math.max(...beside)));
  const [row, col] = v.place.cell ?? [Math.floor(largest / N), largest % N]; // while none is chosen, where streams mix the most
  v.entry = [Math.min(row, N - 1), Math.min(col, N - 1)];
  v.root.classList.toggle("stacked", v.width < STACKED);
  els.list.replaceChildren(...facts(v).flatMap(([textContent, value, title]) =>
    [make("dt", { textContent, title }), make("dd", { textContent: value, title })]));
  for (const name of /** @type {Name[]} */ (Object.keys(DRAW))) {
    const width = widthOf(els.panels[name]);
    const height = panelHeight(v, name, width);
    DRAW[name](penOf(v, els.panels[name], height), v, v.theme, { x: 0, y: 0, width, height });
    els.panels[name].setAttribute("aria-label", LABELS[name](v));
  }
  for (const part of [els.tokens, els.depth, els.colors]) part.repaint();
  els.strip.mark(tokenOf(v));
  els.said.textContent = sentence(v);
  const found = { roots: v.result.roots, singular: v.result.singular, terms: v.result.parts?.terms ?? null };
  Object.assign(v.root.dataset, { place: `${sublayerOf(v)}.${tokenOf(v)}`, plans: JSON.stringify(v.plans), found: JSON.stringify(found) });
}

export default live({ id: "matrices", build, paint, fit: fitScales });
