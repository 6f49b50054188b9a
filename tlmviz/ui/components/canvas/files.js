// @ts-check
// A picture as a file: SVG, PNG, PDF, a page of its own, its data.

import { download, escape, make } from "#canvas/dom.js";
import { pdfOf } from "#canvas/pdf.js";
import { completeLink } from "#canvas/picture.js";
import { describedPng } from "#canvas/png_text.js";
import { captioned, pageCaption, sentenceAbout } from "#canvas/caption.js";
import { fileWishes } from "#canvas/wishes.js";

/** @typedef {import("#canvas/picture.js").Figure} Figure */
/** @typedef {import("#canvas/picture.js").Picture} Picture */

const PNG_RATIO = 2; // pixels of a PNG per pixel of the page
const PDF_RATIO = 3; // and of a PDF, which is printed: 288 to the inch
const LARGEST_SIDE = 12000; // pixels of a file's side
const MOST_PIXELS = 4e7; // of a file

/**
 * JSON with arrays of numbers as plain lists; what is no number in them, a NaN, is null.
 * @param {unknown} data
 */
export function writtenData(data) {
  return JSON.stringify(data, (_, value) => (ArrayBuffer.isView(value) && !(value instanceof DataView) ? Array.from(/** @type {any} */ (value)) : value));
}

/**
 * An SVG file that says what it shows and where it is from.
 * @param {Figure} figure
 * @param {{ title: string, caption: string, link: string }} about
 */
export function describedSvg({ svg }, { title, caption, link }) {
  const said = `<title>${escape(title)}</title><desc>${escape(caption)}</desc>`;
  const source =
    `<metadata><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/"><rdf:Description ` +
    `rdf:about=""><dc:source>${escape(link)}</dc:source><dc:description>${escape(caption)}</dc:description></rdf:Description></rdf:RDF></metadata>`;
  return svg.replace(/<svg\b[^>]*>/, (tag) => `${tag}\n${said}${source}`);
}

/**
 * A page of its own that needs no network: the picture, its caption, and its data.
 * @param {Figure} figure
 * @param {string} data as JSON
 * @param {{ title: string, caption: string, link: string }} about
 */
export function offlinePage(figure, data, about) {
  const { title, caption, link } = about;
  const svg = describedSvg(figure, about).replace(/<\?xml[^>]*>\s*/, "");
  const web = /^https?:/.test(link);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="description" content="${escape(caption)}">
<meta name="source" content="${escape(link)}">
<title>${escape(title)}</title>
<style>body { margin: 1rem auto; max-width: ${Math.ceil(figure.width)}px; font-family: system-ui, sans-serif; } figure { margin: 0; } figcaption { padding: ` +
  `0.6rem; } svg { max-width: 100%; height: auto; }</style>
</head>
<body>
<figure>
${svg}
<figcaption><strong>${escape(title)}</strong><br>${escape(caption)} ${web ? `<a href="${escape(link)}">Open it live</a>` : escape(link)}</figcaption>
</figure>
<script type="application/json" id="data">${data.replace(/</g, "\\u003c")}<${"/"}script>
</body>
</html>
`;
}

/**
 * What the file of a picture says of itself.
 * @param {Picture} picture
 * @param {Figure} figure
 * @param {string} [link]
 */
export function aboutFigure(picture, figure, link = completeLink()) {
  const { title, claim } = pageCaption();
  return { title: `${title}: ${figure.title}`, caption: [claim, sentenceAbout(picture), figure.title].filter(Boolean).join(" · "), link };
}

/** A picture as its files have it, under its sentence where that is wished for. @param {Picture} picture */
function wished(picture) {
  return captioned(picture.figure(), fileWishes().sentence ? sentenceAbout(picture) : "");
}

/** @param {Picture} picture */
export function savePictureSvg(picture) {
  const figure = wished(picture);
  download(new Blob([describedSvg(figure, aboutFigure(picture, figure))], { type: "image/svg+xml" }), `${figure.name}.svg`);
}

/**
 * A figure drawn, with so many pixels per pixel of the page, or with as many as a file has.
 * @param {Figure} figure
 * @param {number} wished
 */
async function rastered(figure, wished) {
  const url = URL.createObjectURL(new Blob([figure.svg], { type: "image/svg+xml" }));
  const image = new Image();
  image.src = url;
  await image.decode();
  URL.revokeObjectURL(url);
  const { width, height } = figure;
  const ratio = Math.min(wished, LARGEST_SIDE / Math.max(width, height), Math.sqrt(MOST_PIXELS / (width * height)));
  const canvas = make("canvas", { width: Math.round(width * ratio), height: Math.round(height * ratio) });
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return { canvas, context };
}

/** @param {Picture} picture */
export async function savePicturePng(picture) {
  const figure = wished(picture);
  const { canvas } = await rastered(figure, PNG_RATIO);
  const blob = await new Promise((/** @type {BlobCallback} */ made) => canvas.toBlob(made, "image/png"));
  if (!blob) return;
  const parts = describedPng(new Uint8Array(await blob.arrayBuffer()), aboutFigure(picture, figure));
  download(new Blob(/** @type {BlobPart[]} */ (parts), { type: "image/png" }), `${figure.name}.png`);
}

/** @param {Picture} picture */
export async function savePicturePdf(picture) {
  const figure = wished(picture);
  const about = aboutFigure(picture, figure); // of the page as it is, which may change while pixels are packed
  const { canvas, context } = await rastered(figure, PDF_RATIO);
  const parts = await pdfOf(context.getImageData(0, 0, canvas.width, canvas.height), figure, about);
  download(new Blob(/** @type {BlobPart[]} */ (parts), { type: "application/pdf" }), `${figure.name}.pdf`);
}

/** @param {Picture} picture */
export function savePictureData(picture) {
  const figure = picture.figure();
  const text = writtenData({ ...aboutFigure(picture, figure), data: picture.data() });
  download(new Blob([text], { type: "application/json" }), `${figure.name}.json`);
}

/** @param {Picture} picture */
export function savePictureHtml(picture) {
  const figure = captioned(picture.figure()); // the page's own caption has the sentence
  download(new Blob([offlinePage(figure, writtenData(picture.data()), aboutFigure(picture, figure))], { type: "text/html" }), `${figure.name}.html`);
}
