// @ts-check
// The attention view as Streamlit's component.

import { attention } from "./view.js";

export default attention;
