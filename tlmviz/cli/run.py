"""`tlmviz run [PATH...]`: the app in a browser, with models and traces of the user's own in its menus."""

from __future__ import annotations

import argparse
import os
import runpy
import sys

from tlmviz.checkpoints import opening
from tlmviz.checkpoints.folders import holds_run
from tlmviz.errors import Error
from tlmviz.hosting.addresses import BELIEVED, HOSTS, believed
from tlmviz.hosting.server import EVERYWHERE, LOOPBACK, app_file, arguments, port_is_free, require_address, require_app

from . import window

PORT = 8501
HERE = (LOOPBACK, *EVERYWHERE)  # addresses that are reached as localhost


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The models and files to offer beside the bundled ones, and the port."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help=opening.ALLOWED)
    parser.add_argument("--port", type=int, help=f"the port to serve at, {PORT} unless given")
    parser.add_argument(
        "--bind",
        "--host",
        metavar="ADDRESS",
        default=LOOPBACK,
        help=f"the address of this machine to listen at, {LOOPBACK} unless given, which nobody else reaches; 0.0.0.0 "
        f"is all",
    )
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument(
        "--window", action="store_true", help="in a window of its own, for you alone; closing it ends the server"
    )
    shown.add_argument(
        "--app", action="store_true", help="the same by Chromium, Chrome or Edge, without tabs and address"
    )


def run(options: argparse.Namespace) -> int:
    """Serve until interrupted, in this process, or until the window is closed.

    Raises Error where a path is no model, the port is none or in use, no window can be opened, or the app's extra is
    missing.
    """
    require_app()
    paths = [opening.checked(path) for path in options.paths]
    opening.offer(paths)
    if trainings := [path.name for path in paths if holds_run(path)]:
        print(f"On the page Learning: {', '.join(trainings)}")
    if options.window or options.app:
        if options.port is not None:
            raise Error("A window has a free port of its own; leave --port out.")
        return window.show(in_browser=options.app)
    port = PORT if options.port is None else options.port
    if not 0 < port < 65536:
        raise Error(f"{port} is no port; choose a number from 1 to 65535.")
    require_address(options.bind)
    if not port_is_free(port, options.bind):
        raise Error(f"Port {port} is in use; choose another one with --port.")
    os.environ.setdefault(BELIEVED, believed())
    if options.bind == LOOPBACK:  # what is read there is private
        os.environ.setdefault(HOSTS, "localhost")
    host = "" if options.bind in HERE else options.bind  # by which a visitor comes who is elsewhere
    # By name: of the library, only tlmviz/ui imports Streamlit.
    sys.argv = ["streamlit", *arguments(app_file(), port, host, options.bind)]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
    return 0
