// @ts-check
// What the engine says when it cannot do what it was asked for: one sentence each, named as Python's errors are.

/** An error whose message a reader may see. */
export class EngineError extends Error {
  /** @param {string} message one sentence: what was given, what is allowed, what to do */
  constructor(message) {
    super(message);
    this.name = new.target.name;
  }
}

/** A text that is empty, or longer than the model reads. */
export class BadText extends EngineError {}

/** A file of weights or a tokenizer that is damaged, or belongs to another model. */
export class BadCheckpoint extends EngineError {}

/** A config.json that makes no sense, or names a part that the engine does not have. */
export class BadConfig extends EngineError {}

/** A table of numbers of another form than asked for. */
export class BadShape extends EngineError {}

/** Something that no search can do. */
export class BadSearch extends EngineError {}

/** A layer or a head that the model does not have. */
export class UnknownName extends EngineError {}
