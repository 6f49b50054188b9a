// @ts-check
// Recurrent cells by torch's names and formulas: a GRU's and an LSTM's step.

/** @typedef {import("../types").Site} Site */

const logistic = (/** @type {number} */ x) => 1 / (1 + Math.exp(-x));

/** The gates of a cell: linear maps of what it reads and of its state, which the subclasses join. */
class Cell {
  /**
   * @param {Site} site
   * @param {string} name
   * @param {string} suffix of the tensors' names
   * @param {number} gates
   * @param {number} inputs
   * @param {number} hidden
   */
  constructor(site, name, suffix, gates, inputs, hidden) {
    this.memory = site.memory;
    this.hidden = hidden;
    this.row = gates * hidden;
    this.input = site.matrix(`${name}.weight_ih${suffix}`, this.row, inputs, `${name}.bias_ih${suffix}`);
    this.state = site.matrix(`${name}.weight_hh${suffix}`, this.row, hidden, `${name}.bias_hh${suffix}`);
    this.ofInput = site.scratch("gates of inputs", site.chunk * this.row);
    this.ofState = site.scratch("gates of states", site.chunk * this.row);
  }

  /**
   * One step in each of several rows.
   * @param {number} x what is read, [R, inputs]
   * @param {number} h states [R, H], which become the next ones
   * @param {number} rows
   */
  step(x, h, rows) {
    this.input.apply(x, this.ofInput, rows);
    this.join(this.ofInput, h, rows);
  }

  /**
   * @param {number} ofInput gates of what is read, [R, row]
   * @param {number} h
   * @param {number} rows
   */
  join(ofInput, h, rows) {}
}

/** h' = (1 - z) n + z h, n = tanh(of input + r * of state) (Cho et al. 2014, as torch has it). */
export class GRUCell extends Cell {
  /**
   * @param {Site} site
   * @param {string} name
   * @param {string} suffix
   * @param {number} inputs
   * @param {number} hidden
   */
  constructor(site, name, suffix, inputs, hidden) {
    super(site, name, suffix, 3, inputs, hidden);
  }

  /**
   * @param {number} ofInput
   * @param {number} h
   * @param {number} rows
   */
  join(ofInput, h, rows) {
    const { memory: { numbers }, ofState, hidden, row } = this;
    this.state.apply(h, ofState, rows);
    for (let t = 0; t < rows; t++) {
      for (let i = 0; i < hidden; i++) {
        const [x, s, at] = [ofInput + t * row + i, ofState + t * row + i, h + t * hidden + i];
        const reset = logistic(numbers[x] + numbers[s]);
        const update = logistic(numbers[x + hidden] + numbers[s + hidden]);
        const next = Math.tanh(numbers[x + 2 * hidden] + reset * numbers[s + 2 * hidden]);
        numbers[at] = (1 - update) * next + update * numbers[at];
      }
    }
  }
}

/** c' = f c + i g, h' = o tanh(c') (Hochreiter and Schmidhuber 1997, as torch has it); the cell's c is kept here, of one row. */
export class LSTMCell extends Cell {
  /**
   * @param {Site} site
   * @param {string} name
   * @param {string} suffix
   * @param {number} inputs
   * @param {number} hidden
   */
  constructor(site, name, suffix, inputs, hidden) {
    super(site, name, suffix, 4, inputs, hidden);
    this.c = new Float32Array(hidden);
  }

  /**
   * @param {number} ofInput
   * @param {number} h
   */
  join(ofInput, h) {
    const { memory: { numbers }, ofState, hidden, c } = this;
    this.state.apply(h, ofState, 1);
    const gate = (/** @type {number} */ i) => numbers[ofInput + i] + numbers[ofState + i];
    for (let i = 0; i < hidden; i++) {
      c[i] = logistic(gate(hidden + i)) * c[i] + logistic(gate(i)) * Math.tanh(gate(2 * hidden + i));
      numbers[h + i] = logistic(gate(3 * hidden + i)) * Math.tanh(c[i]);
    }
  }
}
