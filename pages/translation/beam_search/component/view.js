// Sliders, bars and marks. A row keeps its element, so that a change of rank is seen as a movement.

const HEIGHT = 27; // pixels of a row
const SEEN = 11; // rows that are seen before scrolling: they set the scale
const SLIDERS = { alpha: ["α length", 2], beta: ["β coverage", 2], gamma: ["γ end", 2] };
const TERMS = { logp: "log P", length: "length", coverage: "coverage", end: "end" };
const PRESETS = { "No penalties": { alpha: 0, beta: 0, gamma: 0 }, GNMT: { alpha: 0.6, beta: 0.2, gamma: 0 } };

function leave() {}

function receive(v, data) {
  if (!data) return;
  const text = JSON.stringify(data.rows) + data.kind;
  if (data.origin !== v.origin) {
    v.origin = data.origin;
    v.weights = { ...data.weights };
    v.before = null;
  }
  if (text !== v.text) {
    v.text = text;
    v.before = null;
  }
  v.data = data;
  for (const [name, { label }] of Object.entries(v.sliders)) label.hidden = name !== "alpha" && !data.source;
  paint(v);
}

function create(host) {
  const v = { sliders: {}, rows: new Map(), weights: { alpha: 0, beta: 0, gamma: 0 } };
  const bar = make("div", "bar");
  for (const [name, [title, most]] of Object.entries(SLIDERS)) {
    const input = Object.assign(make("input"), { type: "range", min: 0, max: most, step: 0.01 });
    const value = make("output");
    const label = make("label", "slider", title, input, value);
    input.setAttribute("aria-label", title);
    input.addEventListener("pointerdown", () => begin(v));
    input.addEventListener("keydown", () => begin(v));
    input.addEventListener("input", () => {
      v.weights[name] = Number(input.value);
      paint(v);
    });
    input.addEventListener("change", () => send(v));
    v.sliders[name] = { input, value, label };
    bar.append(label);
  }
  for (const [title, weights] of Object.entries(PRESETS)) {
    const button = Object.assign(make("button", "", title), { type: "button" });
    button.addEventListener("click", () => {
      begin(v);
      v.weights = { ...weights };
      paint(v);
      send(v);
    });
    bar.append(button);
  }
  const save = Object.assign(make("button", "", "SVG"), { type: "button", title: "Save this ranking as SVG" });
  save.addEventListener("click", () => download(v));
  v.said = make("p", "said");
  v.said.setAttribute("aria-live", "polite");
  v.list = make("div", "list");
  v.list.setAttribute("role", "list");
  const title = make("div", "title", make("b", "", "Final ranking"), " in nats: log P and coverage lead left from 0, length and end terms lead back");
  v.root = make("div", "ranking", make("div", "top", title, legend(), save), bar, v.said, v.list);
  host.append(v.root);
  return v;
}

function legend() {
  return make("div", "legend", ...Object.entries(TERMS).map(([name, title]) => make("span", "", make("i", name), title)));
}

/** Remember the order before a change: marks compare with it. */
function begin(v) {
  v.before = new Map(v.order.map((row, rank) => [row.id, rank]));
}

function send(v) {
  v.component.setStateValue("weights", { ...v.weights });
}

// --- painting ------------------------------------------------------------------------------------

function paint(v) {
  const { rows, kind, source } = v.data;
  const weights = source ? v.weights : { ...v.weights, beta: 0, gamma: 0 };
  for (const [name, { input, value }] of Object.entries(v.sliders)) {
    input.value = v.weights[name];
    value.textContent = v.weights[name].toFixed(2);
  }
  v.order = rank(rows, weights, kind);
  v.span = span(v.order);
  const seen = new Set();
  let moved = 0;
  v.order.forEach((row, place) => {
    let own = v.rows.get(row.id);
    if (!own) v.rows.set(row.id, (own = newRow(v)));
    seen.add(row.id);
    const was = v.before?.get(row.id) ?? place;
    moved += was !== place;
    fill(v, own, row, place, was);
  });
  for (const [id, own] of v.rows) if (!seen.has(id)) own.root.remove(), v.rows.delete(id);
  v.list.style.setProperty("--height", `${v.order.length * HEIGHT}px`);
  v.said.textContent = sentence(v, moved);
}

