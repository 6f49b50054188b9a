// The three pictures as SVG text: the same functions draw the page and the file that is saved.

const PAPER = { dark: false, ink: "#1b2430", muted: "#66717f", grid: "#e4e8ee", page: "#ffffff" };

/** Colours in force at an element. */
function themeOf(element) {
  const style = getComputedStyle(element);
  const [r, g, b] = style.color.match(/[\d.]+/g).map(Number);
  const dark = 0.2126 * r + 0.7152 * g + 0.0722 * b > 128;
  return dark
    ? { dark, ink: style.color, muted: "#98a4b3", grid: "#2a3441", page: "#10151d" }
    : { ...PAPER, ink: style.color };
}

function withScale(theme, colors) {
  const side = theme.dark ? "dark" : "light";
  return { ...theme, stops: colors[side].sequential, diverging: colors[side].diverging, heads: colors.heads };
}

/** The colour at a share of a scale, 0 to 1. */
function shade(stops, share) {
  const x = Math.min(1, Math.max(0, share)) * (stops.length - 1);
  const low = Math.min(Math.floor(x), stops.length - 2);
  const part = (color, c) => parseInt(color.slice(1 + 2 * c, 3 + 2 * c), 16);
  return [0, 1, 2].map((c) => Math.round(part(stops[low], c) + (x - low) * (part(stops[low + 1], c) - part(stops[low], c))));
}

/** Black or white, whichever is read better on a colour (WCAG luminance). */
function readable(color) {
  const [r, g, b] = color.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? "#10151d" : "#ffffff";
}

function label(x, y, text, { anchor = "start", size = 11, color, weight = 400, turn = 0 }) {
  const turned = turn ? ` transform="rotate(${turn} ${x} ${y})"` : "";
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" font-size="${size}" fill="${color}" font-weight="${weight}"${turned}>${escaped(text)}</text>`;
}

function line(x1, y1, x2, y2, color, { width = 1, dash = "" } = {}) {
  return `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" stroke="${color}" stroke-width="${width}"${dash && ` stroke-dasharray="${dash}"`}/>`;
}

function escaped(text) {
  return String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
}

// --- numbers -------------------------------------------------------------------------------------

/** A number as it is read: 0.0312, 12.4, 3.1e-9. */
function shown(value, digits = 3) {
  if (!Number.isFinite(value)) return value === -Infinity ? "−∞" : String(value);
  const size = Math.abs(value);
  const text = size !== 0 && (size < 10 ** -digits || size >= 1e5) ? value.toExponential(1) : value.toFixed(size >= 100 ? 1 : digits);
  return text.replace("-", "−").replace("e+", "e").replace("e-", "e−");
}

/** A number of any size in a few characters: 0.013, 3.1e−9. */
function brief(value) {
  return (value >= 0.001 && value < 1e4 ? value.toPrecision(3) : value.toExponential(2)).replace("e+", "e").replace("e-", "e−");
}

function power(exponent) {
  return `10${String(exponent).replace("-", "⁻").replace(/\d/g, (d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d])}`;
}

// --- the matrix and its margins ------------------------------------------------------------------

