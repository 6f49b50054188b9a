"""How many pictures a minute `tlmviz shot --batch` takes: `python benchmarks/shot.py [--count N] [--format png]`.

Every page's default picture in turn, page after page, with one server and one browser, until there are N of them; pages that
train a network or have no picture are left out. The server's start is timed for itself. Bar: 50 a minute.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tlmviz.cli.server import serve
from tlmviz.shots import Options, shots
from tlmviz.shots.links import pages

BAR = 50  # pictures a minute
LEFT_OUT = {
    "train_now",  # trains while the visitor watches
    "chat",  # a model of 135 M parameters answers
    "tours",  # these have no picture with a menu
    "einstein",
    "encoder_only",
    "norms",
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
        for path, data in shots(jobs, Options(), server.url):
            now = time.perf_counter()
            page = names[int(path.stem) % len(names)]
            print(f"{page:20} {now - before:6.2f} s  {len(data) / 1000:8.0f} kB", flush=True)
            before = now
        taken = time.perf_counter() - begun
    rate = 60 * len(jobs) / taken
    print(
        f"server ready in {started:.1f} s; {len(jobs)} pictures in {taken:.1f} s: {rate:.0f} a minute (bar: {BAR})"
    )
    return int(rate < BAR)


if __name__ == "__main__":
    raise SystemExit(main())
