// The map of one head: heat image, axes of tokens, colour bar, and the marks drawn over it.

const LABEL = 76; // widest token label, in pixels
const BAR = 10; // width of the colour bar

/** The part of the map in view: a square of n x n cells at (row, col). */
function windowOf(v) {
  const T = v.header.tokens.length;
  if (!v.zoom || v.zoom.n >= T) return { row: 0, col: 0, n: T };
  const n = v.zoom.n;
  return { n, row: Math.max(0, Math.min(v.zoom.row, T - n)), col: Math.max(0, Math.min(v.zoom.col, T - n)) };
}

const labels = new Map(); // measuring text is slow, and tokens repeat

/** A label that fits into `limit` pixels. */
function label(ctx, token, limit) {
  const key = `${ctx.font}|${token}`;
  if (!labels.has(key)) {
    if (labels.size > 5000) labels.clear();
    labels.set(key, shorten(ctx, token, limit));
  }
  return labels.get(key);
}

function shorten(ctx, token, limit) {
  let text = clip(shown(token), 14);
  for (let length = 13; length > 1 && ctx.measureText(text).width > limit; length--) text = clip(shown(token), length);
  return text;
}

/** Where everything goes inside width x height. */
function mapPlan(v, ctx, width, height) {
  const view = windowOf(v);
  const { tokens } = v.header;
  ctx.font = font(v.theme);
  let widest = [0, 0];
  const sample = Math.max(1, Math.floor(view.n / 160));
  for (let i = 0; i < view.n; i += sample) {
    widest = [view.row, view.col].map((start, axis) =>
      Math.max(widest[axis], Math.min(LABEL, ctx.measureText(label(ctx, tokens[start + i], LABEL)).width)));
  }
  const right = 70;
  const left = Math.ceil(Math.max(widest[0], 30)) + 10;
  const top = 20;
  const place = (slanted) => Math.ceil(slanted ? widest[1] * 0.71 + 16 : widest[1] + 10);
  const sideFor = (bottom) => Math.max(60, Math.min(width - left - right, height - top - bottom));
  let side = sideFor(place(true));
  const slanted = side / view.n >= 17;
  if (!slanted) side = sideFor(place(false));
  if (side > view.n * 2) side = Math.floor(side);
  const x = left + Math.max(0, Math.floor((width - left - right - side) / 2));
  return { ...view, x, y: top, side, cell: side / view.n, slanted, left, width, height,
    step: Math.max(1, Math.ceil(12.5 / (side / view.n))) };
}

/** The heat image: one pixel per cell, or per screen pixel where cells are smaller than that. */
function heatImage(v, plan, theme, ratio = window.devicePixelRatio || 1) {
  const canvas = document.createElement("canvas");
  const head = v.exact;
  const stage = head ? v.state.stage : "softmax";
  let m, values, limit;
  if (head) {
    m = Math.min(plan.n, Math.round(plan.side * ratio));
    values = head.picture(stage, plan.row, plan.col, plan.n, m);
    limit = head.range(stage);
  } else {
    ({ m, values, limit } = preview(v));
  }
  const soft = stage === "softmax";
  const log = soft && v.state.log;
  const table = soft ? theme.sequential : theme.diverging;
  const image = new ImageData(m, m);
  const { data } = image;
  for (let x = 0; x < values.length; x++) {
    const value = values[x];
    if (value !== value) {
      if (stage === "masked") data.set([...theme.missingRgb, 255], 4 * x);
      continue; // blank: the background shows
    }
    // square-root steps, as in the overview: faint weights stay visible, and the bar says which they are
    const t = log ? Math.log10(value) / 4 + 1 : soft ? Math.sqrt(value / limit) : 0.5 + (0.5 * value) / limit;
    const level = 3 * Math.max(0, Math.min(255, Math.round(255 * t)));
    data[4 * x] = table[level];
    data[4 * x + 1] = table[level + 1];
    data[4 * x + 2] = table[level + 2];
    data[4 * x + 3] = 255;
  }
  canvas.width = canvas.height = m;
  canvas.getContext("2d").putImageData(image, 0, 0);
  // a preview covers the whole map: cut out what is in view
  const T = v.header.tokens.length;
  const cut = head ? null : { x: (plan.col / T) * m, y: (plan.row / T) * m, size: (plan.n / T) * m };
  return { canvas, stage, log, limit, cut };
}

