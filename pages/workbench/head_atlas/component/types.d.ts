// What the files of these views hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Palette, Theme } from "#canvas/theme.js";

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface AtlasHeader {
  columns: string[];
  names: Record<string, string>;
  brief: Record<string, string>;
  helps: Record<string, string>;
  x: string;
  y: string;
  layers: number;
  sort: string; // a column, "-" before it for largest first
  found: boolean; // a query names heads
  file: string;
  picture: number;
  colors: Palette;
}

export interface Data {
  header: AtlasHeader;
  arrays: { values: Float32Array; lit: Uint8Array };
}

export interface Scale {
  low: number;
  high: number;
  ticks: number[];
  places: number; // decimals
}

export interface AtlasView extends Data {
  root: HTMLElement;
  component: Component;
  els: { canvas: HTMLCanvasElement; said: HTMLElement; table: HTMLElement; count: HTMLElement };
  theme: Theme;
  box: Box;
  at: number; // the head that is pointed at; -1: none
  sort: string;
  sent: string; // the sorting that came with the last picture
  width?: number;
  observer: ResizeObserver;
}

export interface Passage {
  tokens: string[];
  pin: number;
  link: string; // empty where no model read it
  where: string;
}

export interface HeadHeader {
  statistics: string[];
  names: Record<string, string>;
  by: string;
  index: number;
  heads: number; // of a layer
  bins: string[];
  tokens: Record<"query" | "key", [string, number][]>;
  tops: [string, string][];
  top: number;
  passage: Passage | null;
  title: string;
  picture: number;
  colors: Palette;
}

export interface HeadData {
  header: HeadHeader;
  arrays: { values: Float32Array; deciles: Float32Array; shares: Float32Array; weights: Uint16Array };
}

export interface HeadView extends HeadData {
  root: HTMLElement;
  component: Component;
  els: { canvas: HTMLCanvasElement; said: HTMLElement; tokens: HTMLElement; list: HTMLElement; text: HTMLElement; where: HTMLElement; open: HTMLAnchorElement };
  theme: Theme;
  pin: number;
  sendSoon: (() => void) & { cancel: () => void };
  width?: number;
  observer: ResizeObserver;
}
