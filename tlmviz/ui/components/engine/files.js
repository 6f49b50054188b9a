// @ts-check
// The three files of a model of the server's, where they are.

/**
 * What `make` makes of a model's files.
 * @template Model
 * @param {string} address of the model's folder, with a slash
 * @param {(config: string, weights: Uint8Array, tokenizer: string) => Model} make
 * @throws EngineError
 */
export async function modelAt(address, make) {
  const [config, weights, tokenizer] = await Promise.all(["config.json", "model.safetensors", "tokenizer.json"].map((file) => bytesAt(address + file)));
  const words = new TextDecoder();
  return make(words.decode(config), weights, words.decode(tokenizer));
}

/** @param {string} address */
async function bytesAt(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return new Uint8Array(await answer.arrayBuffer());
}
