"""Seconds to the first picture: `python benchmarks/first_picture.py [PAGE ...] [--beside FOLDER]` (in Chromium).

For each page, every one unless some are named (`kv_cache`, or with a query, `kv_cache?kview=Cost`), the time from going
to its link in a new browser profile, which has nothing of the app, until its first picture is painted. The server is
warm: each page was visited before. With --beside the app of another checkout takes turns with this one, the first of
each round changing; then the ratio is the median of the rounds' ratios. Bar: 1.5 s.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import statistics
import sys
from pathlib import Path

from live import FLAGS
from playwright.sync_api import Browser, Error, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from pages import ALL
from tlmviz.hosting.server import serve

WINDOW = {"width": 1280, "height": 800}
BAR = 1.5  # seconds
PATIENCE = 60  # seconds until a page counts as one without a picture
# Looks once a frame for a canvas with something on it, a drawing with parts, a chart with its traces, a view of words
# and bars alone, or what else stands for a page; the time is that after the frame which shows it.
WATCH = """(() => {
  const PARTS = "path, rect, circle, line, text, image";
  const seen = (element) => element.getClientRects().length > 0 && element.getBoundingClientRect().height > 20;
  const small = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const inked = (canvas) => {
    if (!canvas.width || !canvas.height || !seen(canvas)) return false;
    small.clearRect(0, 0, 64, 64);
    small.drawImage(canvas, 0, 0, 64, 64);
    return small.getImageData(0, 0, 64, 64).data.some((value) => value);
  };
  const drawn = (svg) => seen(svg) && svg.querySelectorAll(PARTS).length > 3;
  const roots = () => [...document.querySelectorAll("[data-testid=stMain] *")].flatMap(
    ({ shadowRoot }) => shadowRoot ?? []);
  const chart = () => [...document.querySelectorAll(".js-plotly-plot")].some((plot) =>
    seen(plot) && plot.querySelector(".main-svg :is(.trace, .hm image, .point, .contourlayer path)"));
  const other = () => [...document.querySelectorAll(".lessons, .terms, .st-key-roomopen")].some(seen);
  const words = (part) => seen(part) && part.innerText?.trim();
  const written = (root) => !root.querySelector("canvas, svg") && [...root.children].some(words);
  const there = () => chart() || other() || roots().some((root) =>
    [...root.querySelectorAll("canvas")].some(inked) || [...root.querySelectorAll("svg")].some(drawn) || written(root));
  const look = () => {
    if (document.body && there()) setTimeout(() => (window.firstPicture = performance.now()));
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})();"""


def visit(browser: Browser, url: str) -> float | None:
    """Seconds to the first picture in a new profile; None where there is none."""
    context = browser.new_context(viewport=WINDOW)
    try:
        page = context.new_page()
        page.add_init_script(WATCH)
        page.goto(url, wait_until="commit")
        found = page.wait_for_function("window.firstPicture", timeout=1e3 * PATIENCE)
        return float(found.json_value()) / 1e3
    except Error:
        return None
    finally:
        context.close()


def measure(folders: dict[str, Path], pages: list[str], rounds: int) -> dict[str, dict[str, list[float]]]:
    """Page -> checkout -> seconds of each round; a page without a picture in one of them is left out."""
    times: dict[str, dict[str, list[float]]] = {page: {name: [] for name in folders} for page in pages}
    with contextlib.ExitStack() as stack:
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        stack.callback(browser.close)
        urls = {
            name: stack.enter_context(serve(cwd=folder, env={**os.environ, "PYTHONPATH": str(folder)})).url
            for name, folder in folders.items()
        }
        for page in pages:
            if None in [visit(browser, url + page) for url in urls.values()]:  # loads its models, too
                print(f"{page}: no picture within {PATIENCE} s", file=sys.stderr)
                del times[page]
        for number in range(rounds):
            for page, seconds in times.items():
                for name in sorted(urls, reverse=number % 2 == 1):
                    found = visit(browser, urls[name] + page)
                    seconds[name].append(PATIENCE if found is None else found)
            print(f"round {number + 1} of {rounds}, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
    return times


def line(page: str, seconds: dict[str, list[float]]) -> str:
    """Medians and ranges of one page, and the ratio to the other checkout where there is one."""
    parts = [
        f"{name} {statistics.median(each):5.2f} s ({min(each):.2f} to {max(each):.2f})"
        for name, each in sorted(seconds.items())
    ]
    if len(seconds) == 2:
        ratio = statistics.median(mine / other for mine, other in zip(seconds["this"], seconds["other"]))
        parts.append(f"this by other {ratio:.2f}")
    return f"{page:24}" + "   ".join(parts)


def main() -> int:
    """Print a line for each page; 0 when all are within the bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", nargs="*", help="a page's name, with a query if need be; all pages unless named")
    parser.add_argument("--beside", type=Path, metavar="FOLDER", help="another checkout, which takes turns")
    parser.add_argument("--rounds", type=int, default=7, help="visits of each page (7)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="all times")
    options = parser.parse_args()
    folders = {"this": ROOT} | ({"other": options.beside.resolve()} if options.beside else {})
    pages = options.page or [entry.folder.rpartition("/")[2] for entry in ALL]
    times = measure(folders, pages, options.rounds)
    for page, seconds in times.items():
        print(line(page, seconds))
    if options.json:
        options.json.write_text(json.dumps(times, indent=1))
    late = [page for page, seconds in times.items() if statistics.median(seconds["this"]) > BAR]
    print(f"bar {BAR} s: " + (f"missed by {', '.join(late)}" if late else "met by all"))
    return int(bool(late))


if __name__ == "__main__":
    raise SystemExit(main())
