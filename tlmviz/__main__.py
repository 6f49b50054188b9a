"""`python -m tlmviz check <model> [text]` and `python -m tlmviz list`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

from . import checks, list_models, load
from .errors import Error
from .translator import Translator

STORY = (
    "Once upon a time there was a little girl named Lily. Lily had a red ball. One day, Lily lost the red ball. "
    "Lily looked and looked for the red ball."
)
SENTENCE = "The black cat is sleeping on the red chair."  # for models that translate


def main(arguments: list[str] | None = None) -> int:
    """Run a command; returns 0 when all is well, 1 when a check failed, 2 on bad input."""
    parser = argparse.ArgumentParser(prog="python -m tlmviz")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="the bundled models")
    check = commands.add_parser("check", help="measure every identity on a model")
    check.add_argument("model", nargs="?", help="a bundled name or a checkpoint folder")
    check.add_argument("text", nargs="?", help="what to measure on; a story or a sentence unless given")
    check.add_argument(
        "--list", action="store_true", help="only name the identities, of all models or of this one"
    )
    options = parser.parse_args(arguments)
    if options.command == "check" and options.model is None and not options.list:
        check.error("name a model, or give --list")
    if options.command == "list":
        for name, description in list_models().items():
            print(f"{name:16} {description}")
        return 0
    try:
        if options.list:
            entries = checks.applicable(load(options.model)) if options.model else checks.IDENTITIES.values()
            print(identities_table(entries))
            return 0
        return check_model(options.model, options.text)
    except Error as error:
        print(error, file=sys.stderr)
        return 2


def identities_table(entries: Iterable[checks.Identity]) -> str:
    """Name, claim, tolerance with its unit, and chapter of each identity, a line each; nothing is measured."""
    return "\n".join(
        f"{entry.name:26} {entry.claim}: {entry.unit} within {entry.tolerance:.0e}  [{entry.chapter}]"
        for entry in entries
    )


def check_model(name: str, text: str | None) -> int:
    """Measure and print every identity that applies to a model; 0 when all pass, else 1. Raises Error."""
    model = load(name)
    usual = SENTENCE if isinstance(model, Translator) else STORY
    results = checks.run_all(model, usual if text is None else text)
    for result in results:
        print(
            f"{'ok  ' if result.passed else 'FAIL'}  {result.name:24} {result.claim}: "
            f"{result.unit} {result.error:.2e}, allowed {result.tolerance:.0e}"
        )
    return 0 if all(result.passed for result in results) else 1


if __name__ == "__main__":
    raise SystemExit(main())
