"""A real server and a real browser, one of each for all flows."""

import contextlib
import shutil

import pytest
from playwright.sync_api import expect, sync_playwright

from tlmviz.hosting.server import serve

from .helpers import DESK, PATIENCE, on_a_phone, visitor

expect.set_options(timeout=PATIENCE)
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@pytest.fixture(scope="session")
def server():
    """One server for all flows."""
    with serve() as running:
        yield running.url


@pytest.fixture
def fresh_server():
    """A server that nobody has visited."""
    with serve() as running:
        yield running.url


@pytest.fixture(scope="session")
def browser():
    """Debian's shell of Chromium without windows takes a third less time; where it is not, Chromium itself."""
    with sync_playwright() as playwright:
        found = shutil.which("chromium-headless-shell") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


@contextlib.contextmanager
def desk(browser, clock: bool = False):
    """A fresh page at 1280 x 800 whose console errors fail the test, as does a last state that does not fit a phone."""
    errors: list[str] = []
    with visitor(browser, DESK, clock=clock) as page:
        page.on("pageerror", lambda error: errors.append(error.stack or str(error)))
        yield page
        if page.locator("[data-testid=stApp]").count():  # else a file, or another site
            on_a_phone(page)
    assert not errors, errors


@pytest.fixture
def page(browser):
    """A fresh page."""
    with desk(browser) as page:
        yield page


@pytest.fixture
def clocked(browser):
    """A fresh page whose clock the test may stop and move on."""
    with desk(browser, clock=True) as page:
        yield page