function sentence(v, moved) {
  const [best] = v.order;
  const probable = v.data.rows[0]; // the rows come in order of log P
  if (!best) return "";
  const winner = best.id === probable.id ? "The most probable text wins" : `“${probable.text}” is more probable; “${best.text}” wins`;
  if (!v.before) return `${winner}.`;
  return moved ? `${winner}. ${moved} of ${v.order.length} changed places (▲▼).` : `${winner}. The order is the same.`;
}

/** Where the bars of the best texts reach: down to what is negative, and above zero where an end term leads there. */
function span(all) {
  const order = all.slice(0, SEEN);
  const low = Math.min(-1e-3, ...order.map(({ parts }) => parts.logp + parts.coverage));
  return [low, Math.max(0, ...order.map(({ parts }) => parts.total))];
}

function newRow(v) {
  const names = ["place", "move", "text", "chart", "score"];
  const own = Object.fromEntries(names.map((name) => [name, make("span", name)]));
  for (const name of [...Object.keys(TERMS), "tick"]) own.chart.append((own[name] = make("i", name)));
  own.root = make("div", "row", ...names.map((name) => own[name]));
  own.root.setAttribute("role", "listitem");
  v.list.append(own.root);
  return own;
}

function fill(v, own, row, place, was) {
  const { parts } = row;
  own.root.style.top = `${place * HEIGHT}px`;
  own.root.classList.toggle("best", place === 0);
  own.place.textContent = place + 1;
  own.move.textContent = was > place ? `▲${was - place}` : was < place ? `▼${place - was}` : "";
  own.move.className = `move ${was > place ? "up" : "down"}`;
  own.text.textContent = row.text + (row.finished ? "" : " …");
  own.score.textContent = signed(parts.total);
  own.root.title = `${row.text}${row.finished ? "" : " … (unfinished)"}\n${row.count} tokens; ` +
    Object.entries(TERMS).map(([name, title]) => `${title} ${signed(parts[name], 4)}`).join(", ") + `; score ${signed(parts.total, 4)}` +
    `\nmean probability per token (geometric): ${Math.exp(row.logp / row.count).toFixed(4)}`;
  for (const [name, [from, to]] of Object.entries(bars(parts))) {
    own[name].style.left = `${share(v, Math.min(from, to))}%`;
    own[name].style.width = `${share(v, Math.max(from, to)) - share(v, Math.min(from, to))}%`;
  }
  own.tick.style.left = `${share(v, parts.total)}%`;
}

/** Each term from where to where: what is negative leads left from zero, what is positive leads back. */
function bars({ logp, length, coverage, end }) {
  const low = logp + coverage;
  return { logp: [0, logp], coverage: [logp, low], length: [low, low + length], end: [low + length, low + length + end] };
}

function share(v, value) {
  const [low, high] = v.span;
  return (100 * (value - low)) / (high - low);
}

function signed(value, digits = 2) {
  return value.toFixed(digits).replace("-", "−");
}

// --- taking it away ------------------------------------------------------------------------------

const COLORS = { logp: "#3f88c2", length: "#159a74", coverage: "#e08a00", end: "#c2529b" };

function download(v) {
  const [text, chart, end] = [330, 480, 70];
  const parts = v.order.map((row, place) => {
    const y = 34 + place * HEIGHT;
    const at = (value) => text + (share(v, value) * chart) / 100;
    const rects = Object.entries(bars(row.parts)).map(([name, [from, to]]) => {
      const top = name === "logp" || name === "coverage" ? y : y + 9;
      return `<rect x="${at(Math.min(from, to)).toFixed(1)}" y="${top}" width="${Math.abs(at(to) - at(from)).toFixed(1)}" height="8" fill="${COLORS[name]}"/>`;
    });
    const label = `${place + 1}. ${row.text}`;
    return `<text x="${text - 8}" y="${y + 13}" text-anchor="end">${escaped(label.length > 52 ? label.slice(0, 51) + "…" : label)}</text>${rects.join("")}` +
      `<text x="${text + chart + 8}" y="${y + 13}">${signed(row.parts.total)}</text>`;
  });
  const names = Object.entries(TERMS).map(([name, title], i) => `<rect x="${text + 90 * i}" y="8" width="10" height="10" fill="${COLORS[name]}"/><text x="${text + 90 * i + 14}" y="17">${title}</text>`);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${text + chart + end}" height="${44 + v.order.length * HEIGHT}" font-family="sans-serif" font-size="12">${names.join("")}${parts.join("")}</svg>`;
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" })), download: "tlmviz-ranking.svg" });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function escaped(text) {
  return text.replace(/[&<>]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]);
}

function make(tag, className = "", ...children) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
}
