// @ts-check
// What the view says: its sentences, whole.

export const TEXTS = {
  everyStatisticHead: (/** @type {string} */ title) => `${title}. Every statistic of this head among those of all heads, and its weight by distance.`,
  passageArrowKeys: "The passage. Arrow keys frame another word.",
  openExplorer: "Open in the explorer",
  noPassageHas: "No passage has this statistic.",
  howFarBack: "How far back it looks (line: mean head)",
  tokensBackBars: "tokens back; bars in %",
  noHeadLike: "No head is like this",
  overEveryHead: (/** @type {string} */ name, /** @type {string} */ name2, /** @type {string} */ said) => `${name} over ${name2} of every head. ${said} Arrow keys go from head to head, Enter opens one.`,
  pointDotHeads: (/** @type {number} */ without) => `Point at a dot; ${without} heads without one of the two are in the table alone.`,
  pointDotSee: "Point at a dot to see its numbers; click it to open the head.",
  clickOpen: (/** @type {string} */ headName, /** @type {string} */ said) => `${headName}: ${said}. Click to open it.`,
  headsTableAll: "The heads of the table with all digits",
};
