"""Fair turns: `python benchmarks/neighbours.py`. One visitor types in the explorer while four tabs abuse a page, page
after page.

An abuser pastes another text of up to 1,500 words as soon as the last one is answered; where a page has no text box, it
presses whatever there is. The visitor types a word every 0.6 seconds. `tlmviz serve` as it is, loopback only; students
as in hall.py.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import sys
import tempfile
import time

from hall import Record, Student, summary

from pages import ALL
from tlmviz.analysis.samples import sample_text
from tlmviz.cli.server import serve

EVERY = 0.6  # seconds between two presses of the visitor
TABS = 4
WORDS = 1500
WORD = sample_text().split()


def pasted(chance: random.Random) -> str:
    """A text that nobody pasted before."""
    return " ".join(chance.choices(WORD, k=chance.randint(WORDS // 4, WORDS)))


async def abuse(student: Student, page: str, end: float) -> None:
    """Open a page and paste text after text."""
    await student.open(page)
    while time.monotonic() < end:
        if any(control.kind == "text_input" for control in student.controls):
            await student.type(pasted(student.chance))
        elif student.controls:
            await student.press(stay=True)
        else:
            await student.open(page)
    await student.leave()


async def visit(student: Student, end: float) -> None:
    """Open the explorer and type a word at a time."""
    await student.open("explorer")
    student.record.presses.clear()
    text = "Lily had a red ball"
    while (due := time.monotonic() + EVERY) < end:
        text = " ".join([*text.split()[-12:], student.chance.choice(WORD)])
        await student.type(text)
        await asyncio.sleep(max(0.0, due - time.monotonic()))
    await student.leave()


async def beside(port: int, page: str | None, seconds: float) -> tuple[Record, Record]:
    """What a visitor meets while a page is abused, and what the abusers meet; page None: nobody does anything
    beside."""
    own, others = Record(), Record()
    end = time.monotonic() + seconds
    tabs = [Student(port, 100 + number, others) for number in range(TABS if page is not None else 0)]
    await asyncio.gather(visit(Student(port, 1, own), end), *(abuse(tab, page or "", end) for tab in tabs))
    return own, others


def main() -> None:
    """Print a line for every page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pages", nargs="*", help="paths of pages; all of them where none is named")
    parser.add_argument("--seconds", type=float, default=15)
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    options = parser.parse_args()
    command = [sys.executable, "-m", "tlmviz", "serve", "--requests", "0", "--processes", str(options.processes)]
    with (
        tempfile.TemporaryDirectory() as nothing,  # no models but the bundled ones
        serve(command, env=os.environ | {"XDG_CACHE_HOME": nothing}) as server,
    ):
        for page in (None, *(options.pages or [each.path for each in ALL])):
            own, others = asyncio.run(beside(server.port, page, options.seconds))
            errors = {**own.errors, **others.errors}
            print(
                f"{page if page is not None else 'nobody beside':24} {summary(own.times())}; "
                f"{len(others.presses)} pasted" + (f"; {errors}" if errors else ""),
                flush=True,
            )


if __name__ == "__main__":
    main()
