"""`tlmviz list`: the models that can be named."""

from __future__ import annotations

import argparse
import json

import tlmviz


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """How it is printed."""
    parser.add_argument("--json", action="store_true", help="one JSON object: name -> what it is")


def run(options: argparse.Namespace) -> int:
    """Print one line per model: its name and what it is."""
    models = tlmviz.list_models()
    if options.json:
        print(json.dumps(models, indent=1, ensure_ascii=False))
        return 0
    for name, description in models.items():
        print(f"{name:16} {description}")
    return 0
