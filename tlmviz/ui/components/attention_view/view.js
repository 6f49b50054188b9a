// One view per mounted element: its DOM, its state, and what happens when data arrives or the user acts.

const STAGE_NAMES = { dot: "q·k", scaled: "scaled", masked: "masked", softmax: "softmax" };
const STAGE_NOTES = {
  dot: "Products of queries and keys",
  scaled: "Times the scale, plus the bias",
  masked: "Later tokens hidden",
  softmax: "Probabilities: every row sums to 1",
};
const NARROW = 700;
const CACHED_HEADS = 12;
const MOST_OVERLAID = 5;

function leave(v) {
  clearTimeout(v.timer);
  v.observer.disconnect();
}

// --- data in, state out --------------------------------------------------------------------------

function receive(v, bytes) {
  if (!bytes) return;
  if (bytes !== v.bytes) {
    v.bytes = bytes;
    const { header, arrays } = decode(bytes);
    Object.assign(v, { header, arrays, textId: `${textKey(header)}:${checksum(arrays.overview)}`, hover: null, arcHover: null });
    const { layer, head } = header.chosen;
    remember(v, headKey(v, layer, head), new Head(header, arrays));
    if (arrays.rows) v.rows = { textId: v.textId, query: header.state.query, data: arrays.rows };
    adopt(v, header);
  }
  repaint(v);
}

/** Another model, or other weights behind the same text, shows in the overview's bytes. */
function checksum(bytes) {
  let hash = 0;
  for (let i = 0; i < bytes.length; i++) hash = (Math.imul(hash, 31) + bytes[i]) | 0;
  return hash;
}

