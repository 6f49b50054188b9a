// @ts-check
// The attention view as Streamlit's component.

import { followTyping } from "#canvas/ahead.js";
import { attention } from "./view.js";

export default followTyping(attention);
