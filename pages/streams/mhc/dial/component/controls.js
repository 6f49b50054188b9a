// The DOM, built once: dial, menus, cells to edit, and saving the pictures.

function create(host) {
  const v = { step: 0, temperature: 1, token: 0, sublayer: 0, cursor: null, distance: false, words: [], timer: 0 };
  const els = (v.els = {});
  const button = (text, title, act_) => {
    const made = make("button", "", text);
    Object.assign(made, { type: "button", title, onclick: act_ });
    made.setAttribute("aria-label", title);
    return made;
  };
  const move = (by) => act(v, { step: Math.min(2 * ITERATIONS, Math.max(0, v.step + by)) });

  els.dial = slider("Half steps of Sinkhorn-Knopp", 0, 2 * ITERATIONS, (value) => act(v, { step: value }));
  els.play = button("▶", "Play or pause", () => play(v));
  els.at = make("output", "at");
  els.heat = slider("Temperature", -130, 130, (value) => act(v, { temperature: value === 0 ? 1 : 10 ** (value / 100) }));
  els.heat.title = "Divides the logits: entries are raised to the power 1/T";
  els.degrees = make("output", "degrees");
  els.token = menu("Token", (value) => act(v, { token: value }));
  els.sublayer = menu("Sublayer", (value) => act(v, { sublayer: value }));
  const both = (name, select, label) => make("span", "pair", label,
    button("‹", `Previous ${name}`, () => shift(v, name, -1)), select, button("›", `Next ${name}`, () => shift(v, name, 1)));
  els.forModel = make("span", "group", both("token", els.token, "Token"), both("sublayer", els.sublayer, "Sublayer"),
    button("Edit", "Take these logits over as your own matrix", () => tellText(v, "taken", textOf(v))));
  els.size = make("b", "size");
  els.forOwn = make("span", "group", make("span", "pair", "Size", button("−", "One row and column fewer", () => resize(v, -1)), els.size,
    button("+", "One row and column more", () => resize(v, 1))));
  const reset = button("T = 1", "Temperature back to 1", () => act(v, { temperature: 1 }));
  const save = button("SVG", "Save these pictures as SVG", () => download(v));

  els.matrix = panel("matrix");
  els.cell = make("p", "words");
  els.residual = panel("residual");
  els.speed = make("p", "words");
  els.gain = panel("gain");
  els.depth = make("p", "words");
  els.toggle = button("|gain − 1|", "Show the distance from 1 on a logarithmic axis", () => ((v.distance = !v.distance), paint(v)));
  els.gains = make("div", "gains", els.gain, els.depth, els.toggle);
  els.cells = make("div", "cells");
  els.edit = make("div", "editor", make("p", "title", "Your matrix, to edit"), els.cells);
  els.verdict = make("p", "verdict");
  els.verdict.setAttribute("aria-live", "polite");
  v.root = make("div", "dial",
    make("div", "bar", els.forModel, els.forOwn, make("label", "pair", "Temperature", els.heat, els.degrees), reset, save),
    make("div", "bar turn", els.play, button("‹", "A half step back", () => move(-1)), els.dial, button("›", "A half step on", () => move(1)), els.at),
    els.verdict,
    make("div", "panels",
      els.edit,
      make("div", "", els.matrix, els.cell),
      make("div", "", els.residual, els.speed),
      els.gains));
  host.append(v.root);
  wireMatrix(v);
  v.observer = new ResizeObserver(() => {
    v.stacked = v.root.clientWidth < NARROW;
    if (v.root.clientWidth !== v.width) (v.width = v.root.clientWidth), paint(v);
  });
  v.observer.observe(v.root);
  return v;
}

function make(tag, className = "", ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}

function slider(name, min, max, moved) {
  const input = Object.assign(make("input"), { type: "range", min, max, step: 1 });
  input.setAttribute("aria-label", name);
  input.addEventListener("input", () => moved(Number(input.value)));
  return input;
}

function menu(name, chosen) {
  const select = make("select");
  select.setAttribute("aria-label", name);
  select.addEventListener("change", () => chosen(Number(select.value)));
  return select;
}

function panel(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("width", "100%");
  svg.setAttribute("role", "img");
  if (name === "matrix") svg.setAttribute("tabindex", "0");
  return make("div", `picture ${name}`, svg);
}

function fillMenus(v) {
  const { tokens, sublayers } = v.data.model;
  const text = JSON.stringify([tokens, sublayers]);
  if (text === v.menus) return;
  v.menus = text;
  const fill = (select, names) => select.replaceChildren(...names.map((name, i) => Object.assign(make("option", "", name), { value: i })));
  fill(v.els.token, tokens.map((token, i) => `${i + 1}: ${token}`));
  fill(v.els.sublayer, sublayers);
}

