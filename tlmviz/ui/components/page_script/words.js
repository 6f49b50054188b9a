// @ts-check
// What the view says: its sentences, whole.

export const SCRIPT_TEXTS = {
  beforeYouLine: (/** @type {number} */ count) => `${count} before you in line.`,
  linkFileData: "Link, file, data and embedding of this chart",
};
