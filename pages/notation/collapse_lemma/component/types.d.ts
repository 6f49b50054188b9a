// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";

export type Part = "M" | "U"; // what all heads share: W_Q W_K', or W_V W_O
export type Switch = "rope" | "norm" | "alibi" | "same" | "softmax";

export interface Header {
  title: string;
  tokens: string[]; // n
  heads: number;
  apart: number[][]; // by combination: logits, probabilities, output
  trained: number; // how far the logits of the trained heads are apart
  missed: number[]; // of the output, without softmax and with it
  part: Part;
  on: Switch[];
  origin: string;
  picture: number;
  colors: Palette;
}

/** Probabilities as 16-bit shares of 1. */
export interface Arrays {
  trained: Uint16Array; // [H, n, n]
  maps: Uint16Array; // [16, H, n, n]
  scores: Float32Array; // [H + 2, n, n], without softmax
  weights: Uint16Array; // [H + 2, n, n], with it
}

export interface Data {
  header: Header;
  arrays: Arrays;
}

export interface State {
  part: Part;
  on: Set<Switch>;
}

/** A map of the picture: its square, its name, its numbers, and how they are coloured. */
export interface Panel {
  x: number;
  y: number;
  side: number;
  name: string; // in a sentence
  head: string; // above it
  values: Float32Array;
  signed: boolean;
  most: number;
}

export interface Layout {
  width: number;
  height: number;
  rows: { text: string; more: string; x: number; y: number }[];
  panels: Panel[];
}

export interface View extends Data, State {
  root: HTMLElement;
  component: Component;
  els: { parts: HTMLElement; switches: HTMLElement; canvas: HTMLCanvasElement; said: HTMLElement };
  theme: Theme;
  layout?: Layout;
  hover: string;
  sendSoon: (() => void) & { cancel: () => void };
  observer: ResizeObserver;
  width?: number;
}
