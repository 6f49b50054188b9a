// What the files of this view hand to each other.

import type { Head } from "../../../../../tlmviz/ui/components/attention_view/head.js";
import type { Joined } from "#canvas/hovered.js";
import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";

export type Coloring = "reads" | "loss";

/** As `payload` in Python writes it. */
export interface Header {
  tokens: string[];
  model: string;
  layer: number;
  head: number;
  query: number;
  far: { layer: number; head: number; value: number }[];
  color: Coloring;
  context: number;
  seq: number;
  picture: number;
  origin: string; // names the text and the head
  colors: Palette;
}

export interface Elements {
  text: HTMLElement;
  canvas: HTMLCanvasElement;
  reads: HTMLElement;
  heads: HTMLElement;
  said: HTMLElement;
  colors: Record<Coloring, HTMLButtonElement>;
}

export interface View {
  root: HTMLElement;
  els: Elements;
  component: Component;
  observer: ResizeObserver;
  header: Header;
  arrays: { loss: Float32Array; row: Float32Array; map: Float32Array };
  rows: Head | null; // computes the rows of other queries
  theme: Theme;
  width?: number;
  hovered: Joined; // the tokens that are pointed at on the page
  side: number; // pixels of the map
  query: number; // pinned, perhaps not yet answered
  color: Coloring;
  seq: number;
  joined?: string; // the tokens that the text column holds
  spans: HTMLElement[];
  marked: HTMLElement | null;
  image: HTMLCanvasElement | null;
  sendSoon: (() => void) & { cancel: () => void };
}
