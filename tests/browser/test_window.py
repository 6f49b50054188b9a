"""`tlmviz run --app` with a real browser: it shows the app, nobody else gets in, and the server ends with it."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from urllib.error import HTTPError
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tlmviz.cli import window as windows
from tlmviz.hosting import token as tokens

from .helpers import PATIENCE

WRAPPER = '#!/bin/sh\nexec "{}" --headless --no-sandbox --disable-gpu --remote-debugging-port=0 "$@"\n'


def until(found):
    """What `found` returns once it is true; no event says so of a port, or of a file of another program."""
    end = time.monotonic() + PATIENCE / 1000
    while not (result := found()):
        assert time.monotonic() < end
        time.sleep(0.05)
    return result


def nobody_listens(port):
    with socket.socket() as visitor:
        return visitor.connect_ex(("127.0.0.1", port)) != 0


def command_lines():
    """Of every process, whole, as any user of the machine sees them."""
    return subprocess.run(["ps", "-ewwo", "args"], capture_output=True, text=True, check=True).stdout


@pytest.fixture
def window(browser, tmp_path):
    """The command, and the profile of its browser; that one has no screen, and a port by which it is driven."""
    executable = shutil.which("chromium") or browser.browser_type.executable_path
    (tmp_path / "bin").mkdir()
    wrapper = tmp_path / "bin" / "chromium"
    wrapper.write_text(WRAPPER.format(executable))
    wrapper.chmod(0o755)
    path = f"{wrapper.parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "TLMVIZ_CACHE": str(tmp_path)}
    command = [sys.executable, "-m", "tlmviz", "run", "--app"]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    port = until(lambda: list(tmp_path.glob("windows/*/DevToolsActivePort")))[0]
    until(port.read_text)
    yield process, port.parent
    process.terminate()
    process.wait()


def visited(browser, profile):
    """The browser of the window, and its page."""
    port = (profile / "DevToolsActivePort").read_text().split()[0]
    seen = browser.browser_type.connect_over_cdp(f"http://127.0.0.1:{port}")
    page = until(lambda: seen.contexts[0].pages)[0]
    expect(page.locator("h1").first).to_contain_text("Start")
    return seen, page


@pytest.mark.slow
def test_the_window_shows_the_app_to_nobody_else_and_ends_its_server(window, browser):
    process, profile = window
    assert profile.stat().st_mode & 0o077 == 0
    seen, page = visited(browser, profile)
    assert tokens.PARAMETER not in page.url and page.evaluate("document.cookie").count("tlmviz_") == 0
    [cookie] = [each for each in seen.contexts[0].cookies() if each["name"].startswith("tlmviz_")]
    assert cookie["httpOnly"] and cookie["sameSite"] == "Strict"
    lines = command_lines()
    assert str(profile) in lines
    assert cookie["value"] not in lines
    with pytest.raises(HTTPError, match="403"):
        urllib.request.urlopen(page.url)
    port = urlsplit(page.url).port
    seen.new_browser_cdp_session().send("Browser.close")
    assert process.wait(PATIENCE / 1000) == 0
    assert nobody_listens(port) and not profile.exists()
    assert process.stderr.read().count("\n") == 1  # what the window is, and no trace of its end


@pytest.mark.slow
def test_a_command_that_is_ended_ends_both(window, browser):
    process, profile = window
    _, page = visited(browser, profile)
    port = urlsplit(page.url).port
    process.terminate()
    process.wait(PATIENCE / 1000)
    until(lambda: nobody_listens(port) and str(profile) not in command_lines())
    assert not profile.exists() and "Traceback" not in process.stderr.read()


def test_a_profile_is_removed_although_processes_of_its_browser_still_write(tmp_path):
    profile = tmp_path / "profile"
    script = "import pathlib, sys\nfor n in range(3000):\n    pathlib.Path(sys.argv[1], str(n)).write_text('')"
    profile.mkdir()
    with subprocess.Popen([sys.executable, "-c", script, profile], stderr=subprocess.DEVNULL):
        until(lambda: any(profile.iterdir()))
        windows.remove(profile)
    assert not profile.exists()


@pytest.mark.slow
def test_the_server_of_a_command_that_is_killed_ends_by_itself(window, browser):
    process, profile = window
    seen, page = visited(browser, profile)
    port = urlsplit(page.url).port
    process.kill()
    until(lambda: nobody_listens(port))
    seen.new_browser_cdp_session().send("Browser.close")
