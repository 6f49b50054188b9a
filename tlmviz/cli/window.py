"""`tlmviz run --window` and `--app`: the app in a window of its own; its server is for that window alone and ends with
it."""

from __future__ import annotations

import contextlib
import ctypes
import html
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tlmviz.checkpoints.folders import cache_folder
from tlmviz.errors import Error
from tlmviz.extras import require
from tlmviz.hosting import token as tokens
from tlmviz.hosting.server import serve

SERVER = [sys.executable, "-m", "tlmviz.cli.held", "run"]
SIZE = (1280, 860)
NO_DISPLAY = "There is no screen to open a window on; leave --window out and open the address in a browser."
NO_LIBRARY = (
    "Qt lacks a library of the system ({error}); on Debian `apt install libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1` "
    "brings those of X11, or use --app, which needs a browser alone."
)
NO_BROWSER = "No Chromium, Chrome or Edge was found on this machine for --app; install one, or leave --app out."
# Where macOS and Windows keep browsers, outside the search path.
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    r"%ProgramFiles%\Google\Chrome\Application\chrome.exe",
    r"%LocalAppData%\Google\Chrome\Application\chrome.exe",
    r"%ProgramFiles(x86)%\Microsoft\Edge\Application\msedge.exe",
)
FLAGS = (
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-mode",  # the process ends with its last window
    "--disable-sync",
)


def show(in_browser: bool) -> int:
    """Serve and show until the window is closed. Raises Error where there is nothing to show it with."""
    opened: Callable[[str], None] = browser_window(browser()) if in_browser else native_window()
    token = secrets.token_urlsafe(32)
    for each in ("SIGTERM", "SIGHUP"):  # so that what was started is ended, too
        if hasattr(signal, each):
            signal.signal(getattr(signal, each), lambda number, _: sys.exit(128 + number))
    print("The window opens in a moment; closing it ends the server.", file=sys.stderr, flush=True)
    with contextlib.suppress(KeyboardInterrupt), serve(SERVER, token, stdin=subprocess.PIPE) as server:
        opened(tokens.first_link(server.url, token))
    return 0


def native_window() -> Callable[[str], None]:
    """What opens a link in a window by pywebview and returns when it is closed."""
    require("webview", "window", "--window, unlike --app,")
    linux = sys.platform == "linux"
    if linux:
        check_screen()

    def opened(link: str) -> None:
        import webview

        webview.settings["ALLOW_DOWNLOADS"] = True
        webview.create_window("tlmviz", link, width=SIZE[0], height=SIZE[1], text_select=True, zoomable=True)
        try:
            webview.start(gui="qt" if linux else None)  # elsewhere what the system has
        except webview.errors.WebViewException as error:
            raise Error(f"pywebview could not open a window ({error}); --app opens one by a browser.") from None

    return opened


def check_screen() -> None:
    """Raise Error where Qt could not open a window on Linux: it would abort this process."""
    if os.environ.get("WAYLAND_DISPLAY"):
        return
    if not os.environ.get("DISPLAY"):
        raise Error(NO_DISPLAY)
    with contextlib.suppress(ImportError):
        from PySide6.QtCore import QLibraryInfo

        plugins = QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath)
        try:
            ctypes.CDLL(f"{plugins}/platforms/libqxcb.so")
        except OSError as error:
            raise Error(NO_LIBRARY.format(error=error)) from None


def browser() -> str:
    """A browser of Chromium's family on this machine. Raises Error where there is none."""
    from tlmviz.shots.parties import NAMES  # which imports this package

    places = (os.path.expandvars(each) for each in PLACES)
    found = [*filter(None, map(shutil.which, NAMES)), *(each for each in places if os.path.isfile(each))]
    if not found:
        raise Error(NO_BROWSER)
    return found[0]


def browser_window(executable: str) -> Callable[[str], None]:
    """What opens a link in a browser's window without tabs and address, and returns when it is closed."""

    def opened(link: str) -> None:
        windows = cache_folder() / "windows"
        windows.mkdir(parents=True, exist_ok=True)
        # A profile for each window, which nobody else may read: a second window of one profile would be opened by the
        # first process, and the process that is waited for here would end at once.
        profile = Path(tempfile.mkdtemp(dir=windows))
        try:
            start = start_page(profile, link)
            size = f"--window-size={SIZE[0]},{SIZE[1]}"
            command = [executable, f"--user-data-dir={profile}", *FLAGS, size, f"--app={start.as_uri()}"]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                status = process.wait()
            finally:
                process.terminate()
                process.wait()
        finally:
            remove(profile)
        if status:
            raise Error(f"{executable} ended with status {status}; leave --app out and open the address in a browser.")

    return opened


def remove(profile: Path) -> None:
    """Remove a browser's profile, waiting at most five seconds for what its own processes still write while they
    end."""
    for _ in range(50):
        shutil.rmtree(profile, ignore_errors=True)
        if not profile.exists():
            return
        time.sleep(0.1)


def start_page(folder: Path, link: str) -> Path:
    """A page that leads to the link, so that the link with its token is on no command line."""
    page = folder / "start.html"
    page.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>tlmviz</title>'
        f'<meta http-equiv="refresh" content="0;url={html.escape(link)}"></html>',
        encoding="utf-8",
    )
    return page
