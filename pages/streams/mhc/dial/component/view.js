// The dial: what is chosen, what is computed from it, and what is told to the server once the hands rest.

const REST = 400; // ms without a change before the link is brought up to date
const NARROW = 700; // pixels of width below which the pictures are stacked
const STEP = 260; // ms of a half step while playing

function leave(v) {
  clearTimeout(v.timer);
  clearInterval(v.playing);
  v.observer.disconnect();
}

// --- data in, state out --------------------------------------------------------------------------

function receive(v, data) {
  if (!data) return;
  v.data = data;
  if (data.origin !== v.origin) {
    v.origin = data.origin;
    Object.assign(v, data.place);
    v.cursor = null;
    Object.assign(v, { sent: null, known: null, underway: [] });
  }
  if (data.model) {
    v.logits = floats(data.model.logits);
    v.token = Math.min(v.token, data.model.tokens.length - 1);
    v.sublayer = Math.min(v.sublayer, data.model.sublayers.length - 1);
    fillMenus(v);
  } else {
    receiveOwn(v, data.own);
  }
  v.stacked = v.root.clientWidth < NARROW;
  v.els.forModel.hidden = v.els.gains.hidden = !data.model;
  v.els.forOwn.hidden = v.els.edit.hidden = Boolean(data.model);
  v.key = null;
  paint(v);
}

/** Cells are rebuilt for a matrix from elsewhere, not for the echo of an edit: the next one may be half typed. */
function receiveOwn(v, { typed, words }) {
  const echo = v.underway.lastIndexOf(typed);
  if (echo >= 0) {
    v.underway.splice(0, echo + 1);
  } else if (typed === v.sent || (typed === v.known && v.underway.length)) {
    return; // the server has not yet seen the last edit
  } else {
    Object.assign(v, { sent: typed, underway: [], words: words.map((row) => [...row]) });
    buildCells(v);
  }
  v.known = typed;
}

function floats(base64) {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  return new Float32Array(bytes.buffer);
}

/** Draw now, tell the server when the hands rest. */
function act(v, change) {
  Object.assign(v, change);
  paint(v);
  clearTimeout(v.timer);
  v.timer = setTimeout(() => {
    const { token, sublayer, step, temperature } = v;
    v.component.setStateValue("place", { token, sublayer, step, temperature });
  }, REST);
}

// --- what is computed ----------------------------------------------------------------------------

