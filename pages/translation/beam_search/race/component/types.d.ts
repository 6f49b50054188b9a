// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";

/** One width: everything it kept, in order of step and rank. Places are indices into these lists. */
export interface Lane {
  width: number;
  steps: number;
  parents: number[]; // place, -1 for the empty text
  depths: number[]; // from 1
  ranks: number[]; // from 0, within a step
  totals: number[]; // log P in nats
  ended: boolean[];
  names: string[];
  leaders: string[]; // text of the best beginning of each step
  way: number[]; // places of the best text of all widths, as far as this one kept it
  lost: { step: number; how: "dropped" | "ended" } | null;
  text: string;
  score: number;
  logp: number;
}

export interface Rival {
  name: string;
  text: string;
  logps: number[];
  score: number;
}

export interface Duel {
  tokens: number[];
  names: string[];
  fixed: number; // tokens of a forced beginning
  text: string;
  logps: number[];
  ended: boolean;
  score: number | null;
  offers: { token: number; name: string; p: number }[];
  rivals: Rival[];
}

/** As `payload` in Python sends it. */
export interface Data {
  lanes: Lane[];
  best: string;
  duel: Duel;
  origin: string;
  step: number;
  seq: number;
  model: string;
  colors: Palette;
  warm: { light: string; dark: string };
}

export interface LanePlan {
  x: number;
  y: number;
  width: number;
  height: number;
  step: number; // pixels from a step to the next
  rank: number; // pixels from a rank to the next
  top: number; // of rank 0
}

export interface Elements {
  lanes: HTMLCanvasElement;
  chart: HTMLCanvasElement;
  slider: HTMLInputElement;
  play: HTMLButtonElement;
  stepName: HTMLElement;
  said: HTMLElement;
  own: HTMLElement;
  offers: HTMLElement;
  verdict: HTMLElement;
  back: HTMLButtonElement;
  restart: HTMLButtonElement;
}

export interface View {
  root: HTMLElement;
  els: Elements;
  component: Component;
  observer: ResizeObserver;
  data: Data;
  theme: Theme;
  width?: number;
  step: number; // -1: the end
  own: number[];
  seq: number;
  waiting: boolean; // for what follows the chosen token
  plans: LanePlan[];
  hover: { lane: number; place: number } | null;
  timer?: ReturnType<typeof setInterval>;
  sendSoon: (() => void) & { cancel: () => void };
}
