// Compiles kernels of the engine: prints the text of the kernel_bytes.js beside them, which `npm run kernels` writes there.
//
//     node compile_kernels.mjs [FOLDER [PACKAGES]]   the folder below tlmviz/browser, and a folder whose packages have wabt

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const HOME = new URL("../../tlmviz/browser/", import.meta.url);
const [folder = ".", packages = import.meta.url] = process.argv.slice(2);
const wabt = await createRequire(packages)("wabt")();

const read = (path) => readFileSync(new URL(path, HOME), "utf8");
// Both need the same exponential, and a call from module to module would cost as much as it does.
const [exponential] = read("kernels.wat").match(/^ {2};; exp\(x\)[\s\S]*?\n(?=\n)/m);
const source = read(`${folder}/kernels.wat`).replace(/^ {2};; EXP\n/m, exponential);
const plain = source.replace(/relaxed_madd (\((?:[^()]|\([^()]*\))*\)) (\((?:[^()]|\([^()]*\))*\)) (\([^()]*\))/g, "add $3 (f32x4.mul $1 $2)");

/** The constant's text for one module. */
function constant(name, text, about) {
  const { buffer } = wabt.parseWat("kernels.wat", text, { simd: true, relaxed_simd: true }).toBinary({});
  const lines = Buffer.from(buffer).toString("base64").match(/.{1,116}/g);
  return `// kernels.wat compiled to WebAssembly${about}: base64 of ${buffer.length.toLocaleString("en")} bytes. Written by \`npm run kernels\`.

export const ${name} = [
${lines.map((line) => `  "${line}",`).join("\n")}
].join("");`;
}

const name = folder === "." ? "KERNELS" : `${folder.toUpperCase()}_KERNELS`;
const parts = [constant(name, plain, ""), constant(`FUSED_${name}`, source, " with fused multiply-add")];
console.log(["// @ts-check", parts.join("\n\n")].join("\n"));
