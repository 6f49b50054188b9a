"""What streams cost: `python benchmarks/streams.py [--rounds 40] [--json FILE]`.

A forward pass over 256 tokens, and a step of training over 1,024, of the models with four streams beside their twin
with one, in turn, medians of the ratio within a round. The bar is a forward pass of stories-mhc, on all cores; the rest
is told.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

import torch
from report import compare, machine, options, table
from torch.nn import functional as F

import tlmviz
from tlmviz.networks.transformer import TransformerLM

TWIN = "stories-residual"
KINDS = {"stories-hc": None, "stories-mhc": 1.35}  # bar of the forward pass
BATCH, LENGTH = 4, 256  # windows of a training step, and tokens of each and of the forward pass
TOLD = float("inf")  # no bar


def forward(rounds: int):
    """One text, nothing recorded."""
    ids = torch.randint(1, 2000, (1, LENGTH), generator=torch.Generator().manual_seed(0))
    for threads in (torch.get_num_threads(), 1):
        for name, bar in KINDS.items():
            networks = [tlmviz.load(each).network for each in (name, TWIN)]
            ours, theirs = (torch.inference_mode()(lambda network=network: network(ids)) for network in networks)
            torch.set_num_threads(threads)
            held = bar if bar and threads > 1 else TOLD
            yield compare(f"forward, T = {LENGTH}, {threads} threads: {name}, {TWIN}", held, ours, theirs, rounds)


def training(rounds: int):
    """Forward and backward of four windows, weights as they are."""
    ids = torch.randint(1, 2000, (BATCH, LENGTH + 1), generator=torch.Generator().manual_seed(0))

    def step(name: str):
        network = TransformerLM(tlmviz.load(name).config)

        def run():
            network.zero_grad()
            F.cross_entropy(network(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten()).backward()

        return run

    for name in KINDS:
        yield compare(
            f"training step, {BATCH} x {LENGTH}: {name}, {TWIN}", TOLD, step(name), step(TWIN), max(3, rounds // 8)
        )


def main() -> int:
    """Print the table; 1 when the bar is missed."""

    def text(row: dict) -> str:
        told = "" if row["bar"] == TOLD else f"<= {row['bar']:g}  {'ok' if row['passed'] else 'MISSED'}"
        return (
            f"{row['name']:<64} {row['ours']:9.2f} {row['p95']:9.2f} {row['theirs']:9.2f} {row['measured']:7.2f}  "
            f"{told}"
        )

    head = f"{'what':<64} {'ms':>9} {'p95':>9} {'other ms':>9} {'ratio':>7}  bar"
    status = table((training, forward), options(__doc__, 40), head, text)
    print(machine())
    return status


if __name__ == "__main__":
    raise SystemExit(main())
