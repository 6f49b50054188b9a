// @ts-check
// Hears what the server says of the chosen word, and shows nothing itself.

import { announceMarks } from "./marked.js";

/** @param {{ data: import("./types").Marks }} component */
export default function heard({ data }) {
  announceMarks(data);
}
