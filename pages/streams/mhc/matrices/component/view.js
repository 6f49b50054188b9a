// One view per mounted element: its DOM, its state, and what happens when data arrives or the user acts.

const NARROW = 700;
const REST = 400; // milliseconds without an action after which the server hears of it
const HEIGHTS = { maps: 452, matrix: 232, plane: 204, spread: 116, course: 116 };
const DRAW = { maps: drawMaps, matrix: drawMatrix, plane: drawPlane, spread: drawSpread, course: drawCourse, wirings: drawWirings };

function leave(v) {
  clearTimeout(v.timer);
  v.observer.disconnect();
  for (const [type, listener] of Object.entries(v.outside)) document.removeEventListener(type, listener, true);
}

// --- data in, state out --------------------------------------------------------------------------

function receive(v, bytes) {
  if (!bytes) return;
  if (!equal(bytes, v.bytes)) {
    v.bytes = new Uint8Array(bytes);
    const { header, arrays } = decode(bytes);
    Object.assign(v, { header, arrays, P: header.names.length, T: header.tokens.length, N: header.streams });
    const { seq, ...state } = header.state;
    if (seq >= v.seq) Object.assign(v, { state, seq });
    const inside = (value, count) => Math.max(0, Math.min(value, count - 1));
    v.state = {
      ...v.state, token: inside(v.state.token, v.T), sublayer: inside(v.state.sublayer, v.P),
      row: inside(v.state.row, v.N), col: inside(v.state.col, v.N),
    };
    measure(v);
    buildTokens(v);
  }
  repaint(v);
}

/** Whether the server sent what is known already, as it does when it was the browser that spoke. */
function equal(bytes, known) {
  return bytes.length === known?.length && known.every((byte, i) => byte === bytes[i]);
}

/** A user's action: show it now, tell the server once the hands rest. */
function act(v, change) {
  v.state = { ...v.state, ...change };
  v.seq += 1;
  v.untold = true;
  repaint(v);
  clearTimeout(v.timer);
  if (!v.dragging) v.timer = setTimeout(() => tell(v), REST);
}

function tell(v) {
  clearTimeout(v.timer);
  if (!v.untold) return;
  v.untold = false;
  v.els.said.textContent = sentence(v);
  v.component.setStateValue("place", { ...v.state, seq: v.seq });
}

// --- painting ------------------------------------------------------------------------------------

function repaint(v) {
  const start = performance.now();
  v.theme = readTheme(v.root, v.header.colors, v.theme);
  v.found = analyse(v);
  v.root.classList.toggle("stacked", v.root.clientWidth < NARROW);
  syncControls(v);
  for (const name of Object.keys(DRAW)) paintPanel(v, name);
  Object.assign(v.root.dataset, {
    place: `${v.state.sublayer}.${v.state.token}`, plans: JSON.stringify(v.plans), paintMs: (performance.now() - start).toFixed(1),
    firstAt: v.root.dataset.firstAt ?? performance.now().toFixed(1),
    found: JSON.stringify({ roots: v.found.roots, singular: v.found.singular, terms: v.found.parts?.terms ?? null }),
  });
}

function paintPanel(v, name) {
  const canvas = v.els[name];
  const width = canvas.parentElement.clientWidth;
  if (!width) return;
  const height = panelHeight(v, name, width);
  DRAW[name](canvasPen(fit(canvas, width, height), v.theme), v, v.theme, { x: 0, y: 0, width, height });
  canvas.setAttribute("aria-label", LABELS[name](v));
}

function panelHeight(v, name, width) {
  if (name === "wirings") return wiringsHeight(v, width);
  if (!v.root.classList.contains("stacked")) return HEIGHTS[name];
  if (name !== "maps") return HEIGHTS[name] + (name === "matrix" ? 40 : 0);
  return TITLE + Math.ceil(v.P / (v.P > 20 ? 8 : 4)) * (v.P > 20 ? 66 : 100);
}

const LABELS = {
  maps: (v) => `H_res of all ${v.P} sublayers at token ${tokenName(v)}; chosen: ${v.header.names[v.state.sublayer]}. Arrow keys choose another.`,
  matrix: (v) => `${sentence(v)} Rows: ${Array.from({ length: v.N }, (_, i) => Array.from(v.found.matrix.subarray(i * v.N, (i + 1) * v.N), (x) => digits(x, 3)).join(" ")).join("; ")}. ` +
    `Row sums ${Array.from(v.found.rows, (x) => number(x)).join(" ")}, column sums ${Array.from(v.found.columns, (x) => number(x)).join(" ")}. Arrow keys choose an entry.`,
  plane: (v) => `Eigenvalues in the complex plane with the unit circle: ${v.found.roots.map(([a, b]) => `${number(a, 3)}${b ? ` ${b < 0 ? "−" : "+"} ${number(Math.abs(b), 3)}i` : ""}`).join(", ")}.`,
  spread: (v) => `Standard deviation over tokens of every entry, at most ${digits(Math.max(...v.found.spread), 2)}. Arrow keys choose an entry.`,
  course: (v) => `Entry ${v.state.row}, ${v.state.col} of ${v.header.names[v.state.sublayer]} along ${v.T} tokens. Left and right arrow keys choose a token.`,
  wirings: (v) => (v.found.parts ? `H_res as a weighted sum of permutations of the streams, weights ${v.found.parts.terms.filter((term) => term.weight >= LIGHTEST).map((term) => digits(term.weight, 3)).join(", ")}.` : `H_res as a wiring. ${refusal(v)}`),
};

