// @ts-check
// What stands around a picture that is saved: a margin, and below it where it is from.

import { escape } from "#canvas/dom.js";
import { clip } from "#canvas/text.js";
import { greyed, inkOn, rgb, textWidth } from "#canvas/theme.js";
import { fileWishes } from "#canvas/wishes.js";

/** @typedef {import("#canvas/picture.js").Figure} Figure */
/** @typedef {Window & { tlmvizLink?: { path: string, whole: string, shown: string } }} Page */

const PICTURE_MARGIN = 14; // pixels around a saved picture
const LINK_TEXTS = ["text", "english"]; // fields of a link that are texts and no names
const CAPTION_LONGEST = 90; // characters of a text below a picture
const PICTURE_GROUND = /<rect\b[^>]* fill="([^"]+)"[^>]*\/>/; // a figure's first rectangle is what it lies on

/** What the page says of its link: the whole of it, and the models and texts that pictures show. */
export const saidOfLink = () => /** @type {Page} */ (window).tlmvizLink;

/** The page's title, and the sentence beside it. */
export function pageCaption() {
  const heading = document.querySelector("h1");
  const claim = heading?.querySelector("small, .stMarkdownColoredText")?.textContent?.trim() ?? "";
  const whole = heading?.textContent?.trim() ?? document.title;
  return { title: whole.replace(claim, "").trim(), claim };
}

/**
 * Where a picture is from: its page, the models and the texts that it shows.
 * @param {string} title of the page
 * @param {string} entry the models and texts, as a query
 */
export function pictureOrigin(title, entry) {
  const said = [...new URLSearchParams(entry)].filter(([, value]) => value.trim());
  // a page that reads a sentence to be translated carries the text of others along
  const fields = said.some(([key]) => key === "english") ? said.filter(([key]) => key !== "text") : said;
  const isText = (/** @type {string[]} */ [key]) => LINK_TEXTS.includes(key);
  const names = fields.filter((field) => !isText(field)).map(([, name]) => name);
  const texts = fields.filter(isText).map(([, text]) => `“${clip(text.trim(), CAPTION_LONGEST)}”`);
  return [title, ...names, ...texts, "tlmviz"].join(" · ");
}

/**
 * The sentence above a page's picture; empty where there is none, and of any other picture of that page.
 * @param {import("#canvas/picture.js").Picture} picture
 */
export function sentenceAbout(picture) {
  const driven = /** @type {{ tlmvizPictures?: typeof import("#components/page_script/pictures.js").pictures }} */ (window).tlmvizPictures;
  const own = driven?.standsForPage(picture) ?? true; // where nothing else counts them there is one
  return (own && document.querySelector(".st-key-claim")?.textContent?.trim()) || "";
}

/**
 * Text in lines that a width has room for, cut between words.
 * @param {string} text
 * @param {number} room
 * @param {(text: string) => number} measure
 */
export function captionLines(text, room, measure) {
  /** @type {string[]} */
  const lines = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = lines.length ? `${lines[lines.length - 1]} ${word}` : word;
    if (lines.length && measure(longer) <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/**
 * A picture as it is saved: with a margin, and below it where it is from, under a sentence about it, if any.
 * @param {Figure} figure
 * @param {string} [sentence]
 * @returns {Figure}
 */
export function captioned(figure, sentence = "") {
  const wishes = fileWishes();
  const [, ground = "#ffffff"] = figure.svg.match(PICTURE_GROUND) ?? [];
  const [ink, family] = [inkOn(rgb(ground)), getComputedStyle(document.querySelector(".stApp") ?? document.body).fontFamily];
  const parts = [{ text: sentence, size: 14 }, { text: pictureOrigin(pageCaption().title, saidOfLink()?.shown ?? ""), size: 11 }];
  const [width, picture] = [figure.width + 2 * PICTURE_MARGIN,
    wishes.transparent ? figure.svg.replace(PICTURE_GROUND, "").replace(/background: [^;"]+/, "background: none") : figure.svg];
  let height = figure.height + PICTURE_MARGIN;
  const said = parts.flatMap(({ text, size }) =>
    captionLines(text, figure.width, (line) => textWidth({ font: family }, line, size)).map((line) => {
      height += 1.45 * size;
      return `<text x="${PICTURE_MARGIN}" y="${height.toFixed(1)}" font-size="${size}" fill="${ink}">${escape(line)}</text>`;
    }),
  );
  height = Math.ceil(height + PICTURE_MARGIN);
  const inner = picture.replace(/<\?xml[^>]*>\s*/, "").replace(/<svg\b/, `<svg x="${PICTURE_MARGIN}" y="${PICTURE_MARGIN}"`);
  const rect = wishes.transparent ? "" : `<rect width="${width}" height="${height}" fill="${ground}"/>\n`;
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="${escape(family)}">\n` +
    `${rect}${inner}\n${said.join("\n")}\n</svg>\n`;
  return { ...figure, svg: wishes.grey ? greyed(svg) : svg, width, height };
}
