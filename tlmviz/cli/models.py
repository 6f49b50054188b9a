"""`tlmviz list`: the models that can be named."""

from __future__ import annotations

import argparse

from tlmviz import list_models

HELP = "name the models that come with tlmviz and those that are installed"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """None are needed."""


def run(options: argparse.Namespace) -> int:
    """Print one line per model: its name and what it is."""
    for name, description in list_models().items():
        print(f"{name:16} {description}")
    return 0
