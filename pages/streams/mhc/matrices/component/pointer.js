// Pointer and keys on the panels: what lies under the pointer, what a click or an arrow key chooses, what a tooltip says.

/** The row and column of an N x N map under a point; null outside. */
function entryUnder(v, { x, y, cell }, px, py) {
  const [row, col] = [Math.floor((py - y) / cell), Math.floor((px - x) / cell)];
  return row >= 0 && col >= 0 && row < v.N && col < v.N ? { row, col } : null;
}

/** What a click at a point of a panel would choose. */
const UNDER = {
  maps(v, px, py) {
    const { x, y, width, height, columns } = v.plans.maps;
    const [col, row] = [Math.floor((px - x) / width), Math.floor((py - y) / height)];
    const sublayer = row * columns + col;
    return row >= 0 && col >= 0 && col < columns && sublayer < v.P ? { sublayer } : null;
  },
  matrix: (v, px, py) => entryUnder(v, v.plans.matrix, px, py),
  spread: (v, px, py) => entryUnder(v, v.plans.spread, px, py),
  course(v, px) {
    const { x, width } = v.plans.course;
    return { token: Math.max(0, Math.min(v.T - 1, Math.round(((px - x) / width) * (v.T - 1)))) };
  },
};

const KEYS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

/** What an arrow key on a panel chooses. */
function stepped(v, name, [down, right]) {
  const { state } = v;
  const keep = (value, count) => Math.max(0, Math.min(count - 1, value));
  if (name === "maps") return { sublayer: keep(state.sublayer + right + down * v.plans.maps.columns, v.P) };
  if (name === "course") return { token: keep(state.token + right - down, v.T) };
  return { row: keep(state.row + down, v.N), col: keep(state.col + right, v.N) };
}

function wire(v) {
  for (const name of Object.keys(UNDER)) {
    const canvas = v.els[name];
    const under = (event) => {
      const box = canvas.getBoundingClientRect();
      return UNDER[name](v, event.clientX - box.x, event.clientY - box.y);
    };
    const change = (event) => {
      const found = under(event);
      if (found && Object.entries(found).some(([key, value]) => v.state[key] !== value)) act(v, found);
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (name === "course" && event.pointerType === "mouse") v.dragging = true; // drag along the text
      change(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (name === "course" && v.dragging) change(event);
      const found = under(event);
      canvas.style.cursor = found ? "pointer" : "default";
      if (found) showTip(v, event, tip(v, name, found));
      else v.els.tip.hidden = true;
    });
    canvas.addEventListener("pointerleave", () => (v.els.tip.hidden = true));
    canvas.addEventListener("keydown", (event) => {
      const step = KEYS[event.key];
      if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      act(v, stepped(v, name, step));
    });
  }
  const drop = () => {
    if (v.dragging) v.dragging = false, tell(v);
  };
  // Who clicks elsewhere on the page may leave this view: what was chosen is told before.
  v.outside = { pointerup: drop, pointercancel: drop, pointerdown: (event) => event.composedPath().includes(v.root) || tell(v) };
  for (const [type, listener] of Object.entries(v.outside)) document.addEventListener(type, listener, true);
}

function tip(v, name, found) {
  const { N, header, state } = v;
  if (name === "maps") {
    const far = distances(matrixAt(v, "res", found.sublayer), N);
    return `${header.names[found.sublayer]}: ‖H − I‖F ${digits(far.fromIdentity, 3)}, ‖H − 1/N‖F ${digits(far.fromMean, 3)}`;
  }
  if (name === "course") {
    const value = matrixAt(v, "res", state.sublayer, found.token)[state.row * N + state.col];
    return `${tokenName(v, found.token)}: ${digits(value, 6)}`;
  }
  const k = found.row * N + found.col;
  return `from stream ${found.col} into stream ${found.row}: ${digits(v.found.matrix[k], 7)}; over tokens ${digits(v.found.mean[k], 4)} ± ${digits(v.found.spread[k], 2)}`;
}

function showTip(v, event, text) {
  const { tip: box } = v.els;
  box.textContent = text;
  box.hidden = false;
  const frame = v.root.getBoundingClientRect();
  const x = event.clientX - frame.left, y = event.clientY - frame.top;
  box.style.left = `${Math.max(2, Math.min(x + 14, frame.width - box.offsetWidth - 2))}px`;
  box.style.top = `${y + 16}px`;
}

// --- taking it away ------------------------------------------------------------------------------

/** The whole figure on white paper: panels as on a wide screen, and the numbers. */
function drawAll(pen, v, theme, width, height) {
  pen.rect(0, 0, width, height, theme.background);
  pen.text(16, 18, `${v.header.model} · ${v.header.names[v.state.sublayer]} at token ${tokenName(v)}`, { color: theme.text, weight: 600, size: 14 });
  const places = {
    maps: [16, 36, 390, HEIGHTS.maps], matrix: [426, 36, 290, HEIGHTS.matrix], plane: [726, 36, 160, HEIGHTS.plane],
    spread: [426, 276, 148, HEIGHTS.spread], course: [588, 276, 492, HEIGHTS.course], wirings: [426, 400, 654, height - 410],
  };
  const plans = v.plans;
  v.plans = {};
  for (const [name, [x, y, w, h]] of Object.entries(places)) DRAW[name](pen, v, theme, { x, y, width: w, height: h });
  v.plans = plans;
  facts(v).forEach(([name, value], k) => {
    const y = 66 + 24 * k;
    pen.text(900, y + (k ? 20 : 0), name, { color: theme.muted, size: 11 }); // the first value stands in a line of its own
    pen.text(1080, y + 20, value, { color: theme.text, size: 11, align: "right" });
  });
}

function saveFigure(v, kind) {
  const theme = paperTheme(v.theme, v.header.colors);
  const width = 1096, height = Math.max(500, 410 + wiringsHeight(v, 654));
  const name = `tlmviz-${v.header.model}-${v.header.names[v.state.sublayer].replace(" ", "-")}-token-${v.state.token}.${kind}`;
  const canvas = document.createElement("canvas");
  if (kind === "png") {
    drawAll(canvasPen(fit(canvas, width, height, 2), theme), v, theme, width, height);
    canvas.toBlob((blob) => blob && download(blob, name), "image/png");
    return;
  }
  const pen = svgPen(theme, canvas.getContext("2d"));
  drawAll(pen, v, theme, width, height);
  const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${escape(theme.font)}">\n${pen.parts.join("\n")}\n</svg>\n`;
  download(new Blob([text], { type: "image/svg+xml" }), name);
}
