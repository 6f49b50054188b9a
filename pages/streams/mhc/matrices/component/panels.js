// The panels, drawn with a pen (canvas or SVG) at a place: small maps, big matrix, eigenvalues, spread, course along the text.

const TITLE = 20; // pixels of a panel's title line
const READ = 2, WRITTEN = 1; // colours of H_pre and H_post among the heads' colours

/** Fill of an entry: the sequential scale from 0 to 1 where entries are shares, the diverging one where they have a sign. */
function fill(v, theme, value, i, j) {
  if (!Number.isFinite(value)) return theme.missing;
  const change = v.state.colors === "change";
  if (!change && v.header.kind !== "hyper") return shade(theme.sequential, value);
  const part = change ? (value - (i === j ? 1 : 0)) / v.ranges.change : value / v.ranges.value;
  return shade(theme.diverging, 0.5 + part / 2);
}

function shade(table, share) {
  const k = 3 * Math.round(255 * Math.max(0, Math.min(1, share)));
  return `rgb(${table[k]},${table[k + 1]},${table[k + 2]})`;
}

/** Ink that is readable on a fill. */
function inkOn(color) {
  const [r, g, b] = rgb(color);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 130 ? "#1b2430" : "#f4f7fb";
}

function title(pen, theme, { x, y }, text, note = "") {
  pen.text(x, y + 8, text, { color: theme.text, weight: 600, size: 12 });
  probe.font = font(theme, 12, 600);
  if (note) pen.text(x + probe.measureText(text).width + 8, y + 8.5, note, { color: theme.muted, size: 10.5 });
}

function dot(pen, x, y, radius, color, alpha) {
  pen.path(`M${round(x)} ${round(y)}h0.01`, color, 2 * radius, alpha);
}

/** A bar from a base line, `length` pixels for a value of `most`; negative ones in the warning colour. */
function bar(pen, theme, v, { x, y, across, length, side }, value, most, color) {
  const long = Math.min(1, Math.abs(value) / most) * length;
  const used = value < 0 ? v.header.warm[theme.dark ? "dark" : "light"] : color;
  if (side === "top") pen.rect(x, y - long, across, long, used);
  if (side === "bottom") pen.rect(x, y, across, long, used);
  if (side === "left") pen.rect(x - long, y, long, across, used);
  if (side === "right") pen.rect(x, y, long, across, used);
}

/** A matrix with H_pre above, H_post to its left and the sums at the right and below; `cell` pixels an entry. */
function drawMixing(pen, v, theme, { x, y, cell, strip, gap }, sublayer, token) {
  const { N, ranges } = v;
  const [matrix, pre, post] = ["res", "pre", "post"].map((name) => matrixAt(v, name, sublayer, token));
  const { rows, columns } = sums(matrix, N);
  const [side, inset] = [N * cell, Math.min(1.5, cell * 0.12)];
  const grey = fade(theme.text, 0.36);
  for (let i = 0; i < N; i++) {
    for (let j = 0; j < N; j++) pen.rect(x + j * cell, y + i * cell, cell, cell, fill(v, theme, matrix[i * N + j], i, j));
    const along = i * cell + inset, across = cell - 2 * inset;
    bar(pen, theme, v, { x: x + along, y: y - gap, across, length: strip, side: "top" }, pre[i], ranges.pre, theme.heads[READ]);
    bar(pen, theme, v, { x: x - gap, y: y + along, across, length: strip, side: "left" }, post[i], ranges.post, theme.heads[WRITTEN]);
    bar(pen, theme, v, { x: x + side + gap, y: y + along, across, length: strip, side: "right" }, rows[i], ranges.sum, grey);
    bar(pen, theme, v, { x: x + along, y: y + side + gap, across, length: strip, side: "bottom" }, columns[i], ranges.sum, grey);
  }
  pen.rect(x, y, side, side, null, theme.faint);
}

/** How the small maps are laid out in a width and height: as large as they can be, attention and MLP in pairs. */
function planMaps(P, width, height) {
  const plans = [2, 4, 6, 8, 12, 16].map((columns) => {
    const rows = Math.ceil(P / columns);
    const size = Math.min(width / columns - 6, height / rows - 20, 112);
    return { columns, rows, size, width: Math.min(width / columns, size + 40), height: Math.min(height / rows, size + 34) };
  });
  return plans.reduce((best, plan) => (plan.size > best.size + 0.5 ? plan : best));
}

