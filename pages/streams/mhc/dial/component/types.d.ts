// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Pen } from "#canvas/pens.js";
import type { Palette, Theme } from "#canvas/theme.js";
import type { matrixPlan } from "./drawing.js";

export type Debounced = (() => void) & { cancel: () => void };

/** As `dial` in Python sends it: the logits of a model, or a matrix that the user edits. */
export interface Data {
  model?: { logits: string; n: number; tokens: string[]; sublayers: string[]; iterations: number };
  own?: { typed: string; words: string[][]; kind: "entries" | "logits"; support: Support & { pattern: string }; verdict: string };
  name: string;
  place: Place;
  origin: string;
  colors: Palette;
}

/** Where the user is; the server keeps it in the link. `step` counts half steps. */
export interface Place {
  token: number;
  sublayer: number;
  step: number;
  temperature: number;
}

export interface Support {
  kind: "total" | "partial" | "none";
  blocks: number;
}

export interface Elements {
  dial: HTMLInputElement;
  play: HTMLButtonElement;
  at: HTMLElement;
  heat: HTMLInputElement;
  degrees: HTMLElement;
  token: HTMLSelectElement;
  sublayer: HTMLSelectElement;
  forModel: HTMLElement;
  size: HTMLElement;
  forOwn: HTMLElement;
  matrix: HTMLElement;
  cell: HTMLElement;
  residual: HTMLElement;
  speed: HTMLElement;
  gain: HTMLElement;
  depth: HTMLElement;
  toggle: HTMLButtonElement;
  gains: HTMLElement;
  cells: HTMLElement;
  edit: HTMLElement;
  verdict: HTMLElement;
}

export interface View extends Place {
  root: HTMLElement;
  els: Elements;
  component: Component;
  observer: ResizeObserver;
  data: Data;
  origin?: string;
  theme: Theme;
  stacked: boolean;
  width?: number;
  logits: Float32Array; // of the model, [P * T * N * N]
  words: string[][]; // of the user's own matrix
  typed: string | null; // the text of `words`, as it was sent or came last
  confirmed: string | null; // the text that the server sent last
  pending: string[]; // edits that the server has not confirmed
  triggers: number; // counts the texts sent: the same text twice is two events
  sendPlace: Debounced;
  playing: ReturnType<typeof setInterval> | null;
  cursor: number | null; // the entry looked at
  distance: boolean; // whether gains are drawn as distances from 1
  menus?: string;
  key: string | null; // what the results below were computed from
  n: number;
  raw: Float64Array; // logits
  steps: Float64Array[]; // entries after every half step
  trail: { rows: number; columns: number; both: number }[];
  support: Support | null; // null until the server has judged an edited matrix
  rate: number;
  gains: [forward: number, backward: number][];
  plan: ReturnType<typeof matrixPlan>;
  paints: number;
}

/** Draws a picture `width` pixels wide and returns its height. */
export type Picture = (pen: Pen, v: View, theme: Theme, width: number) => number;
