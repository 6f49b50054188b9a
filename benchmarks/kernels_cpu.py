"""The kernels' CPU bars: `python benchmarks/kernels_cpu.py [--rounds 15] [--json FILE]`.

One run, contestants in turn, medians and 95th percentiles, float32. Memory is the growth of the process's
resident peak during one call in a fresh process. The exit status is 1 when a bar is missed.
"""
# ruff: noqa: B023 - a line is measured before its loop goes on, so its functions may read the loop's variables

from __future__ import annotations

import multiprocessing
import statistics
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parent)]

import report
import torch
from report import compare, line, timed
from torch.nn import functional as F

from tlmviz import kernels

HEADS, WIDTH = 8, 64
LENGTHS, MASKED = (256, 512, 1024, 2048, 4096), 2048
POOLED = {4096: 400.0, 16384: 8000.0}  # length -> bar in milliseconds


def inputs(length: int, heads: int = HEADS):
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(1, heads, length, WIDTH, generator=generator) for _ in range(3)]


def attention(rounds: int):
    for length in LENGTHS:
        q, k, v = inputs(length)
        yield compare(
            f"attention, causal, T = {length}",
            1.15,
            lambda: kernels.attention(q, k, v),
            lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True),
            rounds,
        )


def masked(rounds: int):
    q, k, v = inputs(MASKED)
    row = torch.arange(MASKED)
    distance = row[:, None] - row
    slopes = 2.0 ** -torch.arange(1.0, HEADS + 1)
    hidden = torch.zeros(MASKED, MASKED).masked_fill((distance < 0) | (distance >= 256), -torch.inf)
    bias = (-slopes[:, None, None] * distance).masked_fill(distance < 0, -torch.inf)[None]
    for name, options, mask in (("window 256", dict(window=256), hidden), ("ALiBi", dict(slopes=slopes), bias)):
        yield compare(
            f"attention, {name}, T = {MASKED}",
            1.0,
            lambda: kernels.attention(q, k, v, **options),
            lambda: F.scaled_dot_product_attention(q, k, v, attn_mask=mask),
            rounds,
        )


def pooled(rounds: int):
    for length, bar in POOLED.items():
        q, k, v = inputs(length, heads=1)
        lse = kernels.attention(q, k, v)[1]
        for reduce in kernels.REDUCTIONS:
            times = timed(
                {"ours": lambda: kernels.pooled_attention_map(q, k, lse, reduce=reduce)}, max(3, rounds // 5)
            )["ours"]
            yield line(f"pooled overview, {reduce}, T = {length}", times, None, statistics.median(times), bar, "ms")
            extra = in_a_fresh_process(length, reduce)
            yield line(f"pooled overview, {reduce}, T = {length}: peak extra memory", [0.0], None, extra, 64.0, "MB")


def in_a_fresh_process(length: int, reduce: str) -> float:
    # A Pool would replace a process that cannot begin by another one, for ever.
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(extra_memory, length, reduce).result()


def extra_memory(length: int, reduce: str) -> float:
    """MB by which resident memory grows to its peak during one call, after a small one has loaded the code."""
    q, k, _ = inputs(length, heads=1)
    lse = torch.zeros(1, 1, length)
    kernels.pooled_attention_map(q[:, :, :64], k[:, :, :64], lse[:, :, :64], reduce=reduce)
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts again from here
    before = memory("VmRSS")
    kernels.pooled_attention_map(q, k, lse, reduce=reduce)
    return memory("VmHWM") - before


def memory(field: str) -> float:
    text = Path("/proc/self/status").read_text()
    return int(text.split(f"{field}:")[1].split()[0]) / 1024


def sinkhorn(rounds: int):
    logits = torch.randn(4096, 4, 4, generator=torch.Generator().manual_seed(0))
    yield compare(
        "sinkhorn, 20 iterations, 4096 matrices of 4 x 4",
        1 / 3,
        lambda: kernels.sinkhorn(logits, iterations=20),
        lambda: divisions(logits),
        rounds,
    )


def divisions(logits: torch.Tensor, iterations: int = 20) -> torch.Tensor:
    """Sinkhorn's algorithm as it is usually written: divide the rows, then the columns, by their sums."""
    matrix = (logits - logits.amax((-2, -1), keepdim=True)).exp()
    for _ in range(iterations):
        matrix = matrix / matrix.sum(-1, keepdim=True)
        matrix = matrix / matrix.sum(-2, keepdim=True)
    return matrix


def main() -> int:
    options = report.options(__doc__, rounds=15)

    def text(row: dict) -> str:
        theirs = "" if row["theirs"] is None else f"{row['theirs']:.2f}"
        measured, bar = (f"{row[name]:.2f} {row['unit']}" for name in ("measured", "bar"))
        missed = "" if row["passed"] else "  MISSED"
        return f"{row['name']:62} {row['ours']:9.2f} {row['p95']:9.2f} {theirs:>9} {measured:>10} {bar:>8}{missed}"

    print(f"{report.machine()}, {options.rounds} rounds, B 1, D {WIDTH}, float32")
    head = f"{'what':62} {'ours ms':>9} {'p95':>9} {'theirs ms':>9} {'measured':>10} {'bar':>8}"
    with torch.inference_mode():
        return report.table((attention, masked, pooled, sinkhorn), options, head, text)


if __name__ == "__main__":
    raise SystemExit(main())
