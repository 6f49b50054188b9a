// Pens: the same figure onto a canvas or into SVG; and saving it.

function canvasPen(ctx, theme) {
  return {
    text(x, y, text, { align = "left", rotate = 0, token = 0, color, weight = 400, size = 11 } = {}) {
      ctx.save();
      ctx.font = font(theme, size, weight);
      ctx.fillStyle = color;
      ctx.textAlign = align;
      ctx.textBaseline = "middle";
      ctx.direction = "ltr";
      ctx.translate(x, y);
      ctx.rotate(rotate);
      ctx.fillText(token ? `\u2068${label(ctx, text, token)}\u2069` : text, 0, 0.5);
      ctx.restore();
    },
    line(x1, y1, x2, y2, color) {
      ctx.strokeStyle = color;
      ctx.lineWidth = 1;
      ctx.beginPath();
      ctx.moveTo(x1, y1);
      ctx.lineTo(x2, y2);
      ctx.stroke();
    },
    rect(x, y, width, height, fill, stroke, alpha = 1) {
      ctx.globalAlpha = alpha;
      if (fill) {
        ctx.fillStyle = fill;
        ctx.fillRect(x, y, width, height);
      }
      if (stroke) {
        ctx.strokeStyle = stroke;
        ctx.lineWidth = 1;
        ctx.strokeRect(x, y, width, height);
      }
      ctx.globalAlpha = 1;
    },
    image(source, x, y, width, height, cut) {
      ctx.imageSmoothingEnabled = false;
      if (cut) ctx.drawImage(source, cut.x, cut.y, cut.size, cut.size, x, y, width, height);
      else ctx.drawImage(source, x, y, width, height);
    },
    path(d, color, width, alpha) {
      ctx.globalAlpha = alpha;
      ctx.strokeStyle = color;
      ctx.lineWidth = width;
      ctx.lineCap = "round";
      ctx.stroke(new Path2D(d));
      ctx.globalAlpha = 1;
    },
    hatch(d, color) {
      ctx.save();
      ctx.clip(new Path2D(d));
      ctx.strokeStyle = color;
      ctx.lineWidth = 1;
      ctx.beginPath();
      const { clientWidth: w, clientHeight: h } = ctx.canvas;
      const reach = (w || ctx.canvas.width) + (h || ctx.canvas.height);
      for (let s = 0; s < reach; s += 7) {
        ctx.moveTo(s, 0);
        ctx.lineTo(0, s);
      }
      ctx.stroke();
      ctx.restore();
    },
  };
}

const escape = (text) =>
  String(text).replace(/[&<>"']/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[c]);
const round = (x) => Math.round(x * 100) / 100;

function svgPen(theme, measure) {
  const parts = [];
  const anchors = { left: "start", center: "middle", right: "end" };
  return {
    parts,
    text(x, y, text, { align = "left", rotate = 0, token = 0, color, weight = 400, size = 11 } = {}) {
      measure.font = font(theme, size, weight);
      const written = token ? `\u2068${label(measure, text, token)}\u2069` : text;
      const turn = rotate ? ` transform="rotate(${round((rotate * 180) / Math.PI)} ${round(x)} ${round(y)})"` : "";
      parts.push(`<text x="${round(x)}" y="${round(y)}" dy="0.35em" text-anchor="${anchors[align]}" fill="${color}" font-size="${size}" font-weight="${weight}"${turn}>${escape(written)}</text>`);
    },
    line(x1, y1, x2, y2, color) {
      parts.push(`<path d="M${round(x1)} ${round(y1)}L${round(x2)} ${round(y2)}" stroke="${color}" fill="none"/>`);
    },
    rect(x, y, width, height, fill, stroke, alpha = 1) {
      parts.push(`<rect x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" fill="${fill || "none"}" stroke="${stroke || "none"}" opacity="${round(alpha)}"/>`);
    },
    image(source, x, y, width, height, cut) {
      let picture = source;
      if (cut) {
        picture = document.createElement("canvas");
        picture.width = picture.height = Math.max(1, Math.round(cut.size));
        picture.getContext("2d").drawImage(source, cut.x, cut.y, cut.size, cut.size, 0, 0, picture.width, picture.height);
      }
      parts.push(`<image x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" preserveAspectRatio="none" image-rendering="pixelated" style="image-rendering:pixelated" href="${picture.toDataURL("image/png")}"/>`);
    },
    path(d, color, width, alpha) {
      parts.push(`<path d="${d}" stroke="${color}" stroke-width="${round(width)}" stroke-opacity="${round(alpha)}" stroke-linecap="round" fill="none"/>`);
    },
    hatch() {},
  };
}

/** The detail figure as it is now, with a title line, on white paper. */
function drawFigure(pen, v, theme, size, ratio) {
  pen.rect(0, 0, size.width, size.height, theme.background);
  const stage = v.state.mode === "arcs" ? "" : `, ${STAGE_NAMES[v.state.stage]}`;
  pen.text(12, 16, `Layer ${v.state.layer}, head ${v.state.head}${stage} · ${v.header.model}`, { color: theme.text, weight: 600, size: 13 });
  if (v.state.mode === "map") {
    const plan = { ...v.mapPlan, y: v.mapPlan.y + 30 };
    drawMap(pen, v, plan, theme, ratio);
    return;
  }
  const shift = 34;
  const moved = {
    ...v,
    spans: v.spans.map((s) => ({ offsetLeft: s.offsetLeft + 12, offsetTop: s.offsetTop + shift, offsetWidth: s.offsetWidth, offsetHeight: s.offsetHeight })),
  };
  const main = v.arcHeads.heads[0];
  const most = main ? Math.max(0.05, ...main.weights) : 1;
  moved.spans.forEach((box, j) => {
    const weight = main && j <= v.arcHeads.query ? main.weights[j] / most : 0;
    if (weight > 0.006) pen.rect(box.offsetLeft, box.offsetTop, box.offsetWidth, box.offsetHeight, main.color, null, 0.62 * weight);
    if (j === v.arcHeads.query) pen.rect(box.offsetLeft, box.offsetTop, box.offsetWidth, box.offsetHeight, null, theme.text);
    pen.text(box.offsetLeft + 2, box.offsetTop + box.offsetHeight / 2, `\u2068${clip(shown(v.header.tokens[j]), 40)}\u2069`, { color: theme.text, size: 14 });
  });
  drawArcs(pen, moved);
}

function save(v, kind) {
  const theme = paperTheme(v.theme, v.header.colors);
  const arcs = v.state.mode === "arcs";
  const width = (arcs ? v.els.flow.clientWidth : v.mapPlan.width) + (arcs ? 24 : 0);
  const height = (arcs ? v.els.flow.scrollHeight : v.mapPlan.height) + (arcs ? 46 : 36);
  const name = `tlmviz-L${v.state.layer}H${v.state.head}.${kind}`;
  const canvas = document.createElement("canvas");
  if (kind === "svg") {
    const pen = svgPen(theme, canvas.getContext("2d"));
    drawFigure(pen, v, theme, { width, height }, 1);
    const family = escape(theme.font);
    const text = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${family}">\n${pen.parts.join("\n")}\n</svg>\n`;
    download(new Blob([text], { type: "image/svg+xml" }), name);
  } else {
    const ratio = height > 6000 ? 1 : 2;
    drawFigure(canvasPen(fit(canvas, width, height, ratio), theme), v, theme, { width, height }, ratio);
    canvas.toBlob((blob) => blob && download(blob, name), "image/png");
  }
}

function download(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
