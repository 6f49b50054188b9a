"""This checkout beside another one: `python benchmarks/compare_live.py FOLDER` (needs the test packages and Chromium).

Machines that share their cores differ from hour to hour, so a figure of `live.py` alone does not tell whether the app
became faster. Here both apps take turns: cold starts one after the other, then, with both servers up, first pictures in
new browser profiles, keystrokes and choices of a head. Each line gives both medians and 95th percentiles, and the ratio
of the medians.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import statistics
import sys
from pathlib import Path
from urllib.parse import quote

from live import FLAGS, STORY, open_page, presses, summary
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from tlmviz.hosting.server import Server, serve

WINDOW = {"width": 1280, "height": 800}
SETTLED = 2500  # ms until what follows a first picture is done
Times = dict[str, dict[str, list[float]]]  # figure -> checkout -> milliseconds


def serving(folder: Path) -> contextlib.AbstractContextManager[Server]:
    """A server of a checkout's own app."""
    return serve(cwd=folder, env={**os.environ, "PYTHONPATH": str(folder)})


def cold_start(browser: Browser, folder: Path) -> float:
    """Milliseconds from the start of a server to the first picture."""
    context = browser.new_context(viewport=WINDOW)
    with serving(folder) as server:
        _, moment = open_page(context.new_page(), server.url + "?mode=map")
        context.close()
        return 1e3 * (moment - server.started)


def visit(browser: Browser, url: str) -> float:
    """Milliseconds to the first picture in a new browser profile."""
    context = browser.new_context(viewport=WINDOW)
    page = context.new_page()
    seconds, _ = open_page(page, url)
    page.wait_for_timeout(SETTLED)
    context.close()
    return 1e3 * seconds


def turn(browser: Browser, url: str, count: int, pages: list[str]) -> dict[str, list[float]]:
    """One checkout's turn: a visit of every page, and presses on the explorer."""
    times = {f"first picture, {path or 'explorer'}": [visit(browser, url + path)] for path in pages}
    page = browser.new_page(viewport=WINDOW)
    open_page(page, url + "?text=" + quote(STORY.strip()))
    page.wait_for_timeout(SETTLED)
    typed, chosen = presses(page, count)
    page.close()
    return {**times, "keystroke to map": typed, "head choice to exact map": chosen}


def measure(other: Path, turns: int, count: int, pages: list[str]) -> Times:
    """All figures of both checkouts; the first of each kind of turn warms the disk, models and scripts, and is left
    out."""
    times: Times = {}
    with contextlib.ExitStack() as stack:
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        folders = {"other": other.resolve(), "this": ROOT}
        for number in range(turns + 1):
            for name in sorted(folders, reverse=number % 2 == 1):
                started = cold_start(browser, folders[name])
                if number:
                    times.setdefault("cold start to first picture", {}).setdefault(name, []).append(started)
        urls = {name: stack.enter_context(serving(folder)).url for name, folder in folders.items()}
        for number in range(turns + 1):
            for name in sorted(urls, reverse=number % 2 == 1):
                for figure, values in turn(browser, urls[name], count, pages).items():
                    if number:
                        times.setdefault(figure, {}).setdefault(name, []).extend(values)
        browser.close()
    return times


def main() -> None:
    """Print a line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("other", type=Path, help="folder of another checkout, with its models")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--presses", type=int, default=10, help="in every turn")
    parser.add_argument("--pages", nargs="*", default=["", "mhc"], help="paths of pages with a live picture")
    options = parser.parse_args()
    for figure, by in measure(options.other, options.turns, options.presses, options.pages).items():
        ratio = statistics.median(by["this"]) / statistics.median(by["other"])
        print(f"{figure:28}  other {summary(by['other'])}   this {summary(by['this'])}   {ratio:.2f} x")


if __name__ == "__main__":
    main()
