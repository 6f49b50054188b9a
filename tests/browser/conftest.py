"""A real server and a real browser, one of each for all flows."""

import shutil

import pytest
from playwright.sync_api import expect, sync_playwright

from tlmviz.cli.server import serve

from .helpers import DESK, visitor

expect.set_options(timeout=60_000)  # a busy machine is slow, not broken
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


@pytest.fixture
def page(browser):
    """A fresh page at 1280 x 800 whose console errors fail the test."""
    errors: list[str] = []
    with visitor(browser, DESK) as page:
        page.on("pageerror", lambda error: errors.append(error.stack or str(error)))
        yield page
    assert not errors, errors
