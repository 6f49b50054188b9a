"""The command line: `tlmviz <command>`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tlmviz import __version__
from tlmviz.errors import Error

from . import COMMANDS


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns 0 when all is well, 1 when a check failed, 2 with a sentence on bad input."""
    parser = argparse.ArgumentParser(prog="tlmviz", description="A visual attention explorer.")
    parser.add_argument("--version", action="version", version=f"tlmviz {__version__}")
    commands = parser.add_subparsers(dest="command", required=True)
    for name, command in COMMANDS.items():
        command.add_arguments(commands.add_parser(name, help=command.HELP, description=command.HELP))
    options = parser.parse_args(arguments)
    try:
        return COMMANDS[options.command].run(options)
    except Error as error:
        print(error, file=sys.stderr)
        return 2
