// @ts-check
// Hears the points that the server sends, and shows nothing itself.

import { keepPoints } from "./points.js";

/** @param {{ data: any }} component */
export default function heardPoints({ data }) {
  keepPoints(data);
}
