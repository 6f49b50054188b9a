"""CPU of a press beside another commit's: `python benchmarks/press.py COMMIT [page ...]`, in a clone.

Both commits' servers run, one visitor each (students as in hall.py, without a browser), who open the same page and then
type the same texts and press the same controls, now here, now there; where a page's controls are others than they were,
so are the presses. CPU seconds are those of the servers' processes. Ends with status 1 where all pages together cost
MORE than the commit.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from hall import Record, Student, cpu

from pages import ALL
from tlmviz.analysis.samples import sample_text
from tlmviz.hosting.server import Server, serve

ROOT = Path(__file__).resolve().parents[1]
MORE = 1.2  # times the CPU of the other commit: what noise alone does not reach
WORD = sample_text().split()


@contextlib.contextmanager
def checkout(commit: str) -> Iterator[Path]:
    """A folder with the files of a commit."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "there"
        subprocess.run(["git", "worktree", "add", "-q", "--detach", root, commit], cwd=ROOT, check=True)
        try:
            yield root
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", root], cwd=ROOT, check=True)


@contextlib.contextmanager
def server(root: Path) -> Iterator[Server]:
    """The app of a checkout, with no models but the bundled ones."""
    with tempfile.TemporaryDirectory() as nothing:
        environment = os.environ | {"XDG_CACHE_HOME": nothing, "PYTHONPATH": str(root)}
        with serve(cwd=root, env=environment) as started:
            yield started


async def press(student: Student, turn: int) -> None:
    """Type an own text where the page has a box, and every second time press whatever there is."""
    if turn % 2 == 0 and any(control.kind == "text_input" for control in student.controls):
        chance = random.Random(turn)
        await student.type(" ".join(chance.choices(WORD, k=chance.randint(8, 40))))
    else:
        await student.press(stay=True)


async def measured(servers: list[Server], page: str, presses: int) -> list[float]:
    """CPU seconds that so many presses on a page cost at each server."""
    students = [Student(each.port, 1, Record()) for each in servers]
    spent = [0.0] * len(servers)
    for student in students:
        await student.open(page)
        await press(student, -2)  # what is built once is built
    for turn in range(presses):
        for place, student in enumerate(students):
            process = servers[place].process.pid
            before = cpu(process)
            await press(student, turn)
            spent[place] += cpu(process) - before
    for student in students:
        await student.leave()
    return spent


def main() -> int:
    """Print a line for every page; 1 where all together cost more."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("commit", help="what to compare this checkout with, as git names it")
    parser.add_argument("pages", nargs="*", help="paths of pages; all of them where none is named")
    parser.add_argument("--presses", type=int, default=20)
    options = parser.parse_args()
    sums = [0.0, 0.0]
    with checkout(options.commit) as there, server(ROOT) as ours, server(there) as theirs:
        for page in options.pages or [each.path for each in ALL]:
            spent = asyncio.run(measured([ours, theirs], page, options.presses))
            print(line(page or "start", spent, options.presses), flush=True)
            sums = [sum(pair) for pair in zip(sums, spent, strict=True)]
    print(line("all", sums, options.presses * len(options.pages or ALL)))
    return int(sums[0] > MORE * sums[1])


def line(name: str, spent: list[float], presses: int) -> str:
    """What a press costs here and there, in ms, and how many times as much."""
    here, there = (1e3 * each / presses for each in spent)
    return f"{name:20} {here:7.0f} ms, {there:7.0f} there: {here / there if there else float('nan'):5.2f} x"


if __name__ == "__main__":
    sys.exit(main())