/** The logits of one sublayer at the chosen token, as doubles. */
function modelLogits(v, sublayer) {
  const { n, tokens } = v.data.model;
  const start = (sublayer * tokens.length + v.token) * n * n;
  return Float64Array.from(v.logits.subarray(start, start + n * n));
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Typed words as logits; null where the server will say what is wrong. */
function ownLogits(v) {
  const values = v.words.flat().map((word) => {
    const text = word.replace("−", "-").replace("∞", "inf");
    if (/^-inf$/i.test(text) && v.data.own.kind === "logits") return -Infinity;
    const value = NUMBER.test(text) ? Number(text) : NaN;
    if (v.data.own.kind === "logits") return value;
    return value >= 0 ? Math.log(value) : NaN;
  });
  return values.some((value) => Number.isNaN(value) || value === Infinity) ? null : Float64Array.from(values);
}

/** Everything the pictures show. It changes with the matrix and the temperature, not with the dial. */
function compute(v) {
  const own = v.data.own;
  const key = [v.origin, v.token, v.sublayer, v.temperature, own?.kind, own && JSON.stringify(v.words)].join("|");
  if (key === v.key) return;
  const raw = own ? ownLogits(v) : modelLogits(v, v.sublayer);
  if (!raw) return; // the last matrix that could be read stays
  v.key = key;
  v.raw = raw;
  v.n = Math.round(Math.sqrt(raw.length));
  const cooled = (values) => values.map((value) => value / v.temperature);
  const logits = cooled(raw);
  v.steps = halfSteps(logits, v.n).map(entries);
  v.trail = v.steps.map((m) => errors(m, v.n));
  const pattern = Array.from(raw, (value) => (value === -Infinity ? "0" : "+")).join("");
  v.support = !own ? { kind: "total", blocks: 1 } : own.support.pattern === pattern ? own.support : null;
  v.rate = v.support && v.support.kind === "total" ? rateOf(logits, v.n, v.support.blocks) : NaN;
  if (!own) v.gains = depthGains(v.data.model.sublayers.map((_, p) => cooled(modelLogits(v, p))), v.n);
}

// --- painting ------------------------------------------------------------------------------------

function paint(v) {
  if (!v.data || !v.root.clientWidth) return;
  compute(v);
  if (!v.steps) return;
  const { els, step } = v;
  v.theme = withScale(themeOf(v.root), v.data.colors);
  els.dial.value = step;
  els.dial.setAttribute("aria-valuetext", stepName(step));
  els.at.textContent = stepName(step);
  els.heat.value = Math.round(100 * Math.log10(v.temperature));
  els.degrees.textContent = shown(v.temperature, 2);
  if (v.data.model) {
    els.token.value = v.token;
    els.sublayer.value = v.sublayer;
  }
  for (const [name, draw] of Object.entries(PICTURES)) {
    const svg = els[name].querySelector("svg");
    if (name === "gain" && !v.data.model) continue;
    const { markup, height } = draw(v, v.theme, Math.max(240, els[name].clientWidth));
    svg.innerHTML = markup;
    svg.setAttribute("height", height);
  }
  els.matrix.querySelector("svg").setAttribute("aria-label", matrixWords(v));
  els.residual.querySelector("svg").setAttribute("aria-label", `Residual against iterations, logarithmic. ${speedWords(v)}`);
  els.cell.textContent = cellWords(v);
  els.speed.textContent = speedWords(v);
  if (v.data.model) {
    els.depth.textContent = gainWords(v);
    els.gain.querySelector("svg").setAttribute("aria-label", `Gain over depth against iterations. ${gainWords(v)}`);
  }
  els.verdict.hidden = !v.data.own;
  els.verdict.textContent = v.data.own ? (v.support ? v.data.own.verdict : "Checking whether a scaling exists …") : "";
  els.verdict.className = `verdict ${v.support?.kind ?? ""}`;
  els.toggle.setAttribute("aria-pressed", v.distance);
  Object.assign(v.root.dataset, { step, residual: v.trail[step].both, rate: v.rate, n: v.n, painted: (v.painted = (v.painted ?? 0) + 1) });
}

const HEIGHT = 312; // pixels of the curves

const PICTURES = {
  matrix(v, theme, width) {
    const side = Math.min(width, v.stacked ? 380 : 300);
    v.plan = matrixPicture(theme, v.steps[v.step], v.n, side, v.step ? (v.step + 1) % 2 : null, v.cursor);
    return { markup: v.plan.svg, height: v.plan.height };
  },
  residual(v, theme, width) {
    const used = v.data.model?.iterations;
    return { markup: residualPicture(theme, { width, height: HEIGHT, trail: v.trail, rate: v.rate, at: v.step / 2, used }), height: HEIGHT };
  },
  gain(v, theme, width) {
    const used = v.data.model?.iterations;
    return { markup: gainPicture(theme, { width, height: HEIGHT, gains: v.gains, distance: v.distance, at: v.step / 2, used }), height: HEIGHT };
  },
};

function stepName(step) {
  const k = Math.floor(step / 2);
  if (step === 0) return "0 iterations: largest entry set to 1";
  return step % 2 ? `Iteration ${k + 1}: rows scaled` : `Iteration ${k}: columns scaled too`;
}

function matrixWords(v) {
  const { rows, columns } = sums(v.steps[v.step], v.n);
  const list = (values) => Array.from(values, (value) => shown(value)).join(", ");
  return `${v.n} by ${v.n} matrix. ${stepName(v.step)}. Row sums ${list(rows)}. Column sums ${list(columns)}. Arrow keys read its entries.`;
}

function cellWords(v) {
  if (v.cursor === null || v.cursor >= v.n * v.n) return "Point at an entry, or use the arrow keys, to read it exactly.";
  const value = v.steps[v.step][v.cursor];
  const exact = value !== 0 && value < 1e-6 ? value.toExponential(6) : value.toFixed(9);
  return `Row ${Math.floor(v.cursor / v.n) + 1}, column ${(v.cursor % v.n) + 1}: ${exact}, from the logit ${shown(v.raw[v.cursor], 4)}`;
}

function speedWords(v) {
  const now = v.trail[v.step].both;
  const before = v.step > 1 ? v.trail[v.step - 2].both : NaN;
  const measured = before > 1e-14 && now > 1e-15 ? `; this iteration × ${shown(now / before, 4)}` : "";
  const expected = v.rate > 0 ? `; in the end × σ₂² = ${shown(v.rate, 4)} each` : "";
  if (v.support?.kind === "total" && Number.isNaN(v.rate)) return `Residual ${brief(now)}${measured}. The limit is out of reach: no rate is drawn.`;
  return `Residual ${now < 1e-15 ? "below 1e−15" : brief(now)}${measured}${expected}.`;
}

function gainWords(v) {
  const [forward, backward] = v.gains[Math.floor(v.step / 2)];
  const k = Math.floor(v.step / 2);
  return `${v.data.model.sublayers.length} sublayers with ${k} iteration${k === 1 ? "" : "s"} each: forward × ${exactly(forward)}, backward × ${exactly(backward)}.`;
}

/** A gain: as a distance from 1 where digits would not show it. */
function exactly(gain) {
  const away = gain - 1;
  if (Math.abs(away) < 1e-15) return "1";
  return Math.abs(away) < 5e-4 ? `(1 ${away < 0 ? "−" : "+"} ${brief(Math.abs(away))})` : brief(gain);
}
