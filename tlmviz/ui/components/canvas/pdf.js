// @ts-check
// A picture's pixels as a PDF of one page. Free of the DOM.
// Source: ISO 32000-1, sections 7.5 (objects, their table, the trailer), 8.9.5 (images), 11.6.5 (masks) and 14.3.3 (what a file says of itself).

const PIXEL_POINTS = 0.75; // of a pixel: 72 to the inch where the pixels of a page are 96

/**
 * Bytes packed as zlib packs them, which is what FlateDecode reads.
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
async function deflated(bytes) {
  const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate"));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

/**
 * A text as PDF writes it in hexadecimal digits: UTF-16 behind its mark, as `about_pdf` of tlmviz/shots/files.py.
 * @param {string} text
 */
function hexadecimal(text) {
  return [..."\ufeff", ...text.split("")].map((unit) => unit.charCodeAt(0).toString(16).padStart(4, "0")).join("").toUpperCase();
}

/**
 * The colours of pixels, and how opaque they are; null where all are.
 * @param {Uint8ClampedArray} pixels red, green, blue and opacity of each
 */
function channels(pixels) {
  const count = pixels.length / 4;
  const [colors, alpha] = [new Uint8Array(3 * count), new Uint8Array(count)];
  for (let i = 0; i < count; i++) {
    colors[3 * i] = pixels[4 * i];
    colors[3 * i + 1] = pixels[4 * i + 1];
    colors[3 * i + 2] = pixels[4 * i + 2];
    alpha[i] = pixels[4 * i + 3];
  }
  return { colors, alpha: alpha.every((opacity) => opacity === 255) ? null : alpha };
}

/**
 * The parts of a PDF, as a Blob takes them.
 * @param {{ data: Uint8ClampedArray, width: number, height: number }} image
 * @param {{ width: number, height: number }} size pixels of the page that it covers
 * @param {{ title: string, caption: string, link: string }} about
 * @returns {Promise<Uint8Array[]>}
 */
export async function pdfOf({ data, width, height }, size, { title, caption, link }) {
  const [wide, high] = [size.width * PIXEL_POINTS, size.height * PIXEL_POINTS];
  const { colors, alpha } = channels(data);
  const drawing = `q ${wide} 0 0 ${high} 0 0 cm /Picture Do Q`;
  const info = Object.entries({ Title: title, Subject: caption, Keywords: link, Creator: "tlmviz" });
  const image = `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /BitsPerComponent 8 /Filter /FlateDecode`;
  /** @type {[string, Uint8Array?][]} what stands in each object, and the bytes of its stream */
  const objects = [
    ["/Type /Catalog /Pages 2 0 R"],
    ["/Type /Pages /Kids [3 0 R] /Count 1"],
    [`/Type /Page /Parent 2 0 R /MediaBox [0 0 ${wide} ${high}] /Contents 4 0 R /Resources << /XObject << /Picture 5 0 R >> >>`],
    ["", new TextEncoder().encode(drawing)],
    [`${image} /ColorSpace /DeviceRGB${alpha ? " /SMask 7 0 R" : ""}`, await deflated(colors)],
    [info.map(([name, text]) => `/${name} <${hexadecimal(text)}>`).join(" ")],
    .../** @type {[string, Uint8Array][]} */ (alpha ? [[`${image} /ColorSpace /DeviceGray`, await deflated(alpha)]] : []),
  ];
  const parts = /** @type {Uint8Array[]} */ ([]);
  let at = 0;
  const write = (/** @type {string | Uint8Array} */ part) => {
    parts.push(typeof part === "string" ? new TextEncoder().encode(part) : part);
    at += parts[parts.length - 1].length;
  };
  write("%PDF-1.4\n");
  const offsets = objects.map(([fields, stream], i) => {
    const start = at;
    write(`${i + 1} 0 obj\n<< ${fields}${stream ? ` /Length ${stream.length}` : ""} >>\n`);
    if (stream) ["stream\n", stream, "\nendstream\n"].forEach(write);
    write("endobj\n");
    return start;
  });
  const table = at;
  write(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("")}`);
  write(`trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 6 0 R >>\nstartxref\n${table}\n%%EOF\n`);
  return parts;
}
