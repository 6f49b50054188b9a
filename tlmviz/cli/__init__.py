"""The commands of `tlmviz`: a module of the same name each, with `add_arguments(parser)` and `run(options) ->
status`."""

from __future__ import annotations

import argparse
import importlib
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:  # for what reads imports, as tests/affected.py does
    from . import check, doctor, export, get, list, run, serve, shot, site, survey, trace  # noqa: F401


class Command(Protocol):
    """A module that is a command."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's arguments."""

    def run(self, options: argparse.Namespace) -> int:
        """Carry the command out; returns 0 when all is well. Raises tlmviz.Error on bad input."""


# Command -> its line of help. The module of a command is imported when it is called: the list of all shall cost
# nothing.
COMMANDS = {
    "run": "serve the app at http://localhost:8501",
    "serve": "serve the app to many at once: several processes, weights in memory once, limits, /metrics",
    "list": "name the models that come with tlmviz and those that are installed",
    "get": "fetch a real model, or name those that can be had",
    "check": "measure every identity on a model",
    "doctor": "where two models or recorded runs part, and why",
    "survey": "measure what every head does over a corpus; goes on where it was killed",
    "trace": "trace a text through a model: its tokens and what each head does",
    "export": "write a language model as a folder that transformers opens, or as one file that a browser runs",
    "site": "write a static site of the pages that run in a browser, for any host",
    "shot": "write any picture of any page as SVG, PNG, PDF or HTML, by the link that shows it",
}


def command(name: str) -> Command:
    """The module of a command."""
    return cast(Command, importlib.import_module(f".{name}", __name__))
