// @ts-check
// A lesson in a class: what its room lets be seen and asked at a scene, and how it answered.

import { _ } from "#canvas/language.js";
import { answerOf, isGuess, truth } from "./acts.js";

/** @typedef {import("./acts.js").Scene} Scene */
/** @typedef {import("./acts.js").State} State */
/** @typedef {import("./pictures.js").Part} Part */
/** @typedef {{ scene: number, note: string, ended?: boolean, held?: number, shown?: boolean, again?: boolean, vote: number, votes: Record<number,
 * number>[] }} Standing as `room.attend` in Python has it, at a scene; at scene 0 nothing is known */
/** @typedef {{ data: { room: string, wall: boolean, scenes: Scene[] }, room: Standing, states: State[], at: number }} Taken a lesson, as its view has it */

/**
 * How a class stands at the scene: whether it is asked `again`, and whether what was told is `open` to be judged.
 * @param {Taken} v
 */
export function standing({ data, room, states, at }) {
  if (!data.room || room.ended || !isGuess(data.scenes[at - 1].act)) return { again: false, open: true, here: room };
  const here = room.scene === at ? room : null;
  const again = Boolean(here?.again) && !data.wall && !(Number(here?.vote) in states[at - 1].votes);
  return { again, open: Boolean(here?.shown) && !again, here };
}

/** The state of the scene as it is shown: not yet told, where a class waits; on a wall, what is right. @param {Taken} v */
export function visible(v) {
  const [state, { act }] = [v.states[v.at - 1], v.data.scenes[v.at - 1]];
  const { open } = standing(v);
  const guessed = v.data.wall && isGuess(act);
  return open && !guessed ? state : { ...state, told: open && guessed ? truth(act) : null };
}

/** Tell the room, if there is one, where this tab is and what it has answered. @param {Taken} v */
export function report(v) {
  if (!v.data.room) return;
  const answers = v.states.flatMap(({ votes }, n) => Object.entries(votes).map(([vote, answer]) => [`${n + 1}.${vote}`, answer]));
  dispatchEvent(new CustomEvent("tlmviz-lesson", { detail: { scene: Math.min(v.at, v.data.scenes.length), answers: Object.fromEntries(answers) } }));
}

/** How the room answered, in words. @param {Taken} v @param {Standing | null} here */
export function roomSaid(v, here) {
  const { answers } = v.data.scenes[v.at - 1];
  const counts = answers.map((_label, n) => (here?.votes ?? []).map((vote) => vote[n] ?? 0));
  const rows = answers.flatMap((label, n) => (counts[n].some(Boolean) ? [`${label}: ${counts[n].join(" → ")}`] : []));
  return rows.length ? _("The room: {answers}.", { answers: rows.join(", ") }) : "";
}

/** What stands under the picture of a class's scene, in place of a reply. @param {Taken} v */
export function roomHint(v) {
  const { again, open, here } = standing(v);
  const { told } = v.states[v.at - 1];
  if (open || told === null) return "";
  const { act, answers } = v.data.scenes[v.at - 1];
  const answer = answers[answerOf(act, told)] ?? "";
  if (!here) return _("Asking the room …");
  if (again) return _("Your teacher asks again: discuss it, then answer once more. Your first answer was **{answer}**.", { answer });
  return _("Your answer, **{answer}**, is counted. What is right appears here when your teacher reveals it.", { answer });
}

/** How the room answered, as bars below the picture on a wall. @param {Taken} v @returns {Part} */
export function roomBars({ data, room, at }) {
  const { answers, rights } = data.scenes[at - 1];
  const last = room.votes.at(-1) ?? {};
  const all = Object.values(last).reduce((sum, count) => sum + count, 0) || 1;
  const rows = answers.map((label, n) => ({ id: `room-${n}`, label: rights.includes(n) ? `✓ ${label}` : label, share: (last[n] ?? 0) / all,
    tone: rights.includes(n) ? "note" : "soft", says: room.votes.map((vote) => vote[n] ?? 0).join(" → ") }));
  return { kind: "bars", share: 0.5, options: { rows: rows.filter(({ share }, n) => share || rights.includes(n)) } };
}