function drawMaps(pen, v, theme, box) {
  const { N, P, header, state } = v;
  title(pen, theme, box, `H_res of ${P} sublayers`, box.width < 330 ? "" : `at ${tokenName(v)}`);
  drawScale(pen, v, theme, box.x + box.width, box.y + 8);
  const plan = planMaps(P, box.width, box.height - TITLE);
  const strip = (plan.size < 50 ? 0.13 : 0.17) * plan.size;
  const cell = (plan.size - 2 * strip - 4) / N;
  v.plans.maps = { ...plan, x: box.x, y: box.y + TITLE };
  for (let p = 0; p < P; p++) {
    const x = box.x + (p % plan.columns) * plan.width, y = box.y + TITLE + Math.floor(p / plan.columns) * plan.height;
    const inner = { x: x + (plan.width - plan.size) / 2 + strip + 2, y: y + 14 + strip + 2, cell, strip, gap: 2 };
    const name = plan.width < 62 ? header.names[p].replace("attention", "attn") : header.names[p];
    const chosen = p === state.sublayer;
    if (chosen) pen.rect(x + 1.5, y + 0.5, plan.width - 3, plan.height - 2, fade(theme.primary, 0.09), theme.primary);
    pen.text(x + plan.width / 2, y + 8, name, { align: "center", color: chosen ? theme.text : theme.muted, weight: chosen ? 600 : 400, size: 10 });
    drawMixing(pen, v, theme, inner, p, state.token);
  }
}

/** The colours of the maps from their least to their largest value, ending at x = `right`. */
function drawScale(pen, v, theme, right, y) {
  const change = v.state.colors === "change";
  const shares = !change && v.header.kind !== "hyper";
  const most = shares ? 1 : change ? v.ranges.change : v.ranges.value;
  const [colors, steps, width] = [shares ? theme.sequential : theme.diverging, 24, 48];
  const [high, low] = [shares ? "1" : `+${tick(most)}`, shares ? "0" : `−${tick(most)}`];
  const small = { color: theme.muted, size: 10, align: "right" };
  probe.font = font(theme, 10);
  const left = right - probe.measureText(high).width - 4 - width;
  pen.text(right, y, high, small);
  for (let k = 0; k < steps; k++) pen.rect(left + (k * width) / steps, y - 4, width / steps + 0.3, 8, shade(colors, k / (steps - 1)));
  pen.rect(left, y - 4, width, 8, null, theme.faint);
  pen.text(left - 4, y, low, small);
}

function drawMatrix(pen, v, theme, box) {
  const { N, header, state, found } = v;
  title(pen, theme, box, `${header.names[state.sublayer]}`, `at ${tokenName(v)}`);
  const [left, top, right, bottom] = [51, 38, 62, 34];
  const cell = Math.min((box.width - left - right) / N, (box.height - TITLE - top - bottom) / N, 64);
  const [x, y] = [box.x + left, box.y + TITLE + top];
  const side = N * cell;
  drawMixing(pen, v, theme, { x, y, cell, strip: 20, gap: 3 }, state.sublayer, state.token);
  v.plans.matrix = { x, y, cell };
  const [pre, post] = [matrixAt(v, "pre"), matrixAt(v, "post")];
  const small = { color: theme.muted, size: 10 };
  const texts = cellTexts(theme, found.matrix, cell, 11);
  for (let i = 0; i < N; i++) {
    const middle = (i + 0.5) * cell;
    for (let j = 0; j < N; j++) {
      const value = found.matrix[i * N + j];
      const text = texts[i * N + j];
      if (text) pen.text(x + (j + 0.5) * cell, y + middle, text, { align: "center", color: inkOn(fill(v, theme, value, i, j)), size: 11 });
    }
    if (cell < 11) continue;
    pen.text(x + side + 26, y + middle, number(found.rows[i]), small);
    pen.text(x - 27, y + middle, number(post[i], 2), { ...small, align: "right" });
    if (cell < 25) continue;
    pen.text(x + middle, y - 29, weight(pre[i]), { ...small, align: "center" });
    pen.text(x + middle, y + side + 29, number(found.columns[i], cell >= 38 ? 4 : cell >= 30 ? 3 : 2), { ...small, align: "center" });
  }
  pen.text(x - 6, y - 29, "read", { ...small, align: "right", color: theme.heads[READ], weight: 600 });
  pen.text(x - 3, y - 10, "write", { ...small, align: "right", color: theme.heads[WRITTEN], weight: 600 });
  pen.text(x + side + 5, y - 10, "sums", { ...small, weight: 600 });
  pen.rect(x + state.col * cell + 1, y + state.row * cell + 1, cell - 2, cell - 2, null, theme.primary);
}

/** Two places, or the size of what they would show as nothing. */
function weight(value) {
  const small = Math.abs(value);
  return small && small < 0.005 ? value.toExponential(0).replace(/-/g, "−") : number(value, 2);
}

function number(value, places = 4) {
  return Number.isFinite(value) ? value.toFixed(places).replace("-", "−") : "–";
}

