"""Take the pictures anew: `python -m docs.take_screenshots [page ...]` (needs the test packages, Chromium, and the
models that VIEWS names: `tlmviz get smollm2-135m`)."""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser, sync_playwright

from pages import ALL, HOME, Page
from tlmviz.hosting.server import serve

from .pictures import Picture, pictures

HERE = Path(__file__).resolve().parent
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]

BARE = {"mode": "map"}  # a link that names something, else the first page is Start
# A view, or a chart.
PICTURE = (
    ".lessons, dialog[open], .terms, .st-key-roomopen, canvas, .stPlotlyChart .main-svg, [data-testid=hidden-root]"
)


def take(browser: Browser, url: str, picture: Picture) -> None:
    """Open the link, wait until its charts stand still, and write the file."""
    size = {"width": picture.width, "height": picture.height}
    page = browser.new_page(viewport=size, color_scheme=picture.scheme)  # type: ignore[arg-type]
    page.goto(f"{url}?{urlencode(picture.query or BARE)}")
    page.locator(PICTURE).first.wait_for(state="attached", timeout=180_000)
    page.locator('[data-test-script-state="notRunning"]').wait_for(timeout=180_000)
    page.wait_for_timeout(3000)  # charts fade in
    page.screenshot(path=HERE / picture.file)
    page.close()


def of_pages(
    known: Iterable[Page],
    description: str,
    take: Callable[[Browser, str, Page], None],
    *parents: argparse.ArgumentParser,
) -> None:
    """Start the app and a browser, `take` what is to be taken at the address of each page the user named, or of all,
    stop.

    `parents` are parsers of further arguments.
    """
    pages = {page.path: page for page in known}
    parser = argparse.ArgumentParser(description=description, parents=parents)
    parser.add_argument(
        "pages", nargs="*", metavar="page", help="a page as in its link, e.g. kv_cache; all unless named"
    )
    names = parser.parse_args().pages
    if unknown := sorted(set(names) - set(pages)):
        parser.error(f"nothing is taken of {unknown[0]}; choose from {', '.join(pages)}")
    with serve() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for name in names or pages:
            take(browser, server.url + ("" if pages[name].folder == HOME else name), pages[name])
        browser.close()


def take_all(browser: Browser, url: str, page: Page) -> None:
    """Write all pictures of a page."""
    for picture in pictures(page):
        take(browser, url, picture)


if __name__ == "__main__":
    of_pages(ALL, str(__doc__), take_all)