function syncControls(v) {
  const { els, state, header } = v;
  Object.assign(els.token, { max: v.T - 1, value: state.token });
  Object.assign(els.sublayer, { max: v.P - 1, value: state.sublayer });
  els.token.setAttribute("aria-valuetext", tokenName(v));
  els.sublayer.setAttribute("aria-valuetext", header.names[state.sublayer]);
  els.tokenName.textContent = `${state.token} of ${v.T - 1}`;
  els.sublayerName.textContent = header.names[state.sublayer];
  for (const [name, button] of Object.entries(els.colors)) button.setAttribute("aria-pressed", name === state.colors);
  els.facts.replaceChildren(...facts(v).flatMap(([textContent, value, title]) => [make("dt", { textContent, title }), make("dd", { textContent: value, title })]));
  const chosen = els.strip.children[state.token];
  if (v.marked !== chosen) {
    v.marked?.classList.remove("chosen");
    chosen.classList.add("chosen");
    v.marked = chosen;
    els.strip.scrollLeft = chosen.offsetLeft - els.strip.clientWidth / 2;
  }
}

function buildTokens(v) {
  const { strip } = v.els;
  const text = v.header.tokens.join("\u0001");
  if (v.text === text) return;
  v.text = text;
  v.marked = null;
  strip.replaceChildren(...v.header.tokens.map((token, i) => {
    const span = make("span", { className: /^ +\S/.test(token) ? "token spaced" : "token", textContent: clip(shown(token), 24) });
    span.dataset.index = i;
    return span;
  }));
}

// --- the DOM, built once -------------------------------------------------------------------------

function slider(v, key, name) {
  const input = make("input", { type: "range", min: 0, step: 1, "aria-label": name, testid: `slider-${key}` });
  input.addEventListener("pointerdown", () => (v.dragging = true));
  input.addEventListener("input", () => act(v, { [key]: Number(input.value) }));
  return input;
}

function create(host) {
  const v = { seq: 0, plans: {}, timer: 0, dragging: false, untold: false };
  const els = (v.els = {});
  els.token = slider(v, "token", "Token");
  els.sublayer = slider(v, "sublayer", "Sublayer");
  els.tokenName = make("output", {});
  els.sublayerName = make("output", {});
  const button = (textContent, title, onclick) => make("button", { type: "button", textContent, title, onclick });
  els.colors = {
    value: button("H", "Colours show the entries", () => act(v, { colors: "value" })),
    change: button("H − I", "Colours show what differs from the identity, from the largest difference in this text", () => act(v, { colors: "change" })),
  };
  const saves = ["svg", "png"].map((kind) => button(kind.toUpperCase(), `Save this figure as ${kind.toUpperCase()}`, () => saveFigure(v, kind)));
  els.strip = make("div", { className: "strip", testid: "tokens" });
  els.strip.addEventListener("click", ({ target }) => target.dataset.index && act(v, { token: Number(target.dataset.index) }));
  els.facts = make("dl", {});
  els.said = make("p", { className: "said", "aria-live": "polite" });
  const panel = (name) => {
    els[name] = make("canvas", { testid: name, role: "img", tabIndex: name === "plane" || name === "wirings" ? -1 : 0 });
    return make("div", { className: `panel ${name}` }, els[name]);
  };
  els.tip = make("div", { className: "tip", role: "tooltip", hidden: true });
  v.root = make("div", { className: "matrices", testid: "matrices" },
    make("div", { className: "bar" },
      make("label", { className: "slider wide" }, "Token", els.token, els.tokenName),
      make("label", { className: "slider" }, "Sublayer", els.sublayer, els.sublayerName),
      make("div", { className: "segments", role: "group", "aria-label": "Colours" }, ...Object.values(els.colors)),
      make("div", { className: "saves" }, ...saves)),
    els.strip,
    make("div", { className: "body" }, panel("maps"),
      make("div", { className: "detail" },
        make("div", { className: "row first" }, panel("matrix"), panel("plane"), els.facts),
        make("div", { className: "row second" }, panel("spread"), panel("course")),
        panel("wirings"))),
    els.said, els.tip);
  host.append(v.root);
  wire(v);
  v.observer = new ResizeObserver(() => v.header && v.root.clientWidth !== v.width && ((v.width = v.root.clientWidth), repaint(v)));
  v.observer.observe(v.root);
  return v;
}
