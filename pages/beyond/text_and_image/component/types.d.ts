// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Pad } from "#canvas/pad.js";
import type { Palette, Theme } from "#canvas/theme.js";

/** What is shown, as the link keeps it: numbers from 1, 0 is none of them (a head: the mean of all). */
export interface Shown {
  word: number; // of question and answer, behind one another
  patch: number;
  head: number;
  turnedWord: number;
  turnedHead: number;
}

/** As `payload` in Python writes it. */
export interface Header {
  cells: string[]; // nine: "", "h" and the number of a held-out digit, or 64 letters of a drawn one
  names: string[]; // of the cells
  question: string;
  picks: string[]; // questions to choose from
  asked: string[]; // words of the question
  words: string[]; // of the answer
  probabilities: number[]; // of those
  verdict: string;
  wrong: boolean;
  layers: number; // of each model's cross-attention
  heads: number;
  read: string[]; // the words that the patches attend to
  marking: string;
  markedWrong: boolean;
  turnedLayers: number;
  turnedHeads: number;
  problem: string; // why there is no answer; the rest is then empty
  shown: Shown;
  cell: number; // that is laid out
  seq: number;
  picture: number;
  colors: Palette;
}

export interface Elements {
  grid: HTMLCanvasElement;
  asks: HTMLCanvasElement;
  turned: HTMLCanvasElement;
  heads: HTMLCanvasElement;
  turnedHeads: HTMLCanvasElement;
  words: HTMLElement;
  turnedWords: HTMLElement;
  picks: HTMLElement;
  verdict: HTMLElement;
  marking: HTMLElement;
  said: HTMLElement;
  turnedSaid: HTMLElement;
  cellName: HTMLElement;
  answered: HTMLElement[];
}

/** One model's side of the view. */
export interface Side {
  maps: Float32Array; // [rows, layers, heads, columns]
  rows: number;
  columns: number;
  layers: number;
  heads: number;
}

export interface View {
  root: HTMLElement;
  component: Component;
  els: Elements;
  header: Header;
  pixels: Uint8Array; // [24, 24]
  marks: Float32Array; // [36]
  asks: Side; // words x patches
  turned: Side; // patches x words
  shown: Shown;
  cell: number;
  theme: Theme;
  pad: Pad;
  seq: number;
  message: Record<string, unknown>; // what is sent next, besides what is shown
  sendSoon: (() => void) & { cancel: () => void };
  observer: ResizeObserver;
  width?: number;
}
