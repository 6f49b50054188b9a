"""Tokens per second of plain greedy decoding and with proposals, by turns on one thread.

`python benchmarks/speculative.py [--rounds N]`

Both ways run through the same loop; plain decoding is the one that proposes nothing. `generate` stands beside them.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch

import tlmviz

TEXTS = (
    "Once upon a time there was a little girl named Lily.",
    "Tom and Anna went to the park.",
    "The dog was sad because",
    "One day, a big bear came to the house.",
    "There was a small boat on the sea.",
)
NEW = 80
PLAIN = "plain, one token a pass"


def main() -> None:
    """Print a line for each way: milliseconds per token, tokens per pass, and the speed beside plain decoding's."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=15)
    rounds = options.parse_args().rounds
    torch.set_num_threads(1)
    mtp, large, small = (tlmviz.load(name) for name in ("stories-mtp", "stories-rope", "zoo-mqa"))
    for lm, draft in ((mtp, None), (large, small)):
        print(f"{lm.name}, proposals from {draft.name if draft else 'its modules'}")
        _compare(_ways(lm, draft), rounds)


def _ways(lm, draft) -> dict[str, Callable[[], int]]:
    """Name -> what writes all texts and returns the number of passes."""

    def speculate(**options) -> Callable[[], int]:
        return lambda: sum(lm.speculate(text, NEW, draft, **options).passes for text in TEXTS)

    def generate() -> int:
        return sum(len(lm.continue_ids(lm.encode(text), NEW, 0)) for text in TEXTS)

    ways = {PLAIN: speculate(ahead=0), "generate(temperature=0)": generate, "as by default": speculate()}
    return ways | {
        f"at most {most}, least {least}": speculate(ahead=most, least=least)
        for most in (1, 2, 3)
        for least in (0.0, 0.3, 0.5)
    }


def _compare(ways: dict[str, Callable[[], int]], rounds: int) -> None:
    times: dict[str, list[float]] = {name: [] for name in ways}
    passes = {name: way() for name, way in ways.items()}  # warm
    for _ in range(rounds):
        for name, way in ways.items():
            began = time.perf_counter()
            way()
            times[name].append(time.perf_counter() - began)
    plain, tokens = times[PLAIN], NEW * len(TEXTS)
    for name, own in times.items():
        ratio = median(a / b for a, b in zip(plain, own))
        print(
            f"  {name:32} {1e3 * min(own) / tokens:6.3f} ms a token at best, {tokens / passes[name]:.2f} tokens a "
            f"pass, {ratio:.2f} x plain (median of {rounds} rounds), {min(plain) / min(own):.2f} x at best"
        )


if __name__ == "__main__":
    main()