/** The chosen head's tile of the overview as probabilities, while q and k are on their way. */
function preview(v) {
  const m = v.header.overview_size;
  const first = (v.state.layer * v.header.heads + v.state.head) * m * m;
  const values = new Float32Array(m * m);
  let limit = 0;
  for (let x = 0; x < values.length; x++) {
    const byte = v.arrays.overview[first + x];
    values[x] = (byte / 255) ** 2;
    if (x >= m && values[x] > limit) limit = values[x];
    if (!byte && x % m > Math.floor(x / m)) values[x] = NaN;
  }
  return { m, values, limit: limit || 1 };
}

/** The whole figure, with a pen that writes to a canvas or to SVG. */
function drawMap(pen, v, plan, theme, ratio) {
  const heat = heatImage(v, plan, theme, ratio);
  const { x, y, side, cell, step } = plan;
  const { tokens } = v.header;
  pen.image(heat.canvas, x, y, side, side, heat.cut);
  if (heat.stage === "masked") {
    pen.hatch(futureShape(plan), fade(theme.text, 0.12));
    if (plan.n === tokens.length) pen.text(x + side * 0.74, y + side * 0.2, "hidden", { align: "center", color: theme.muted });
  }
  pen.rect(x - 0.5, y - 0.5, side + 1, side + 1, null, theme.faint);
  pen.text(x, y - 11, "↓ from (query)   → to (key)", { color: theme.muted });
  for (let i = 0; i < plan.n; i += step) {
    const middle = (i + 0.5) * cell;
    pen.line(x - 4, y + middle, x - 1, y + middle, theme.faint);
    pen.text(x - 7, y + middle, tokens[plan.row + i], { align: "right", token: LABEL, color: theme.text });
    pen.line(x + middle, y + side + 1, x + middle, y + side + 4, theme.faint);
    const at = x + middle + (plan.slanted ? 3 : 0);
    const rotate = plan.slanted ? -Math.PI / 4 : -Math.PI / 2;
    pen.text(at, y + side + 8, tokens[plan.col + i], { align: "right", rotate, token: LABEL, color: theme.text });
  }
  colorBar(pen, v, plan, theme, heat);
  return heat;
}

/** The hidden part of the view as one path: for every query the keys after it (or outside its window). */
function futureShape(plan) {
  const { x, y, cell, side } = plan;
  let path = "";
  for (let r = 0; r < plan.n; r++) {
    const from = Math.max(0, plan.row + r + 1 - plan.col) * cell;
    if (from < side) path += `M${x + from} ${y + r * cell}H${x + side}v${cell}H${x + from}Z`;
  }
  return path;
}

function colorBar(pen, v, plan, theme, heat) {
  const x = plan.x + plan.side + 14;
  const { y, side } = plan;
  const soft = heat.stage === "softmax";
  const table = soft ? theme.sequential : theme.diverging;
  const strip = document.createElement("canvas");
  strip.width = 1;
  strip.height = 256;
  const image = new ImageData(1, 256);
  for (let i = 0; i < 256; i++) image.data.set([...table.slice(3 * (255 - i), 3 * (255 - i) + 3), 255], 4 * i);
  strip.getContext("2d").putImageData(image, 0, 0);
  pen.image(strip, x, y, BAR, side);
  pen.rect(x - 0.5, y - 0.5, BAR + 1, side + 1, null, theme.faint);
  const title = soft ? "probability" : "score";
  pen.text(x + BAR + 1, y - 11, title, { align: "center", color: theme.muted });
  const ticks = heat.log
    ? [[1, "1"], [0.75, "0.1"], [0.5, "0.01"], [0.25, "10⁻³"], [0, "≤10⁻⁴"]]
    : soft
      ? [[1, `${heat.limit < 0.995 ? "≥" : ""}${short(heat.limit)}`], [0.75, short(heat.limit * 0.5625)], [0.5, short(heat.limit / 4)], [0.25, (heat.limit / 16).toFixed(3)], [0, "0"]]
      : [[1, short(heat.limit)], [0.5, "0"], [0, `−${short(heat.limit)}`]];
  for (const [t, text] of ticks) {
    const at = y + (1 - t) * side;
    pen.line(x + BAR, at, x + BAR + 3, at, theme.muted);
    pen.text(x + BAR + 6, Math.min(Math.max(at, y + 5), y + side - 5), text, { color: theme.text });
  }
}

