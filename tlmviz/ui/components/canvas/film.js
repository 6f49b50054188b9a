// @ts-check
// A film of a canvas while it plays.

import { download, makeButton } from "#canvas/dom.js";
import { _ } from "#canvas/language.js";

const RATE = 30; // pictures a second, at most

/**
 * A button that records a canvas until it is pressed again, and then offers the film as a file: WebM, or what the browser writes.
 * Hidden where the browser cannot record.
 * @param {() => HTMLCanvasElement | null} canvasOf
 * @param {() => string} paper the colour behind it: a film is not transparent
 * @param {string} file its name without an ending
 */
export function filmButton(canvasOf, paper, file) {
  /** @type {MediaRecorder | null} */
  let recorder = null;
  const button = makeButton("", "", () => (recorder ? recorder.stop() : begin()));
  button.dataset.testid = "film";
  button.hidden = typeof MediaRecorder === "undefined" || !HTMLCanvasElement.prototype.captureStream;
  const say = () => {
    button.textContent = recorder ? _("End film") : _("Film");
    button.title = recorder ? _("End the film, and save it") : _("Record the picture as a film while it plays, until you press again");
    button.setAttribute("aria-pressed", String(Boolean(recorder)));
  };
  const begin = () => {
    const canvas = canvasOf();
    if (!canvas) return;
    const sheet = Object.assign(document.createElement("canvas"), { width: canvas.width, height: canvas.height });
    const context = /** @type {CanvasRenderingContext2D} */ (sheet.getContext("2d"));
    const copy = () => {
      if (!recorder) return;
      context.fillStyle = paper();
      context.fillRect(0, 0, sheet.width, sheet.height);
      context.drawImage(canvas, 0, 0);
      requestAnimationFrame(copy);
    };
    const stream = sheet.captureStream(RATE);
    const parts = /** @type {Blob[]} */ ([]);
    recorder = new MediaRecorder(stream);
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.onstop = () => {
      const kind = recorder?.mimeType || "video/webm";
      recorder = null;
      stream.getTracks().forEach((track) => track.stop());
      say();
      download(new Blob(parts, { type: kind }), `${file}.${kind.includes("mp4") ? "mp4" : "webm"}`);
    };
    recorder.start();
    copy();
    say();
  };
  say();
  return { button, end: () => recorder?.stop() };
}
