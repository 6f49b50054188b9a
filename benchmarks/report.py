"""What the benchmarks of a CPU share: contestants timed in turn, and a table whose lines are held to bars."""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import torch


def timed(contestants: dict, rounds: int) -> dict[str, list[float]]:
    """Milliseconds of every call; contestants alternate, so that a busy moment meets all of them."""
    times = {name: [] for name in contestants}
    for number in range(rounds + 1):
        names = list(contestants)
        for name in names[number % len(names) :] + names[: number % len(names)]:
            start = time.perf_counter()
            contestants[name]()
            if number:  # the first round warms up
                times[name].append((time.perf_counter() - start) * 1e3)
    return times


def p95(values: list[float]) -> float:
    """The 95th percentile."""
    return sorted(values)[min(len(values) - 1, int(0.95 * len(values)))]


def line(name, ours, theirs, measured, bar, unit="x", at_least: bool = False) -> dict:
    """One line of a table: our times, the median of theirs (None where there are none), and what is held to the bar."""
    return dict(
        name=name,
        ours=statistics.median(ours),
        p95=p95(ours),
        theirs=theirs,
        measured=measured,
        bar=bar,
        unit=unit,
        at_least=at_least,
        passed=measured >= bar if at_least else measured <= bar,
    )


def compare(name: str, bar: float, ours, theirs, rounds: int, at_least: bool = False) -> dict:
    """One line: our time by theirs (theirs by ours for a bar "at least"), the median of the ratio within a round."""
    times = timed({"ours": ours, "theirs": theirs}, rounds)
    pairs = list(zip(times["ours"], times["theirs"]))
    ratio = statistics.median(b / a if at_least else a / b for a, b in pairs)
    return line(name, times["ours"], statistics.median(times["theirs"]), ratio, bar, at_least=at_least)


def options(description: str, rounds: int) -> argparse.Namespace:
    """What the command line says: `rounds`, and `json` for a file of the lines."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--rounds", type=int, default=rounds)
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def machine() -> str:
    """What the numbers depend on."""
    return f"torch {torch.__version__}, {torch.get_num_threads()} threads"


def table(
    parts: Iterable[Callable[[int], Iterator[dict]]], chosen: argparse.Namespace, head: str, text: Callable[[dict], str]
) -> int:
    """Print every line as soon as it is measured; returns the exit status, 1 when a bar is missed."""
    rows = []
    print(head)
    for part in parts:
        for row in part(chosen.rounds):
            rows.append(row)
            print(text(row))
    if chosen.json:
        chosen.json.write_text(json.dumps(rows, indent=2))
    return int(not all(row["passed"] for row in rows))
