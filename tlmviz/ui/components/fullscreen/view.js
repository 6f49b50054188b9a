// @ts-check
// A button that shows the page on the full screen. Escape ends it, as ever.

/** @param {{ parentElement: HTMLElement | ShadowRoot, data: { label: string } }} component */
export default function ({ parentElement, data }) {
  const button = parentElement.querySelector("button");
  if (!button) return;
  button.textContent = data.label;
  button.hidden = !document.fullscreenEnabled; // as on an iPhone
  button.onclick = () => document.documentElement.requestFullscreen();
}