function paintMap(v) {
  const { clientWidth: width, clientHeight: height } = v.els.figure;
  if (width < 40 || height < 40) return;
  const start = performance.now();
  if (v.exact) {
    v.exact.matrix(v.state.stage === "dot" || v.state.stage === "scaled");
    v.exact.range(v.state.stage);
  }
  const computed = performance.now();
  const ctx = fit(v.els.map, width, height);
  const plan = (v.mapPlan = mapPlan(v, ctx, width, height));
  drawMap(canvasPen(ctx, v.theme), v, plan, v.theme);
  v.els.map.classList.toggle("loading", !v.exact);
  paintMarks(v);
  v.els.marks.dataset.computeMs = (computed - start).toFixed(2);
  v.els.marks.dataset.paintMs = (performance.now() - computed).toFixed(2);
}

/** Crosshair, pins and the rectangle being dragged: a second canvas, so that hovering never repaints the map. */
function paintMarks(v) {
  const { mapPlan: plan, theme, state, hover } = v;
  if (!plan) return;
  const ctx = fit(v.els.marks, plan.width, plan.height);
  const { x, y, side, cell, n } = plan;
  const r = state.query === null ? -1 : state.query - plan.row;
  const c = state.key === null ? -1 : state.key - plan.col;
  const seen = (i) => i >= 0 && i < n;
  ctx.save();
  ctx.beginPath();
  ctx.rect(x - 2, y - 2, side + 4, side + 4);
  ctx.clip();
  ctx.strokeStyle = theme.primary;
  const thick = Math.max(cell, 3);
  if (seen(r)) {
    ctx.lineWidth = 1.5;
    ctx.strokeRect(x, y + (r + 0.5) * cell - thick / 2, side, thick);
  }
  if (seen(r) && seen(c)) {
    const size = Math.max(cell, 7);
    ctx.lineWidth = 2.5;
    ctx.strokeRect(x + (c + 0.5) * cell - size / 2, y + (r + 0.5) * cell - size / 2, size, size);
  }
  if (hover) {
    ctx.fillStyle = fade(theme.text, 0.1);
    ctx.fillRect(x, y + hover.i * cell, side, Math.max(cell, 1));
    ctx.fillRect(x + hover.j * cell, y, Math.max(cell, 1), side);
    ctx.lineWidth = 1;
    ctx.strokeStyle = theme.text;
    ctx.strokeRect(x + hover.j * cell - 0.5, y + hover.i * cell - 0.5, cell + 1, cell + 1);
  }
  if (v.drag?.rect) {
    const { i, j, n: size } = v.drag.rect;
    ctx.fillStyle = fade(theme.primary, 0.12);
    ctx.strokeStyle = theme.primary;
    ctx.fillRect(x + j * cell, y + i * cell, size * cell, size * cell);
    ctx.strokeRect(x + j * cell, y + i * cell, size * cell, size * cell);
  }
  ctx.restore();
  // the labels of what is pinned or pointed at, also where the axis leaves them out
  const tokens = v.header.tokens;
  const tag = (at, y0, rotate, token, color) => {
    ctx.save();
    ctx.font = font(theme, 11, 600);
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    const text = label(ctx, token, LABEL);
    const wide = ctx.measureText(text).width;
    ctx.translate(at, y0);
    ctx.rotate(rotate);
    ctx.fillStyle = color;
    ctx.fillRect(-wide - 3, -7.5, wide + 6, 15);
    ctx.fillStyle = theme.background;
    ctx.fillText(`\u2068${text}\u2069`, 0, 0.5);
    ctx.restore();
  };
  const row = (i, color) => tag(x - 7, y + (i + 0.5) * cell, 0, tokens[plan.row + i], color);
  if (seen(r)) row(r, theme.primary);
  if (hover) {
    if (hover.i !== r) row(hover.i, theme.text);
    const turn = plan.slanted ? -Math.PI / 4 : -Math.PI / 2;
    tag(x + (hover.j + 0.5) * cell + (plan.slanted ? 3 : 0), y + side + 8, turn, tokens[plan.col + hover.j], theme.text);
  }
}
