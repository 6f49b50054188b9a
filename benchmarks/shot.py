"""How many pictures a minute `tlmviz shot --batch` takes: `python benchmarks/shot.py [--count N] [--format png]`.

Every page's default picture in turn, page after page, with one server and one browser, until there are N of them; pages
that train a network or have no picture are left out. The server's start is timed for itself. Bar: 50 a minute.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tlmviz.cli.server import serve
from tlmviz.errors import BadShot
from tlmviz.shots import Options, shots
from tlmviz.shots.links import pages

BAR = 50  # pictures a minute
LEFT_OUT = {
    "chat",  # a model of 135 M parameters answers
    "start",  # these have no picture with a menu
    "lessons",
    "glossary",
    "room",
}


def main() -> int:
    """Take the pictures and print what it took; 0 when the bar is met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=50, help="pictures to take (50)")
    parser.add_argument("--format", default="svg", help="svg, png, pdf or html")
    parser.add_argument("--page", action="append", help="only this page; may be repeated")
    options = parser.parse_args()
    names = options.page or [page for page in pages() if page not in LEFT_OUT]
    begun = time.perf_counter()
    with serve() as server, tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter() - begun
        jobs = [
            (f"/{names[number % len(names)]}", Path(folder) / f"{number}.{options.format}")
            for number in range(options.count)
        ]
        begun = before = time.perf_counter()
        worked = spent = cpu_seconds()
        failed = 0
        for path, made in shots(jobs, Options(), server.url):
            now, cost = time.perf_counter(), cpu_seconds()
            page = names[int(path.stem) % len(names)]
            what = str(made) if isinstance(made, BadShot) else f"{len(made) / 1000:8.0f} kB"
            print(f"{page:20} {now - before:6.2f} s  {cost - spent:6.2f} s of CPU  {what}", flush=True)
            before, spent, failed = now, cost, failed + isinstance(made, BadShot)
        taken, spent = time.perf_counter() - begun, spent - worked
    count = len(jobs)
    rate = 60 * count / taken
    print(
        f"server ready in {started:.1f} s; {count} pictures, {failed} failed, in {taken:.1f} s: {rate:.0f} a minute "
        f"(bar: {BAR}); {spent / count:.2f} CPU seconds a picture, of server and browser"
    )
    return int(rate < BAR or failed > 0)


def cpu_seconds() -> float:
    """What this process and all that it started have used of the processors so far (Linux)."""
    used: dict[int, float] = {}
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has just ended
            fields = stat.read_text().rpartition(")")[2].split()
            used[int(stat.parent.name)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
            children.setdefault(int(fields[1]), []).append(int(stat.parent.name))

    def of(process: int) -> float:
        return used.get(process, 0.0) + sum(map(of, children.get(process, ())))

    return of(os.getpid())


if __name__ == "__main__":
    raise SystemExit(main())
