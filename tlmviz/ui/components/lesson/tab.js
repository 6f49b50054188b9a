// @ts-check
// The number of this browser tab: made up once, kept in the tab's own storage, gone with the tab.

const KEPT = "tlmviz-tab";
let made = ""; // where the browser keeps nothing

/** A new number of 128 bits. Not randomUUID, which browsers keep from pages without https. */
function random() {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** This tab's number. */
export function tabNumber() {
  try {
    const kept = sessionStorage.getItem(KEPT);
    if (kept && /^[0-9a-f]{32}$/.test(kept)) return kept;
    made ||= random();
    sessionStorage.setItem(KEPT, made);
  } catch {
    made ||= random();
  }
  return made;
}
