"""A pass of stories-rope in few bits beside its own: `python benchmarks/few_bits.py [--rounds 15] [--json FILE]`.

256 tokens, every matrix, each format with a scale per tensor, channel, block and block in powers of two; the weights
are rounded once, as on the page Scaling. The bar is 500 ms for each. INT8 and INT4 per tensor and channel are products
of integers. The exit status is 1 when a bar is missed.
"""

from __future__ import annotations

import json
import statistics
import sys
from functools import partial
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

from report import line, machine, options, timed

import tlmviz
from tlmviz.analysis.numbers.rounded_model import Setting, Simulator
from tlmviz.analysis.numbers.scaling import KEYS, PER, Scheme
from tlmviz.analysis.samples import long_sample_text

TOKENS = 256
BAR = 500.0  # milliseconds


def main() -> int:
    """Print the table; 1 when a bar is missed."""
    chosen = options(__doc__ or "", 15)
    lm = tlmviz.load("stories-rope")
    ids, simulator = lm.encode(lm.fit(long_sample_text())[0])[:TOKENS], Simulator(lm)
    assert len(ids) == TOKENS
    rows = []
    print(f"{'format':8} {'scale per':>10} {'ms':>7} {'p95':>7} {'x plain':>8}")
    for format in KEYS:
        for per in PER:
            pass_ = partial(simulator.logits, ids, Setting(Scheme(format, per)))
            times = timed({"plain": partial(simulator.logits, ids), "few bits": pass_}, chosen.rounds)
            plain, few = times["plain"], times["few bits"]
            ratio = statistics.median(a / b for a, b in zip(few, plain))
            row = line(f"{format} per {per}", few, statistics.median(plain), statistics.median(few), BAR, "ms")
            rows.append(row)
            said = "ok" if row["passed"] else "MISSED"
            print(f"{format:8} {per:>10} {row['ours']:7.1f} {row['p95']:7.1f} {ratio:8.2f} {said}", flush=True)
    print(f"{machine()}, bar {BAR:g} ms")
    if chosen.json:
        chosen.json.write_text(json.dumps(rows, indent=2))
    return int(not all(row["passed"] for row in rows))


if __name__ == "__main__":
    raise SystemExit(main())
