"""`tlmviz run [PATH...]`: the app in a browser, with models and traces of the user's own in its menus."""

from __future__ import annotations

import argparse
import runpy
import sys

from tlmviz.checkpoints import opening
from tlmviz.errors import Error

from . import window
from .server import app_file, arguments, port_is_free

HELP = "serve the app at http://localhost:8501"
PORT = 8501


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The models and files to offer beside the bundled ones, and the port."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help=opening.ALLOWED)
    parser.add_argument("--port", type=int, help=f"the port to serve at, {PORT} unless given")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument(
        "--window",
        action="store_true",
        help="in a window of its own, for you alone; closing it ends the server",
    )
    shown.add_argument(
        "--app", action="store_true", help="the same by Chromium, Chrome or Edge, without tabs and address"
    )


def run(options: argparse.Namespace) -> int:
    """Serve until interrupted, in this process, or until the window is closed.

    Raises Error where a path is no model, the port is none or in use, or no window can be opened.
    """
    opening.offer([opening.checked(path) for path in options.paths])
    if options.window or options.app:
        if options.port is not None:
            raise Error("A window has a free port of its own; leave --port out.")
        return window.show(in_browser=options.app)
    port = PORT if options.port is None else options.port
    if not 0 < port < 65536:
        raise Error(f"{port} is no port; choose a number from 1 to 65535.")
    if not port_is_free(port):
        raise Error(f"Port {port} is in use; choose another one with --port.")
    # By name: of the library, only tlmviz/ui imports Streamlit.
    sys.argv = ["streamlit", *arguments(app_file(), port)]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
    return 0
