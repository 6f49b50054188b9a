"""A room that answers at once: `python benchmarks/rooms.py`. 200 students, each a thread of one of two processes, in
one room.

First each comes to a step and answers its question at a moment of its own within three seconds; then all of them walk
through all steps as fast as the file takes it. Meanwhile a teacher reads the counts every 0.1 s. Everybody must have
been counted once.
"""

from __future__ import annotations

import argparse
import multiprocessing as mp
import random
import statistics
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tlmviz.hosting.rooms import FILE, Opened, Rooms

STEPS = 8
WITHIN = 3.0  # seconds in which all students answer once
LOOK = 0.1  # seconds between two looks of the teacher


@dataclass
class Times:
    """Milliseconds of every call, by what was called."""

    of: dict[str, list[float]] = field(default_factory=dict)

    def take(self, kind: str, call: Any, *arguments: Any) -> Any:
        """Call and measure."""
        began = time.perf_counter()
        result = call(*arguments)
        self.of.setdefault(kind, []).append(1000 * (time.perf_counter() - began))
        return result

    def say(self, where: str) -> None:
        """Print median, 95th percentile and largest."""
        for kind, times in self.of.items():
            p95, most = sorted(times)[min(len(times) - 1, int(0.95 * len(times)))], max(times)
            print(
                f"{where}, {kind}: {len(times)} calls, median {statistics.median(times):.2f}, p95 {p95:.2f}, most "
                f"{most:.1f} ms"
            )


def students(path: Path, code: str, names: range, steps: int, within: float, begin: Any, out: Any) -> None:
    """One process: its students, each a thread, wait for a moment of their own and walk through the steps."""
    rooms, times, moments = Rooms(path), Times(), random.Random(names.start)

    def walk(name: int, after: float) -> None:
        time.sleep(after)
        for step in range(1, steps + 1):
            times.take("visit", rooms.visit, code, f"student {name}", step)
            times.take("answer", rooms.answer, code, f"student {name}", step, name % 3)

    threads = [threading.Thread(target=walk, args=(name, moments.uniform(0, within))) for name in names]
    begin.wait()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    out.put(times)


def lecture(path: Path, number: int, processes: int, steps: int, within: float) -> tuple[Times, float]:
    """All students at once, and the teacher; the times of all calls and the seconds that it took."""
    rooms = Rooms(path)
    room: Opened = rooms.open_room("a lesson")
    begin, out = mp.Barrier(processes + 1), mp.Queue()
    workers = [
        mp.Process(target=students, args=(path, room.code, range(first, number, processes), steps, within, begin, out))
        for first in range(processes)
    ]
    for worker in workers:
        worker.start()
    begin.wait()
    began, together, done = time.perf_counter(), Times(), 0
    while done < processes:
        counts = together.take("counts", rooms.counts, room.code, room.secret)
        assert counts.visitors <= number
        time.sleep(LOOK)
        while not out.empty():
            done += 1
            for kind, times in out.get().of.items():
                together.of.setdefault(kind, []).extend(times)
    seconds = time.perf_counter() - began
    counts = rooms.counts(room.code, room.secret)
    assert counts.here == {steps: number}, counts.here
    assert all(counts.answered(step) == (number,) for step in range(1, steps + 1))
    return together, seconds


def main() -> None:
    """Run both and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--students", type=int, default=200)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for where, steps, within in (
            (f"within {WITHIN:.0f} s", 1, WITHIN),
            ("as fast as the file takes it", STEPS, 0.0),
        ):
            times, seconds = lecture(Path(folder) / FILE, options.students, options.processes, steps, within)
            times.say(where)
            calls = 2 * steps * options.students
            print(f"{where}: {calls} calls in {seconds:.2f} s, everybody counted once")


if __name__ == "__main__":
    main()