/** The browser's state stands unless the server speaks of something newer, or of another origin. */
function adopt(v, { state, origin, tokens }) {
  const { seq = -1, ...rest } = state;
  if (origin !== v.origin) {
    clearTimeout(v.timer);
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

function headKey(v, layer, head) {
  return `${v.textId}|${layer}.${head}`;
}

function remember(v, key, head) {
  const known = v.cache.get(key) ?? head;
  v.cache.delete(key);
  v.cache.set(key, known);
  if (v.cache.size > CACHED_HEADS) v.cache.delete(v.cache.keys().next().value);
}

/** A user's action: show it now, tell the server once the hands rest. */
function act(v, change) {
  v.state = { ...v.state, ...change };
  v.seq += 1;
  repaint(v);
  const now = performance.now();
  const repeating = now - (v.actedAt ?? -1000) < 120;
  v.actedAt = now;
  clearTimeout(v.timer);
  if (repeating) v.timer = setTimeout(() => tell(v), 30);
  else tell(v);
}

function tell(v) {
  v.component.setStateValue("view", { ...v.state, seq: v.seq });
}

function choose(v, layer, head) {
  if (layer !== v.state.layer || head !== v.state.head) act(v, { layer, head });
}

function toggleOverlay(v, [layer, head]) {
  if (layer === v.state.layer && head === v.state.head) return;
  const others = v.state.overlay.filter(([l, h]) => l !== layer || h !== head);
  const overlay = others.length < v.state.overlay.length ? others : [...others, [layer, head]].slice(-MOST_OVERLAID);
  act(v, { overlay });
}

// --- painting ------------------------------------------------------------------------------------

function repaint(v) {
  const before = v.theme?.dark;
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  if (before !== undefined && before !== v.theme.dark) tell(v); // the charts beside take their colours from the server
  v.root.style.setProperty("--height", `${v.header.height ?? 460}px`);
  v.root.classList.toggle("dark", v.theme.dark);
  v.stacked = v.root.clientWidth < NARROW;
  v.root.classList.toggle("stacked", v.stacked);
  syncControls(v);
  paintOverview(v);
  repaintDetail(v);
}

function repaintDetail(v) {
  const { layer, head, mode } = v.state;
  const key = headKey(v, layer, head);
  v.exact = v.cache.get(key) ?? null;
  if (v.exact) {
    remember(v, key, v.exact);
    if (v.painted && v.painted !== v.exact) v.painted.release(); // one whole map in memory at a time
    v.painted = v.exact;
  }
  v.els.reset.hidden = !v.zoom || mode === "arcs";
  if (mode === "arcs") paintArcs(v);
  else paintMap(v);
  const paints = Number(v.els.marks.dataset.paints ?? 0) + 1;
  const { tokens } = v.header;
  const marks = {
    paints,
    paintedHead: `${layer}.${head}`,
    paintedText: `${tokens.join("").length}:${tokens.length}`,
    paintedKind: v.exact ? "exact" : "preview",
    paintedAt: performance.now().toFixed(1),
    firstAt: v.els.marks.dataset.firstAt ?? performance.now().toFixed(1),
  };
  if (v.mapPlan) {
    const { x, y, side, row, col, n } = v.mapPlan;
    marks.plan = JSON.stringify({ x, y, side, row, col, n });
  }
  Object.assign(v.els.marks.dataset, marks);
  Object.assign(v.root.dataset, marks);
}

function syncControls(v) {
  const { els, header, state } = v;
  const index = state.layer * header.heads + state.head;
  const arcs = state.mode === "arcs";
  const count = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;
  els.count.textContent = `${count(header.layers, "layer")} × ${count(header.heads, "head")}`;
  els.order.value = state.order;
  els.hint.textContent =
    state.order === "position" ? "Shift-click overlays a head in Arcs." : `${STATISTICS[state.order].label}: ${STATISTICS[state.order].note}.`;
  els.title.textContent = `Layer ${state.layer}, head ${state.head}`;
  const chip = (name) => {
    const value = header.stats?.[name]?.[index];
    return make("span", { className: "chip", title: STATISTICS[name].label }, `${name} `, make("b", { textContent: short(value) + (value == null ? "" : STATISTICS[name].unit) }));
  };
  els.chips.replaceChildren(...["entropy", "previous", "induction", "sink"].map(chip));
  for (const [name, button] of Object.entries(els.modes)) button.setAttribute("aria-pressed", name === state.mode);
  for (const [name, button] of Object.entries(els.stages)) {
    button.setAttribute("aria-pressed", name === state.stage);
  }
  els.log.setAttribute("aria-pressed", state.log);
  els.log.disabled = state.stage !== "softmax";
  els.stageGroup.hidden = els.log.hidden = arcs;
  els.figure.hidden = arcs;
  els.arcPane.hidden = !arcs;
  els.marks.setAttribute(
    "aria-label",
    `Attention map of layer ${state.layer}, head ${state.head}: ${header.tokens.length} tokens, stage ${STAGE_NAMES[state.stage]}. Arrow keys move the pinned cell, Escape unpins.`,
  );
}

/** `lines`: a title and rows of [name, value, colour of the swatch]. */
function showTooltip(v, event, { title, rows }) {
  const { tooltip } = v.els;
  const list = rows.map(([name, value, color]) => {
    const row = make("div", { className: "row" }, make("span", {}, name), make("b", { textContent: value }));
    if (color) {
      const swatch = make("span", { className: "swatch" });
      swatch.style.background = color;
      row.firstChild.prepend(swatch);
    }
    return row;
  });
  tooltip.replaceChildren(make("div", { className: "head", textContent: title }), ...list);
  tooltip.hidden = false;
  const frame = v.root.getBoundingClientRect();
  const x = event.clientX - frame.left;
  const y = event.clientY - frame.top;
  const { offsetWidth: width, offsetHeight: height } = tooltip;
  const left = x + 16 + width > frame.width ? x - width - 12 : x + 16;
  const top = y > frame.height * 0.55 ? y - height - 12 : y + 16;
  tooltip.style.left = `${Math.max(2, Math.min(left, frame.width - width - 2))}px`;
  tooltip.style.top = `${Math.max(2, top)}px`;
}

function hideTooltip(v) {
  v.els.tooltip.hidden = true;
}

// --- the DOM, built once -------------------------------------------------------------------------

function button(text, title, onclick) {
  return make("button", { type: "button", textContent: text, title, onclick });
}

function create(host) {
  const v = { seq: 0, cache: new Map(), atlas: document.createElement("canvas"), hoverTile: null, arcHover: null, hover: null, zoom: null, timer: 0 };
  const els = (v.els = {});
  const orders = ["position", ...Object.keys(STATISTICS)];
  els.order = make("select", {}, ...orders.map((name) => make("option", { value: name, textContent: STATISTICS[name]?.label ?? "Position" })));
  els.count = make("span", { className: "count" });
  els.overview = make("canvas", { testid: "overview", tabIndex: 0, role: "grid" });
  els.scroller = make("div", { className: "scroller" }, els.overview);
  els.hint = make("p", { className: "hint" });
  els.title = make("h3", { "aria-live": "polite" });
  els.chips = make("div", { className: "chips" });
  const pick = (names, key) => Object.fromEntries(
    Object.entries(names).map(([name, [text, note]]) => [name, button(text, note, () => act(v, { [key]: name }))]));
  els.modes = pick({ map: ["Map", "Every query against every key"], arcs: ["Arcs", "The text, and what one token attends to"] }, "mode");
  els.stages = pick(Object.fromEntries(STAGES.map((name) => [name, [STAGE_NAMES[name], STAGE_NOTES[name]]])), "stage");
  els.log = button("log", "Logarithmic colours, 0.0001 to 1", () => act(v, { log: !v.state.log }));
  els.reset = button("Reset zoom", "Show the whole map (double-click does too)", () => zoomTo(v, null));
  const saves = ["png", "svg"].map((kind) => button(kind.toUpperCase(), `Save this figure as ${kind.toUpperCase()}`, () => save(v, kind)));
  const group = (name, buttons) => make("div", { className: "segments", role: "group", "aria-label": name }, ...buttons);
  els.stageGroup = group("Stage", Object.values(els.stages));
  els.map = make("canvas", {});
  els.marks = make("canvas", { testid: "detail", tabIndex: 0, role: "img" });
  els.figure = make("div", { className: "figure" }, els.map, els.marks);
  els.flow = make("div", { className: "flow", dir: "auto" });
  els.arcs = make("canvas", { className: "curves", role: "img" });
  els.legend = make("div", { className: "legend" });
  els.text = make("div", { className: "text", testid: "arcs", tabIndex: 0 }, make("div", { className: "inner" }, els.flow, els.arcs));
  els.arcPane = make("div", { className: "arcpane" }, els.legend, els.text);
  els.tooltip = make("div", { className: "tooltip", testid: "tooltip", role: "tooltip", hidden: true });
  v.root = make("div", { className: "view" },
    make("section", { className: "overview", "aria-label": "All heads" },
      make("div", { className: "bar" }, els.count, make("label", {}, "Order", els.order)),
      els.scroller,
      els.hint),
    make("section", { className: "detail", "aria-label": "Chosen head" },
      make("div", { className: "bar" }, els.title, els.chips, make("div", { className: "saves" }, ...saves)),
      make("div", { className: "bar tools" },
        group("View", Object.values(els.modes)), els.stageGroup, els.log, els.reset),
      els.figure,
      els.arcPane),
    els.tooltip);
  host.append(v.root);
  wireOverview(v);
  wireMap(v);
  wireArcs(v);
  v.root.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    hideTooltip(v);
    if (v.state.query !== null) act(v, { query: null, key: null });
  });
  let measured = "";
  v.observer = new ResizeObserver(() => {
    const size = [v.root, els.figure, els.scroller].map((e) => `${e.clientWidth}`).join() + `,${els.figure.clientHeight},${v.stacked || els.scroller.clientHeight}`;
    if (size === measured || !v.header) return;
    measured = size;
    repaint(v);
  });
  for (const element of [v.root, els.figure, els.scroller]) v.observer.observe(element);
  return v;
}
