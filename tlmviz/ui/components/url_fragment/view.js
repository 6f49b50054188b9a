// @ts-check
// Reads and writes one value behind the # of the address, which the browser sends to nobody.

/** @param {{ data: { name: string, value: string | null }, setStateValue: (name: string, value: string) => void }} component */
export default function ({ data: { name, value }, setStateValue }) {
  const said = new URLSearchParams(location.hash.slice(1));
  if (value === null) {
    const found = said.get(name);
    if (found) setStateValue("said", found);
    return;
  }
  if (value) said.set(name, value);
  else said.delete(name);
  const hash = said.size ? `#${said}` : "";
  if (hash !== location.hash) history.replaceState(history.state, "", location.pathname + location.search + hash);
}
