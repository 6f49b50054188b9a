"""`tlmviz serve` with two processes: a visitor stays with one, and goes on from the link when it is killed."""

import os
import select
import signal
import sys
import urllib.request
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tlmviz.errors import Error
from tlmviz.hosting import nginx
from tlmviz.hosting.server import serve

from .helpers import PATIENCE, wait_for_param


def nginx_is_here():
    try:
        return bool(nginx.executable())
    except Error:
        return False


@pytest.fixture
def pool():
    command = [sys.executable, "-m", "tlmviz", "serve", "--processes", "2", "--seconds", "30"]
    with serve(command) as running:
        yield running


def app_processes(parent):
    """The app processes, each by its port."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    lines = {int(each): Path(f"/proc/{each}/cmdline").read_text().split("\0") for each in children}
    return {int(line[line.index("--server.port") + 1]): each for each, line in lines.items() if "streamlit" in line}


def figures(port):
    """What a process says of all of them, name -> value."""
    text = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics").read().decode()
    return dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))


@pytest.mark.slow
@pytest.mark.skipif(not nginx_is_here(), reason="nginx is not installed; `make test` installs it on Debian")
def test_a_visitor_outlives_the_process(pool, page):
    page.goto(pool.url + "?text=The+cat+sat+on+the+mat&head=2.1")
    box = page.get_by_role("textbox", name="Text")
    expect(box).to_have_value("The cat sat on the mat")
    detail = page.get_by_test_id("detail")
    expect(detail).to_have_attribute("data-painted-head", "2.1")
    (cookie,) = [each for each in page.context.cookies() if each["name"] == "tlmviz"]
    apps = app_processes(pool.process.pid)
    assert len(apps) == 2
    said = figures(pool.port)
    assert float(said["tlmviz_sessions"]) == 1
    assert float(said["tlmviz_memory_bytes"]) > 2e8

    for process in apps.values():  # whichever it was
        os.kill(process, signal.SIGKILL)
    app = page.get_by_test_id("stApp")
    expect(app).not_to_have_attribute("data-test-connection-state", "CONNECTED")
    expect(app).to_have_attribute("data-test-connection-state", "CONNECTED")
    expect(app).to_have_attribute("data-test-script-state", "notRunning")
    expect(box).to_have_value("The cat sat on the mat")
    painted = detail.get_attribute("data-painted-text")
    box.fill("The dog sat on the big mat")
    expect(detail).not_to_have_attribute("data-painted-text", painted)
    expect(detail).to_have_attribute("data-painted-head", "2.1")
    wait_for_param(page, "head", "2.1")
    wait_for_param(page, "text", "The dog sat on the big mat")
    assert [each for each in page.context.cookies() if each["name"] == "tlmviz"][0]["value"] == cookie["value"]
    again = app_processes(pool.process.pid)
    assert again.keys() == apps.keys() and not set(again.values()) & set(apps.values())


@pytest.mark.slow
def test_one_process_needs_no_nginx_and_ends_clean():
    command = [sys.executable, "-m", "tlmviz", "serve", "--processes", "1"]
    with serve(command) as running:
        (process,) = app_processes(running.process.pid).values()
        ended = os.pidfd_open(process)
        assert float(figures(running.port)["tlmviz_sessions"]) == 0
        variables = dict(
            each.split("=", 1) for each in Path(f"/proc/{process}/environ").read_text().split("\0") if "=" in each
        )
        folder, rooms = Path(variables["TLMVIZ_WEIGHTS"]), Path(variables["TLMVIZ_ROOMS"])
        assert rooms.is_dir() and rooms.stat().st_mode & 0o777 == 0o700
        assert list(folder.glob("stories-rope-*.weights"))
    assert select.select([ended], [], [], PATIENCE / 1000)[0] == [ended]
    os.close(ended)
    assert not folder.exists() and not rooms.exists()
