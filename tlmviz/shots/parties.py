"""Who takes part: a server of the app, and a browser that is found on the machine."""

from __future__ import annotations

import contextlib
import os
import shutil
import urllib.request
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from tlmviz.errors import BadShot
from tlmviz.extras import require
from tlmviz.hosting.server import is_ready, serve

# Names of browsers that speak Chromium's protocol, in the search path; then where macOS and Windows keep them.
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge", "msedge")
ATTEMPTS = (
    20  # a busy server does not answer within the second that each takes; where there is none, none takes any time
)
CHANNELS = ("chrome", "msedge")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--hide-scrollbars"]
NO_BROWSER = (
    "No Chromium, Chrome or Edge was found on this machine, and pictures are taken with one; install chromium, or run "
    "`playwright install chromium`."
)


@contextlib.contextmanager
def shot_server(url: str | None) -> Iterator[str]:
    """The address of a server with a final slash: the one at `url`, or one that lasts as long as the block.

    Raises BadShot where no app of tlmviz answers at `url`.
    """
    if url is None:
        with serve(env={**os.environ, "STREAMLIT_SERVER_ADDRESS": "127.0.0.1"}) as server:
            yield server.url
        return
    address = url.rstrip("/") + "/"
    if urlsplit(address).scheme not in ("http", "https") or not any(
        is_ready(address) or answers(address) for _ in range(ATTEMPTS)
    ):
        raise BadShot(f"No app of tlmviz answers at {url}; start one with `tlmviz run`, or leave --server out.")
    yield address


def answers(url: str) -> bool:
    """Whether a Streamlit server answers at this address: below a path of its host it has no /health of ours."""
    with contextlib.suppress(OSError, ValueError):
        return bool(urllib.request.urlopen(url + "_stcore/health", timeout=1).read() == b"ok")
    return False


def playwright() -> Any:
    """Playwright, started; the caller stops it. Raises MissingExtra where it is not installed."""
    require("playwright", "shot", "A picture of a page")
    from playwright.sync_api import sync_playwright

    return sync_playwright().start()


def open_browser(driver: Any) -> Any:
    """A headless browser: one of the search path, one that Playwright finds, or its own. Raises BadShot where there is
    none."""
    from playwright.sync_api import Error as NotStarted

    path = next(filter(None, map(shutil.which, NAMES)), None)
    ways: list[dict[str, str]] = [{"executable_path": path}] if path else []
    for way in [*ways, *({"channel": channel} for channel in CHANNELS), {}]:
        with contextlib.suppress(NotStarted):
            return driver.chromium.launch(args=FLAGS, **way)
    raise BadShot(NO_BROWSER)
