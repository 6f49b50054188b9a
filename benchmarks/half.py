"""Whether this CPU multiplies 16-bit weights as fast as float32: `python benchmarks/half.py [--rounds 15]`.

The linear maps of one layer of SmolLM2-135M and of a model of 4,096 dimensions, for one token and for texts; types take
turns, a ratio is the median over rounds of a type's time by float32's. What is read as 16 bits is kept as float32 on
such a CPU.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from functools import partial
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

import torch
from report import timed
from torch.nn import functional as F

SHAPES = ((576, 1536), (4096, 4096))
LENGTHS = (1, 64, 256)
TYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


@torch.inference_mode()
def ratios(width: int, out: int, length: int, rounds: int) -> dict[str, float]:
    """Each type's time by float32's, for `length` tokens through one map."""
    generator = torch.Generator().manual_seed(0)
    x, weight = (torch.randn(rows, width, generator=generator) for rows in (length, out))
    calls = {name: partial(F.linear, x.to(kind), weight.to(kind)) for name, kind in TYPES.items()}
    times = timed(calls, rounds)
    return {name: statistics.median(mine / base for mine, base in zip(times[name], times["float32"])) for name in TYPES}


def main() -> None:
    """Print one line for each map and length."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    print(f"{'map':12} {'tokens':>6} {'bfloat16':>9} {'float16':>9}   time by float32's")
    for width, out in SHAPES:
        for length in LENGTHS:
            found = ratios(width, out, length, rounds)
            print(f"{width} x {out:<5} {length:6} {found['bfloat16']:9.2f} {found['float16']:9.2f}")


if __name__ == "__main__":
    main()
