// @ts-check
// A lesson by keys alone.

/** Answers by their numbers; arrows lead along what can be pressed in the picture. @param {{ stage: HTMLElement, acts: HTMLElement }} parts
 * @param {KeyboardEvent} event */
export function pressedKey({ stage, acts }, event) {
  const { target, key: pressed } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || (target instanceof HTMLInputElement && target.type === "text")) return;
  const spots = /** @type {HTMLElement[]} */ ([...stage.querySelectorAll("button")]);
  const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[pressed];
  const answers = /** @type {HTMLElement[]} */ ([...acts.querySelectorAll("button")]);
  if (pressed >= "1" && pressed <= "9") (answers.length ? answers : spots)[Number(pressed) - 1]?.click();
  else if (step && spots.length && !(target instanceof HTMLInputElement)) {
    const here = spots.findIndex((spot) => spot.matches(":focus"));
    spots[here < 0 ? (step > 0 ? 0 : spots.length - 1) : (here + step + spots.length) % spots.length].focus();
    event.preventDefault();
  }
}
