"""`tlmviz run [PATH...]`: the app in a browser, with models and traces of the user's own in its menus."""

from __future__ import annotations

import argparse
import runpy
import sys

from tlmviz.checkpoints import opening
from tlmviz.errors import Error

from .server import app_file, arguments, port_is_free

HELP = "serve the app at http://localhost:8501"
PORT = 8501


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The models and files to offer beside the bundled ones, and the port."""
    parser.add_argument("paths", nargs="*", metavar="PATH", help=opening.ALLOWED)
    parser.add_argument("--port", type=int, default=PORT, help=f"the port to serve at, {PORT} unless given")


def run(options: argparse.Namespace) -> int:
    """Serve until interrupted, in this process. Raises Error where a path is no model, or the port is none or in use."""
    opening.offer([opening.checked(path) for path in options.paths])
    if not 0 < options.port < 65536:
        raise Error(f"{options.port} is no port; choose a number from 1 to 65535.")
    if not port_is_free(options.port):
        raise Error(f"Port {options.port} is in use; choose another one with --port.")
    # By name: of the library, only tlmviz/ui imports Streamlit.
    sys.argv = ["streamlit", *arguments(app_file(), options.port)]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
    return 0
