// @ts-check
// What a visitor does in a scene, and what is answered: the server has judged every answer beforehand.

/** @typedef {import("./pictures.js").Part} Part */
/** @typedef {{ key: string | number, label: string, verdict: string, reason: string, right: boolean,
 * shows: Part[] }} Reply to an answer; it `shows` a picture of its own, or none */
/**
 * As `parts` in Python has it. `replies`: to choose, pick, tap and press one an answer; to drag the one to a good value, to one too low and
 * to one too high, or, with `until`, the one where it is found; to again one a step.
 * @typedef {{ kind: "choose" | "tap" | "press" | "pick" | "drag" | "again", replies: Reply[], button: string, label: string, count: number, right: number,
 *   within: number, start: number, until: number | null }} Act
 */
/** @typedef {{ says: string, act: Act, answers: string[], rights: number[], before: Part[], after: Part[], hint: string, behind: string,
 * asks: boolean }} Scene */
/** @typedef {{ told: number | null, votes: Record<number, number>, value: number, moved: boolean,
 * pressed: string | number | null, tries: number, chosen: string[] }} State of a scene: what was `told` is an answer's number, a token,
 *   a value or how often was tried; `votes` has which answer was given in which vote of a class; `moved`: the slider was touched */

/** @param {Act} act @param {number | null} [told] @returns {State} */
export const begun = (act, told = null) => ({ told, votes: {}, value: told ?? act.start, moved: false, pressed: null, tries: 0, chosen: [] });

/** Whether an act is a guess, which counts as right or wrong. @param {Act} act */
export const isGuess = ({ kind, until }) => ["choose", "tap", "pick"].includes(kind) || (kind === "drag" && until === null);

/**
 * The reply to what was told, undefined where that is no answer.
 * @param {Act} act
 * @param {number} told
 */
export function replyTo({ kind, replies, right, within, until }, told) {
  if (kind === "tap") return replies.find(({ key }) => key === told);
  if (kind === "press") return replies.find((reply) => reply.right);
  if (kind === "again") return replies.at(-1);
  if (kind === "drag") return replies[until !== null || Math.abs(told - right) <= within ? 0 : told < right ? 1 : 2];
  return replies[told];
}

/** The reply to a press on the way: to the key that is pressed, or to the last step. @param {Act} act @param {State} state */
export function replyOnTheWay({ kind, replies }, { pressed, tries }) {
  if (kind === "press") return replies.find(({ key }) => key === pressed);
  return kind === "again" ? replies[tries - 1] : undefined;
}

/** Where the chosen ones of a pick stand among its answers, in whatever order. @param {Act} act @param {string[]} chosen */
export const picked = ({ replies }, chosen) => replies.findIndex(({ key }) => key === [...chosen].sort().join(" "));

/**
 * What a scene shows in a state.
 * @param {Scene} scene
 * @param {State} state
 * @returns {Part[]}
 */
export function shown({ act, before, after }, state) {
  const { told, value, chosen } = state;
  const reply = told === null ? replyOnTheWay(act, state) : replyTo(act, told);
  const parts = reply?.shows.length ? reply.shows : told === null || !after.length ? before : after;
  const found = told !== null && act.until !== null;
  const guessed = act.kind === "drag" ? parts.findIndex(({ kind }) => kind === "bars") : -1; // the part whose first bar is dragged
  return parts.map((part, at) => {
    const { kind, options } = part;
    const press = told === null ? options.press : []; // what can be pressed, of the parts that have it
    if (["strip", "pair", "handwritten"].includes(kind)) return {
      ...part, options: { ...options, press, picked: told !== null && act.kind === "tap" && !reply?.right ? told : null } };
    if (options.press) return { ...part, options: { ...options, press, chosen } };
    if (kind === "odds") return { ...part, options: { ...options, value: found ? act.until : value } };
    if (at === guessed) return { ...part, options: { rows: options.rows.map(
      (/** @type {any} */ row, /** @type {number} */ n) => (n ? row : { ...row, guess: (told ?? value) / 100 })) } };
    return part;
  });
}

/** Which of a scene's `answers` something told is, counted from 0; what is no guess is none. @param {Act} act @param {number} told */
export function answerOf(act, told) {
  if (!isGuess(act)) return -1;
  if (act.kind === "tap") return act.replies.findIndex(({ key }) => key === told);
  return act.kind === "drag" ? Math.min(9, Math.floor(told / 10)) : told;
}

/** What would be told by who knows it. @param {Act} act */
export function truth({ kind, replies, right }) {
  const first = replies.findIndex((reply) => reply.right);
  if (kind === "drag") return right;
  return kind === "tap" ? Number(replies[first].key) : first;
}

/** How many guesses were right, and how many there are. @param {Scene[]} scenes @param {State[]} states */
export function scored(scenes, states) {
  const guesses = scenes.map(({ act }, n) => ({ act, told: states[n]?.told ?? null })).filter(({ act }) => isGuess(act));
  const right = guesses.filter(({ act, told }) => told !== null && replyTo(act, told)?.right).length;
  return { right, all: guesses.length };
}
