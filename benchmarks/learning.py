"""Training in a tab beside torch: tokens a second of the browser's engine under Node.js and of torch on one thread.

`python benchmarks/learning.py [--rounds 15] [--json FILE]`. The same steps on the same shapes, in turn; a ratio is the
median over rounds of torch's milliseconds of a step by the engine's, at least as large as its bar. Node takes the
kernels with fused multiply-add, as browsers do.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(Path(__file__).resolve().parent)]

import torch
from report import line, machine, options, table
from torch.nn import functional

from tests.javascript.node import node

# Parameters -> the shape, and the bar: torch's time by the engine's.
SHAPES: dict[str, tuple[dict[str, int], float]] = {
    "9 k": ({"vocab": 16, "length": 32, "layers": 2, "width": 32, "heads": 2, "hidden": 0, "batch": 32}, 2.0),
    "0.2 M": ({"vocab": 64, "length": 64, "layers": 4, "width": 64, "heads": 4, "hidden": 256, "batch": 16}, 0.8),
    "0.9 M": ({"vocab": 512, "length": 64, "layers": 4, "width": 128, "heads": 4, "hidden": 512, "batch": 16}, 0.55),
}
STEPS = 8  # timed at once
# Reads a line for each round, and answers with the milliseconds of a step.
DRIVER = """
import { createInterface } from "node:readline";
import { LearningNetwork } from "./tlmviz/browser/training/network.js";
import { settingsOf } from "./tlmviz/browser/training/settings.js";
const { steps, ...shape } = JSON.parse(process.argv[1]);
const network = new LearningNetwork(settingsOf({ ...shape, rate: 1e-4 }));
const size = shape.batch * shape.length;
const ids = (shift) => Int32Array.from({ length: size }, (_, i) => ((i + shift) * 7919) % 104729 % shape.vocab);
const [tokens, targets] = [ids(0), ids(1)];
let step = 0;
for await (const line of createInterface({ input: process.stdin })) {
  const from = performance.now();
  for (let i = 0; i < steps; i++) {
    network.forward(tokens);
    network.loss(targets);
    network.backward(targets);
    network.adam(++step);
  }
  console.log((performance.now() - from) / steps);
}
"""


class Block(torch.nn.Module):
    """A pre-norm block with RoPE and a causal mask."""

    def __init__(self, width: int, heads: int, hidden: int):
        super().__init__()
        self.heads, self.hidden = heads, hidden
        linear = partial(torch.nn.Linear, bias=False)
        self.norm, self.qkv, self.out = (torch.nn.RMSNorm(width), linear(width, 3 * width), linear(width, width))
        if hidden:
            self.second, self.up, self.down = (torch.nn.RMSNorm(width), linear(width, hidden), linear(hidden, width))

    def forward(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        B, T, C = x.shape
        q, k, v = self.qkv(self.norm(x)).view(B, T, 3, self.heads, C // self.heads).permute(2, 0, 3, 1, 4)

        def turned(z: torch.Tensor) -> torch.Tensor:
            even, odd = z[..., 0::2], z[..., 1::2]
            return torch.stack([even * cos - odd * sin, even * sin + odd * cos], -1).flatten(-2)

        mixed = functional.scaled_dot_product_attention(turned(q), turned(k), v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(B, T, C))
        if self.hidden:
            x = x + self.down(functional.gelu(self.up(self.second(x)), approximate="tanh"))
        return x


def by_torch(shape: dict[str, int]) -> Callable[[], float]:
    """Trains some steps; returns the milliseconds of one."""
    width, heads, length, vocab = (shape[name] for name in ("width", "heads", "length", "vocab"))
    blocks = [Block(width, heads, shape["hidden"]) for _ in range(shape["layers"])]
    model = torch.nn.ModuleList(
        [torch.nn.Embedding(vocab, width), *blocks, torch.nn.RMSNorm(width), torch.nn.Linear(width, vocab, bias=False)]
    )
    dim = width // heads
    angles = torch.arange(length)[:, None] * 10000.0 ** (-2 * torch.arange(dim // 2) / dim)[None]
    cos, sin = angles.cos(), angles.sin()
    optimizer = torch.optim.Adam(model.parameters(), 1e-4, betas=(0.9, 0.99))
    ids = torch.arange(shape["batch"] * length + 1) * 7919 % 104729 % vocab
    tokens, targets = ids[:-1].view(-1, length), ids[1:]

    def steps() -> float:
        start = perf_counter()
        for _ in range(STEPS):
            x = model[0](tokens)
            for block in blocks:
                x = block(x, cos, sin)
            loss = functional.cross_entropy(model[-1](model[-2](x)).flatten(0, 1), targets)
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        return (perf_counter() - start) * 1e3 / STEPS

    return steps


def measured(name: str) -> Callable[[int], Iterator[dict]]:
    """The line of a shape."""

    def part(rounds: int) -> Iterator[dict]:
        shape, bar = SHAPES[name]
        given = json.dumps({**shape, "steps": STEPS})
        command = node("--experimental-wasm-relaxed-simd", "--input-type=module", "-e", DRIVER, "--", given)
        theirs = by_torch(shape)
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as engine:

            def ours() -> float:
                print("go", file=engine.stdin, flush=True)
                return float(engine.stdout.readline())

            pairs = [(ours(), theirs()) for _ in range(rounds + 1)][1:]  # the first warms up
            engine.stdin.close()
        own, other = zip(*pairs)
        ratios = sorted(b / a for a, b in pairs)
        ratio = ratios[len(ratios) // 2]
        yield line(name, own, sorted(other)[len(other) // 2], ratio, bar, at_least=True) | {
            "tokens": shape["batch"] * shape["length"]
        }

    return part


def text(row: dict) -> str:
    """A line of the table."""
    speeds = [row["tokens"] * 1e3 / row[side] for side in ("ours", "theirs")]
    verdict = "ok" if row["passed"] else "MISSED"
    return (
        f"{row['name']:>6} {row['ours']:9.2f} {row['theirs']:9.2f} {speeds[0]:12,.0f} {speeds[1]:12,.0f} "
        f"{row['measured']:7.2f} {row['bar']:6.2f} {verdict}"
    )


def main() -> int:
    """One line for each shape."""
    torch.set_num_threads(1)
    chosen = options(__doc__, 15)
    head = f"{machine()}\n{'':>6} {'ms':>9} {'torch ms':>9} {'tokens/s':>12} {'torch':>12} {'ratio':>7} {'bar':>6}"
    return table([measured(name) for name in SHAPES], chosen, head, text)


if __name__ == "__main__":
    sys.exit(main())
