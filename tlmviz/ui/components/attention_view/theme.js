// Colours: what Streamlit's theme says, and lookup tables for the colour scales.

const probe = document.createElement("canvas").getContext("2d", { willReadFrequently: true });

const known = new Map();

/** Any CSS colour as [r, g, b]. */
function rgb(color) {
  if (!known.has(color)) {
    probe.clearRect(0, 0, 1, 1);
    probe.fillStyle = "#000";
    probe.fillStyle = color;
    probe.fillRect(0, 0, 1, 1);
    known.set(color, Array.from(probe.getImageData(0, 0, 1, 1).data.slice(0, 3)));
  }
  return known.get(color);
}

function fade(color, alpha) {
  const [r, g, b] = rgb(color);
  return `rgba(${r},${g},${b},${alpha})`;
}

/** 256 colours between the stops, as bytes [256 * 3]. */
function ramp(stops) {
  const points = stops.map(rgb);
  const table = new Uint8Array(256 * 3);
  for (let i = 0; i < 256; i++) {
    const x = (i / 255) * (points.length - 1);
    const low = Math.min(Math.floor(x), points.length - 2);
    for (let c = 0; c < 3; c++) {
      table[3 * i + c] = Math.round(points[low][c] + (x - low) * (points[low + 1][c] - points[low][c]));
    }
  }
  return table;
}

/** The colours in force at an element: the previous object as long as none of them has changed. */
function readTheme(element, colors, previous) {
  const style = getComputedStyle(element);
  const get = (name, otherwise) => style.getPropertyValue(name).trim() || otherwise;
  const background = get("--st-background-color", "#ffffff");
  const [r, g, b] = rgb(background);
  const dark = 0.2126 * r + 0.7152 * g + 0.0722 * b < 110;
  const text = get("--st-text-color", dark ? "#fafafa" : "#31333f");
  const primary = get("--st-primary-color", "#ff4b4b");
  const font = get("--st-font", "system-ui, sans-serif");
  const id = [background, text, primary, font, JSON.stringify(colors)].join("|");
  if (previous?.id === id) return previous;
  return { id, dark, background, text, primary, font, ...scales(colors, dark),
    muted: fade(text, 0.68), faint: fade(text, 0.16) };
}

function scales(colors, dark) {
  const set = colors[dark ? "dark" : "light"];
  return {
    heads: colors.heads,
    missing: set.missing,
    missingRgb: rgb(set.missing),
    sequential: ramp(set.sequential),
    diverging: ramp(set.diverging),
  };
}

/** What a figure is saved with: dark text on white, whatever the theme of the app. */
function paperTheme(theme, colors) {
  const paper = { background: "#ffffff", text: "#1f2430", muted: "#5b6170", faint: "#d9dbe0", dark: false };
  return { ...theme, ...paper, ...scales(colors, false) };
}

/** Make a canvas sharp on this screen and return its context in CSS pixels. */
function fit(canvas, width, height, ratio = window.devicePixelRatio || 1) {
  const w = Math.round(width * ratio);
  const h = Math.round(height * ratio);
  if (canvas.width !== w) canvas.width = w;
  if (canvas.height !== h) canvas.height = h;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

function font(theme, size = 11, weight = 400) {
  return `${weight} ${size}px ${theme.font}`;
}

/** Create an element with properties, data-testid and children; text only ever as text. */
function make(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name === "testid") element.dataset.testid = value;
    else if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}