function drawPlane(pen, v, theme, box) {
  const { found } = v;
  title(pen, theme, box, "Eigenvalues");
  const flat = found.roots.concat(...found.allRoots);
  const reach = Math.max(1.12, 1.06 * flat.reduce((most, root) => Math.max(most, Math.hypot(...root) || 0), 0));
  const side = Math.min(box.width, box.height - TITLE - 14) - 4;
  const [cx, cy, unit] = [box.x + box.width / 2, box.y + TITLE + 2 + side / 2, side / 2 / reach];
  const end = side / 2;
  pen.line(cx - end, cy, cx + end, cy, theme.faint);
  pen.line(cx, cy - end, cx, cy + end, theme.faint);
  pen.path(`M${round(cx - unit)} ${round(cy)}a${round(unit)} ${round(unit)} 0 1 0 ${round(2 * unit)} 0a${round(unit)} ${round(unit)} 0 1 0 ${round(-2 * unit)} 0`, theme.muted, 1.2, 0.9);
  const small = { color: theme.muted, size: 10 };
  pen.text(cx + unit - 3, cy + 9, "1", { ...small, align: "right" });
  pen.text(cx - unit + 3, cy + 9, "−1", small);
  pen.text(cx + 4, cy - unit + 9, "i", small);
  for (const roots of found.allRoots) for (const [a, b] of roots) dot(pen, cx + a * unit, cy - b * unit, 1.6, theme.primary, Math.min(0.3, 0.04 + 6 / v.T));
  for (const [a, b] of found.roots) {
    dot(pen, cx + a * unit, cy - b * unit, 4.6, theme.background, 1);
    dot(pen, cx + a * unit, cy - b * unit, 3.6, theme.heads[4], 1);
  }
  pen.text(cx, cy + end + 9, `${v.T > 1 ? "all tokens faint, " : ""}reach ${reach.toPrecision(3)}`, { ...small, align: "center" });
  v.plans.plane = { cx, cy, unit };
}

/** The standard deviation over tokens of every entry, from 0 to the sublayer's largest. */
function drawSpread(pen, v, theme, box) {
  const { N, found, state } = v;
  const most = Math.max(0, ...found.spread.filter(Number.isFinite));
  title(pen, theme, box, "Std over tokens");
  const cell = Math.min((box.width - 4) / N, (box.height - TITLE - 4) / N, 48);
  const [x, y] = [box.x + 2, box.y + TITLE + 2];
  for (let i = 0; i < N; i++) {
    for (let j = 0; j < N; j++) {
      const value = found.spread[i * N + j];
      const color = Number.isFinite(value) ? shade(theme.sequential, most ? value / most : 0) : theme.missing;
      pen.rect(x + j * cell, y + i * cell, cell, cell, color);
    }
  }
  const small = { color: theme.muted, size: 10 };
  pen.text(x + N * cell + 6, y + 8, "largest", small);
  pen.text(x + N * cell + 6, y + 21, tick(most), small);
  pen.rect(x, y, N * cell, N * cell, null, theme.faint);
  pen.rect(x + state.col * cell + 1, y + state.row * cell + 1, cell - 2, cell - 2, null, theme.primary);
  v.plans.spread = { x, y, cell };
}

function tick(value) {
  if (!Number.isFinite(value)) return "–";
  return (value !== 0 && Math.abs(value) < 1e-3 ? value.toExponential(0) : value.toPrecision(3)).replace("-", "−");
}

/** How the chosen entry moves along the text, on an axis of its own, with its mean and the token looked at. */
function drawCourse(pen, v, theme, box) {
  const { N, T, state, found } = v;
  const k = state.row * N + state.col;
  const values = Array.from({ length: T }, (_, t) => matrixAt(v, "res", state.sublayer, t)[k]);
  const from = box.width < 380 ? "" : `from stream ${state.col} into stream ${state.row}: `;
  title(pen, theme, box, `Entry (${state.row}, ${state.col})${box.width < 240 ? "" : " along the text"}`, from + digits(values[state.token], 4));
  let [low, high] = [Math.min(...values), Math.max(...values)];
  const room = Math.max(0.12 * (high - low), 1e-6, 0.002 * Math.abs(high));
  [low, high] = [low - room, high + room];
  const [x, y] = [box.x + 46, box.y + TITLE + 4];
  const [width, height] = [box.width - 54, box.height - TITLE - 20];
  const px = (t) => x + (T === 1 ? 0.5 : t / (T - 1)) * width;
  const py = (value) => y + (1 - (value - low) / (high - low)) * height;
  for (const value of [low + room, high - room]) {
    pen.line(x, py(value), x + width, py(value), theme.faint);
    pen.text(x - 5, py(value), tick(value), { align: "right", color: theme.muted, size: 10 });
    if (high - low <= 2.001 * room) break;
  }
  pen.path(`M${round(x)} ${round(py(found.mean[k]))}h${round(width)}`, theme.muted, 1, 0.6);
  if (T > 1) pen.path(values.map((value, t) => `${t ? "L" : "M"}${round(px(t))} ${round(py(value))}`).join(""), theme.primary, 1.5, 1);
  if (T <= 64) values.forEach((value, t) => dot(pen, px(t), py(value), 1.8, theme.primary, 1));
  pen.line(px(state.token), y - 3, px(state.token), y + height + 3, theme.muted);
  dot(pen, px(state.token), py(values[state.token]), 4, theme.heads[4], 1);
  pen.text(x, box.y + box.height - 5, "0", { color: theme.muted, size: 10, align: "center" });
  pen.text(x + width, box.y + box.height - 5, `token ${T - 1}`, { color: theme.muted, size: 10, align: "right" });
  v.plans.course = { x, width };
}
