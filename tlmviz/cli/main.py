"""The command line: `tlmviz <command>`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from tlmviz import __version__
from tlmviz.errors import Error

from . import COMMANDS, command

INTERRUPTED = 130  # the status that shells expect of what Ctrl-C ended


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns 0 when all is well, 1 when a check failed, 2 with a sentence on bad input.

    Ctrl-C ends it with INTERRUPTED, and a reader that goes away (`tlmviz list | head -1`) with 0; neither prints a
    traceback.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    parser = argparse.ArgumentParser(prog="tlmviz", description="A visual attention explorer.")
    parser.add_argument("-V", "--version", action="version", version=f"tlmviz {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, says in COMMANDS.items():
        own = commands.add_parser(name, help=says, description=says)
        if name in given:  # else its module, and what that takes, is not imported
            command(name).add_arguments(own)
    options = parser.parse_args(given)
    if options.command is None:
        parser.print_help()
        return 0
    try:
        status = command(options.command).run(options)
        sys.stdout.flush()  # here, so that a reader who is gone is noticed here
        return status
    except Error as error:
        print(error, file=sys.stderr)
        return 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what Python flushes at its end
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
