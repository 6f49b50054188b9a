// What the files of these views hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";

export type Offer = [token: string, probability: number];

/** As `hidden_payload` in Python writes it. */
export interface HiddenHeader {
  tokens: string[];
  masked: boolean[];
  offers: { both: Offer[]; causal: Offer[] }[];
  place: number;
  picture: number;
  colors: Palette;
}

export interface HiddenView {
  root: HTMLElement;
  component: Component;
  els: { text: HTMLElement; said: HTMLElement; both: HTMLElement; causal: HTMLElement };
  chips: HTMLElement[];
  header: HiddenHeader;
  both: Float32Array;
  causal: Float32Array;
  theme: Theme;
  place: number;
  sendSoon: (() => void) & { cancel: () => void };
  observer: ResizeObserver;
  width?: number;
}

/** As `cls_payload` in Python writes it. */
export interface ClsHeader {
  tokens: string[];
  first: number;
  layer: number;
  head: number;
  verdicts: [question: string, probability: number][];
  picture: number;
  colors: Palette;
  arrays: { row: { shape: number[] } };
}

export interface ClsView {
  root: HTMLElement;
  component: Component;
  els: { text: HTMLElement; said: HTMLElement; heads: HTMLElement; verdict: HTMLElement };
  chips: HTMLElement[];
  header: ClsHeader;
  row: Float32Array;
  theme: Theme;
  chosen: [number, number];
  hover: [number, number] | null;
  sendSoon: (() => void) & { cancel: () => void };
  observer: ResizeObserver;
  width?: number;
}
