// What the files of this view hand to each other.

import type { Component } from "#canvas/mount.js";
import type { Palette } from "#canvas/theme.js";

export interface Stage {
  reads: string; // the token whose embedding it reads
  word: string; // what it predicts
  p: number;
  right: boolean | null; // null: the text ends before
  top: [word: string, p: number][];
}

export interface Round {
  proposed: [word: string, chance: number][];
  accepted: number;
  added: string | null; // what the model adds; null where the text ended before
}

/** As `payload` in Python writes it. */
export interface Header {
  kind: "chains" | "rounds";
  tokens: string[];
  chains: Stage[][];
  rounds: Round[];
  own: boolean; // whether modules read what was predicted
  at: number; // from 1
  picture: number;
  colors: Palette;
}

export interface View {
  root: HTMLElement;
  component: Component;
  header: Header;
  at: number; // from 1
  hover: number | null;
  sendSoon: (() => void) & { cancel: () => void };
}
