// @ts-check
// A scene's picture as a file of its own.

import { download, makeButton } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";

const STYLES = ["fill", "stroke", "font-family", "font-weight", "opacity"];

/** A copy of a picture whose colours and letters are its own, on its ground. @param {SVGSVGElement} svg @param {string} says */
export function standalone(svg, says) {
  const copy = /** @type {SVGSVGElement} */ (svg.cloneNode(true));
  [...svg.children].forEach((node, n) => {
    const style = getComputedStyle(node);
    for (const name of STYLES) /** @type {SVGElement} */ (copy.children[n]).style.setProperty(name, style.getPropertyValue(name));
  });
  const { clientWidth: width, clientHeight: height } = svg;
  for (const [name, value] of Object.entries({ xmlns: "http://www.w3.org/2000/svg", width, height })) copy.setAttribute(name, String(value));
  copy.style.background = getComputedStyle(svg.closest("dialog") ?? svg).backgroundColor;
  const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
  title.textContent = `${says} (${location.href})`;
  copy.prepend(title);
  return new XMLSerializer().serializeToString(copy);
}

/** @param {SVGSVGElement} svg @param {() => { name: string, says: string }} scene */
export function saveButton(svg, scene) {
  const button = makeButton("⤓", _("Save this picture as SVG"), () => {
    const { name, says } = scene();
    download(new Blob([standalone(svg, says)], { type: "image/svg+xml" }), `${name}.svg`);
  });
  button.setAttribute("aria-label", button.title);
  button.className = "save";
  return button;
}