function shift(v, name, by) {
  const count = v.data.model[`${name}s`].length;
  act(v, { [name]: Math.min(count - 1, Math.max(0, v[name] + by)) });
}

function play(v) {
  if (v.playing) return pause(v);
  if (v.step === 2 * ITERATIONS) v.step = 0;
  v.els.play.textContent = "❚❚";
  v.playing = setInterval(() => {
    act(v, { step: v.step + 1 });
    if (v.step >= 2 * ITERATIONS) pause(v);
  }, STEP);
}

function pause(v) {
  clearInterval(v.playing);
  v.playing = 0;
  v.els.play.textContent = "▶";
}

/** Pointing at an entry reads it; so do the arrow keys. */
function wireMatrix(v) {
  const svg = v.els.matrix.querySelector("svg");
  const read = (event) => {
    const at = event.target.dataset?.cell;
    if (at !== undefined && Number(at) !== v.cursor) (v.cursor = Number(at)), paint(v);
  };
  svg.addEventListener("pointermove", read);
  svg.addEventListener("click", read);
  svg.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!by) return;
    event.preventDefault();
    const now = v.cursor ?? 0;
    const [i, j] = [Math.floor(now / v.n), now % v.n];
    const inside = (x) => Math.min(v.n - 1, Math.max(0, x));
    v.cursor = v.cursor === null ? 0 : inside(i + by[0]) * v.n + inside(j + by[1]);
    paint(v);
  });
}

// --- a matrix of one's own -----------------------------------------------------------------------

function buildCells(v) {
  const n = v.words.length;
  v.els.size.textContent = `${n} × ${n}`;
  v.els.cells.style.setProperty("--n", n);
  v.els.cells.classList.toggle("tiny", n > 8);
  v.els.cells.replaceChildren(...v.words.flatMap((row, i) => row.map((word, j) => {
    const input = Object.assign(make("input"), { value: word, title: word, spellcheck: false, autocomplete: "off" });
    input.setAttribute("aria-label", `Row ${i + 1}, column ${j + 1}`);
    input.addEventListener("change", () => edited(v, i, j, input));
    input.addEventListener("paste", (event) => pasted(v, event));
    input.addEventListener("keydown", (event) => walk(v, event, i, j));
    return input;
  })));
}

function edited(v, i, j, input) {
  v.words[i][j] = input.title = input.value = input.value.trim().replace(/[\s,;[\]]+/g, "_") || "0";
  send(v);
}

/** Several numbers replace the whole matrix. */
function pasted(v, event) {
  const text = event.clipboardData.getData("text");
  if (!/\S[\s,;]+\S/.test(text)) return;
  event.preventDefault();
  tellText(v, "edited", text);
}

/** Up, down and Enter go from cell to cell. */
function walk(v, event, i, j) {
  const by = { ArrowUp: -1, ArrowDown: 1, Enter: 1 }[event.key];
  if (!by) return;
  event.preventDefault();
  v.els.cells.children[Math.min(v.words.length - 1, Math.max(0, i + by)) * v.words.length + j].focus();
}

function resize(v, by) {
  const n = v.words.length + by;
  if (n < 2 || n > 16) return;
  v.words = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (__, j) => v.words[i]?.[j] ?? (i === j ? "1" : "0")));
  buildCells(v);
  send(v);
}

function send(v) {
  v.sent = v.words.map((row) => row.join(" ")).join("\n");
  v.underway.push(v.sent);
  paint(v);
  tellText(v, "edited", v.sent);
}

/** The chosen sublayer's logits as text. */
function textOf(v) {
  const words = Array.from(v.raw, (value) => String(Number(value.toPrecision(7))));
  return Array.from({ length: v.n }, (_, i) => words.slice(i * v.n, (i + 1) * v.n).join(" ")).join("\n");
}

function tellText(v, name, text) {
  v.told = (v.told ?? 0) + 1; // the same text twice is two events
  v.component.setTriggerValue(name, { text, told: v.told });
}

// --- taking it away ------------------------------------------------------------------------------

function download(v) {
  const theme = withScale(PAPER, v.data.colors);
  const width = 380;
  let x = 16;
  const parts = Object.entries(PICTURES).filter(([name]) => name !== "gain" || v.data.model).map(([, draw]) => {
    const part = `<g transform="translate(${x} 40)">${draw(v, theme, width).markup}</g>`;
    x += width + 24;
    return part;
  });
  const heading = label(16, 22, `${v.data.name}: ${stepName(v.step)}; temperature ${shown(v.temperature, 2)}`, { color: PAPER.ink, size: 14, weight: 600 });
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${x}" height="400" font-family="sans-serif"><rect width="100%" height="100%" fill="#ffffff"/>${heading}${parts.join("")}</svg>`;
  const link = Object.assign(make("a"), { href: URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" })), download: "tlmviz-sinkhorn-dial.svg" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
