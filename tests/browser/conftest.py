"""A real server and a real browser, one of each for all flows."""

import contextlib
import shutil
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
expect.set_options(timeout=60_000)  # a busy machine is slow, not broken
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@contextlib.contextmanager
def serving():
    """The app, served as users serve it; gives its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://localhost:{port}/"
    try:
        while process.poll() is None:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(address + "_stcore/health", timeout=1).read()
                break
        assert process.poll() is None, "the server ended at once"
        yield address
    finally:
        process.terminate()
        process.wait()


@pytest.fixture(scope="session")
def server():
    """One server for all flows."""
    with serving() as address:
        yield address


@pytest.fixture
def fresh_server():
    """A server that nobody has visited."""
    with serving() as address:
        yield address


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser):
    """A fresh page at 1280 x 800 whose console errors fail the test."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
    context.set_default_timeout(60_000)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert not errors, errors
