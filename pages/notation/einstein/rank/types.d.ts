// What the files of this view hand to each other.

import type { View as Live } from "#canvas/live.js";

export interface Way {
  key: "product" | "columns" | "rows" | "singular";
  name: string; // on the button
  term: string; // what one term is: "token", "column"
  count: number;
}

export interface Header {
  rows: number;
  cols: number;
  rank: number;
  ways: Way[];
  row: string; // what a row is: "token", "row"
  tokens: string[]; // of the rows of P V, and of its terms; none elsewhere
}

/** Row-major float32; `errors` and `sorted_errors` of all ways and `order` of all ways one after the other. */
export interface Arrays {
  left: Float32Array;
  right?: Float32Array; // absent where the matrix is no product
  singular_columns: Float32Array;
  singular_rows: Float32Array;
  values: Float32Array;
  errors: Float32Array;
  sorted_errors: Float32Array;
  order: Uint16Array;
}

export interface Data {
  header: Header;
  arrays: Arrays;
  whole: Float64Array; // the matrix
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Layout {
  width: number;
  height: number;
  panels: Box[]; // the matrix, the sum, the term, what is left
  bars: Box;
  curve: Box;
}

export interface State {
  way: Way;
  count: number;
  sorted: boolean;
}

export type View = Live<Header, Arrays, { way: Way["key"]; count: number; sorted: boolean }> & {
  data: Data;
  sum: Float64Array; // of the first `summed` terms
  summed: number;
  summedOf: string; // the way and the order that `sum` was made by
};