/** A square of cells with row sums at the right and column sums below; `scaledAxis` 0 rows, 1 columns, null neither. */
function matrixPicture(t, m, n, side, scaledAxis, cursor) {
  const margin = n > 9 ? 34 : 50;
  const top = 22;
  const cell = (side - margin - 8) / n;
  const digits = n <= 5 ? 3 : n <= 7 ? 2 : 0;
  const { rows, columns } = sums(m, n);
  const out = [label(0, 13, "Matrix", { color: t.ink, size: 13 })];
  const box = (x, y, w, h, color, text, size, mark = "") => {
    const fill = `rgb(${color})`;
    const words = text === "" ? "" : label(x + w / 2, y + h / 2 + size * 0.35, text, { anchor: "middle", size, color: readable(color) });
    return `<rect x="${x.toFixed(2)}" y="${y.toFixed(2)}" width="${w.toFixed(2)}" height="${h.toFixed(2)}" fill="${fill}" stroke="${t.grid}"${mark}/>${words}`;
  };
  m.forEach((value, at) => {
    const [i, j] = [Math.floor(at / n), at % n];
    const size = Math.min(13, cell / (digits + 1.2));
    const text = digits ? value.toFixed(digits) : "";
    out.push(box(j * cell, top + i * cell, cell - 1, cell - 1, shade(t.stops, value), text, size, ` data-cell="${at}"`));
  });
  const small = n > 9 ? Math.min(9, cell * 0.6) : 11;
  const sum = (value) => (value !== 0 && Math.abs(value) < 0.001 ? value.toExponential(0).replace("-", "−") : value.toFixed(n > 9 ? 2 : 3));
  rows.forEach((value, i) => out.push(box(n * cell + 6, top + i * cell, margin - 6, cell - 1, off(t, value), sum(value), small)));
  const tall = n > 9 ? 28 : 20; // there column sums are written upwards
  columns.forEach((value, j) => {
    const [x, y] = [j * cell, top + n * cell + 6];
    out.push(box(x, y, cell - 1, tall, off(t, value), n > 9 ? "" : sum(value), Math.min(small, cell / 3.2)));
    if (n > 9) out.push(label(x + cell / 2 + small / 3, y + tall / 2, sum(value), { anchor: "middle", size: small, color: readable(off(t, value)), turn: -90 }));
  });
  if (cursor !== null) {
    const [i, j] = [Math.floor(cursor / n), cursor % n];
    out.push(`<rect x="${j * cell}" y="${top + i * cell}" width="${cell - 1}" height="${cell - 1}" fill="none" stroke="${t.ink}" stroke-width="2"/>`);
  }
  const bold = (axis) => (scaledAxis === axis ? { color: t.ink, weight: 700 } : { color: t.muted, weight: 400 });
  const words = scaledAxis === 0 ? "row sums now 1" : "row sums";
  out.push(label(n * cell + margin, 13, words, { anchor: "end", ...bold(0) }));
  out.push(label(0, top + n * cell + tall + 20, scaledAxis === 1 ? "column sums now 1" : "column sums", bold(1)));
  return { svg: out.join(""), height: top + n * cell + tall + 26, cell, top };
}

/** A sum's colour: white at 1, one side above, the other below, full at twice and at half. */
function off(t, value) {
  return shade(t.diverging, value > 0 ? 0.5 + Math.max(-1, Math.min(1, Math.log2(value))) / 2 : 0);
}

// --- curves over iterations ----------------------------------------------------------------------

/** The frame of a chart over iterations 0 to 40; `spots` are [value, text] on the y axis. */
function chart(t, { width, height, title, y, spots, at, used, name }) {
  const [left, right, top, bottom] = [46, 8, 44, 34];
  const px = (k) => left + ((width - left - right) * k) / ITERATIONS;
  const out = [label(0, 13, title, { color: t.ink, size: 13 })];
  for (const [value, text] of spots) {
    out.push(line(left, y(value), width - right, y(value), t.grid), label(left - 5, y(value) + 4, text, { anchor: "end", color: t.muted }));
  }
  for (let k = 0; k <= ITERATIONS; k += 10) out.push(label(px(k), height - bottom + 15, k, { anchor: "middle", color: t.muted }));
  out.push(label((left + width - right) / 2, height - 4, "iterations", { anchor: "middle", color: t.muted }));
  if (name) out.push(label(11, (top + height - bottom) / 2, name, { anchor: "middle", color: t.muted, turn: -90 }));
  if (used) {
    out.push(line(px(used), top, px(used), height - bottom, t.muted, { dash: "2 4" }));
    out.push(label(px(used) + 4, top + 10, "the model", { color: t.muted, size: 10 }));
  }
  out.push(line(px(at), top, px(at), height - bottom, t.ink, { width: 1.5 }));
  return { px, out };
}

function scaleY(height, low, high) {
  const [top, bottom] = [44, 34];
  return (value) => top + ((height - top - bottom) * (high - value)) / (high - low);
}

