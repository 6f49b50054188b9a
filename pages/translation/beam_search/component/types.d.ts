// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Ranked, Row, Weight, Weights } from "./scores.js";

export type Term = "logp" | "length" | "coverage" | "end";

/** As `ranking` in Python sends it. */
export interface Data {
  rows: Row[]; // in order of log P
  weights: Weights;
  kind: string;
  source: boolean;
  origin: string;
}

export interface RowElements {
  root: HTMLElement;
  place: HTMLElement;
  move: HTMLElement;
  text: HTMLElement;
  score: HTMLElement;
  terms: Record<Term, HTMLElement>;
  tick: HTMLElement;
}

export interface View {
  root: HTMLElement;
  component: Component;
  sliders: Record<Weight, { input: HTMLInputElement; value: HTMLElement; label: HTMLElement }>;
  sentence: HTMLElement;
  list: HTMLElement;
  data: Data;
  text?: string; // the rows that came last
  origin?: string;
  weights: Weights;
  order: Ranked[];
  before: Map<number, number> | null; // id -> place before the last change
  span: [low: number, high: number];
  rows: Map<number, RowElements>;
  unhovered: () => void;
}
