"""The commands of `tlmviz`: one module each, with HELP, `add_arguments(parser)` and `run(options) -> status`."""

from __future__ import annotations

import argparse
from typing import Protocol

from . import check, doctor, export, get, models, run, serve, shot, survey, trace


class Command(Protocol):
    """A module that is a command."""

    HELP: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's arguments."""

    def run(self, options: argparse.Namespace) -> int:
        """Carry the command out; returns 0 when all is well. Raises tlmviz.Error on bad input."""


COMMANDS: dict[str, Command] = {
    "run": run,
    "serve": serve,
    "list": models,
    "get": get,
    "check": check,
    "doctor": doctor,
    "survey": survey,
    "trace": trace,
    "export": export,
    "shot": shot,
}