function series(points, px, y, color, radius) {
  const seen = points.filter(([, value]) => Number.isFinite(value));
  const path = seen.map(([k, value], i) => `${i ? "L" : "M"}${px(k).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  const dots = radius ? seen.map(([k, value]) => `<circle cx="${px(k).toFixed(1)}" cy="${y(value).toFixed(1)}" r="${radius}" fill="${color}"/>`).join("") : "";
  return `<path d="${path}" fill="none" stroke="${color}" stroke-width="1.5"/>${dots}`;
}

function legend(t, names, x = 0) {
  return names.map(([text, color, dash]) => {
    const mark = line(x, 28, x + 14, 28, color, { width: 2.5, dash });
    const words = label(x + 18, 32, text, { color: t.muted });
    x += 28 + 5.9 * text.length;
    return mark + words;
  }).join("");
}

/** A logarithmic axis: its low and high exponent and at most nine labelled powers. */
function decades(values) {
  const found = values.filter((value) => value >= 1e-17).map(Math.log10);
  const high = Math.ceil(Math.max(0, ...found) - 1e-9);
  const low = Math.min(high - 2, Math.max(-17, Math.floor(Math.min(high, ...found))));
  const step = Math.ceil((high - low) / 8);
  const spots = [];
  for (let e = high; e >= low; e -= step) spots.push([e, power(e)]);
  return { low, high, spots };
}

const logged = (value) => (value >= 1e-17 ? Math.log10(value) : NaN);

function residualPicture(t, { width, height, trail, rate, at, used }) {
  const { low, high, spots } = decades(trail.map((one) => one.both));
  const y = scaleY(height, low, high);
  const title = "Residual: largest |sum − 1|";
  const { px, out } = chart(t, { width, height, title, y, spots, at, used });
  const rows = trail.map((one, half) => [half / 2, half % 2 ? NaN : logged(one.both)]);
  const columns = trail.map((one, half) => [half / 2, half % 2 ? logged(one.both) : NaN]);
  out.push(series(columns, px, y, t.heads[1], 1.8), series(rows, px, y, t.heads[0], 2.4));
  const names = [["after columns", t.heads[0]], ["after rows", t.heads[1]]];
  if (rate > 0) {
    out.push(theory(t, rows, rate, px, y, low, high));
    names.push([`σ₂² = ${shown(rate)}`, t.ink, "5 4"]);
  }
  return out.join("") + legend(t, names);
}

/** The straight line of the theoretical rate, through the last residual that rounding leaves alone. */
function theory(t, rows, rate, px, y, low, high) {
  const sound = rows.filter(([k, value]) => k > 0 && Number.isFinite(value) && value > -13);
  if (!sound.length) return "";
  const [k0, value0] = sound[sound.length - 1];
  const slope = Math.log10(rate);
  const start = slope < 0 ? Math.max(0, k0 + (high - value0) / slope) : 0;
  const end = slope < 0 ? Math.min(ITERATIONS, k0 + (low - value0) / slope) : ITERATIONS;
  const at = (k) => y(value0 + slope * (k - k0));
  return line(px(start), at(start), px(end), at(end), t.ink, { dash: "5 4" });
}

/** Gains as they are, or their distance from 1 on a logarithmic axis. */
function gainPicture(t, { width, height, gains, distance, at, used }) {
  const lines = [0, 1].map((side) => gains.map((pair) => (distance ? Math.abs(pair[side] - 1) : pair[side])));
  const values = lines.flatMap((each) => each.slice(1)); // unscaled matrices can be anything: they do not set the scale
  let axis;
  let place = (value) => value;
  if (distance || Math.max(...values) > 20 * Math.min(...values)) {
    axis = decades(values);
    place = logged;
  } else {
    const [low, high] = [Math.min(0.95, ...values), Math.max(1.05, ...values)];
    const step = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5].find((size) => (high - low) / size <= 7) ?? 10;
    axis = { low: low - 0.12 * (high - low), high: high + 0.05 * (high - low), spots: [] };
    for (let value = Math.ceil(axis.low / step) * step; value <= axis.high; value += step) axis.spots.push([value, shown(value, 2)]);
  }
  const y = scaleY(height, axis.low, axis.high);
  const title = distance ? "|gain − 1| of all sublayers" : "Gain of all sublayers' product";
  const { px, out } = chart(t, { width, height, title, y, spots: axis.spots, at, used });
  const inside = (value) => (value >= axis.low && value <= axis.high ? value : NaN);
  [1, 0].forEach((side) => out.push(series(lines[side].map((value, k) => [k, inside(place(value))]), px, y, t.heads[side ? 3 : 2], side ? 1.8 : 2.4)));
  if (lines.some(([first]) => Number.isNaN(inside(place(first))) && !distance)) {
    const above = lines[0][0] > values[0];
    out.push(label(px(0) + 5, above ? 56 : height - 40, `${above ? "↑" : "↓"} 0 iterations: × ${brief(gains[0][0])}`, { color: t.muted, size: 10 }));
  }
  return out.join("") + legend(t, [["forward", t.heads[2]], ["backward", t.heads[3]]]);
}
