"""`python -m tlmviz check <model> [text]` and `python -m tlmviz list`."""

from __future__ import annotations

import argparse
import sys

from . import checks, list_models, load
from .errors import Error


def main(arguments: list[str] | None = None) -> int:
    """Run a command; returns 0 when all is well, 1 when a check failed, 2 on bad input."""
    parser = argparse.ArgumentParser(prog="python -m tlmviz")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="the bundled models")
    check = commands.add_parser("check", help="measure every identity on a model")
    check.add_argument("model", help="a bundled name or a checkpoint folder")
    check.add_argument("text", nargs="?", help="what to measure on; a story or a sentence unless given")
    options = parser.parse_args(arguments)
    if options.command == "list":
        for name, description in list_models().items():
            print(f"{name:16} {description}")
        return 0
    try:
        model = load(options.model)
        text = model.default_text if options.text is None else options.text
        results = checks.run_all(model, text, options.model)
    except Error as error:
        print(error, file=sys.stderr)
        return 2
    for result in results:
        print(
            f"{'ok  ' if result.passed else 'FAIL'}  {result.name:24} {result.claim}: "
            f"{result.unit} {result.error:.2e}, allowed {result.tolerance:.0e}"
        )
    return 0 if all(result.passed for result in results) else 1


if __name__ == "__main__":
    raise SystemExit(main())
