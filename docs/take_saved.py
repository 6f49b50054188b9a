"""Save every picture of every part of every page as its menu does, and lay all of them on one sheet:
`python -m docs.take_saved --out FOLDER [page ...]` (needs the test packages and Chromium).

FOLDER gets an SVG and a PNG of each, those that follow a width also for a column of 8 cm, and index.html with all of
them, which names the faults that tests/browser/legible.py finds in each.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser
from playwright.sync_api import Page as Tab

from pages import ALL, HOME, Page
from tests.browser.legible import faults
from tests.pages.helpers import parts_of

from .take_screenshots import BARE, of_pages

DESK = {"width": 1280, "height": 800}
COLUMN = 420  # pixels, as the menu's "For a column, 8 cm wide"
PATIENCE = 120_000  # milliseconds
FILE = """([index, width]) => {
  const wanted = { format: "svg", link: location.href, asShown: false, grey: false, width, height: null };
  return tlmvizPictures.file(index, wanted).text;
}"""
SETTLED = "patience => tlmvizPictures.settled(1, patience)"
STYLE = """body { font: 13px system-ui, sans-serif; margin: 1rem; background: #ddd; columns: 3; }
figure { margin: 0 0 1rem; padding: 4px; background: #fff; break-inside: avoid; }
img { max-width: 100%; } li { color: #b3261e; }"""


@dataclass(frozen=True)
class Saved:
    """One picture as the menu saves it: a name for its file, its title and its SVG."""

    name: str
    title: str
    svg: str


def part_of(page: Page, said: dict[str, str]) -> str:
    """The link of a part of a page, behind the server's address."""
    home = BARE if page.folder == HOME else {}
    return ("" if page.folder == HOME else page.path) + f"?{urlencode({**home, **said})}"


def of_page(tab: Tab, url: str, page: Page) -> Iterator[Saved]:
    """Every picture of every part of a page, at the defaults of each, as wide as it likes and for a column where it
    follows."""
    for said in parts_of(page.folder):
        link = url + part_of(page, said)
        if tab.evaluate("'tlmvizPictures' in window"):  # the app is open: nothing is loaded anew
            tab.evaluate("address => tlmvizPictures.follow(address)", link)
        else:
            tab.goto(link)
            tab.wait_for_function("'tlmvizPictures' in window", timeout=PATIENCE)
        name = "-".join((page.path, *said.values())).replace(" ", "_").replace("/", "_")
        for number, title in enumerate(tab.evaluate(SETTLED, PATIENCE)["titles"]):
            svg, narrow = (tab.evaluate(FILE, [number, width]) for width in (None, COLUMN))
            yield Saved(f"{name}-{number + 1}", title, svg)
            if drawn_width(narrow) < drawn_width(svg):  # laid out for the column, and not only made smaller
                yield Saved(f"{name}-{number + 1}-column", title, narrow)


def drawn_width(svg: str) -> float:
    """Pixels that a picture was laid out for."""
    return float(svg.partition('viewBox="')[2].split()[2])


def write(desk: Tab, folder: Path, saved: Saved) -> str:
    """Write a picture as SVG and PNG; gives its place on the sheet."""
    (folder / f"{saved.name}.svg").write_text(saved.svg, encoding="utf-8")
    found = faults(desk, saved.svg)
    desk.locator("svg").first.screenshot(path=folder / f"{saved.name}.png")
    listed = "".join(f"<li>{escape(fault)}</li>" for fault in found)
    print(saved.name, *found, sep="\n    ", flush=True)
    name = escape(saved.name)
    said = f"{name}<ul>{listed}</ul>"
    return f'<figure><img src="{name}.svg" loading="lazy"><figcaption>{said}</figcaption></figure>'


def main() -> None:
    """Save the pictures of the pages that the user named, or of all, and write the sheet."""
    out = argparse.ArgumentParser(add_help=False)
    out.add_argument("--out", type=Path, default=Path("saved"), help="the folder to write to; saved/ unless named")
    folder = out.parse_known_args()[0].out
    folder.mkdir(parents=True, exist_ok=True)
    figures: list[str] = []

    def take(browser: Browser, url: str, page: Page) -> None:
        desk, tab = browser.new_page(), browser.new_page(viewport=DESK)  # type: ignore[arg-type]
        server = url if page.folder == HOME else url.removesuffix(page.path)  # `of_page` names the page with its part
        figures.extend(write(desk, folder, saved) for saved in of_page(tab, server, page))
        tab.close()
        desk.close()

    of_pages(ALL, str(__doc__), take, out)
    sheet = f"<!doctype html><meta charset='utf-8'><style>{STYLE}</style>{''.join(figures)}"
    (folder / "index.html").write_text(sheet, encoding="utf-8")


if __name__ == "__main__":
    main()
