"""`tlmviz check MODEL [TEXT]`: every identity that applies to a model, measured on one text."""

from __future__ import annotations

import argparse
from collections.abc import Iterable

from tlmviz import checks, load
from tlmviz.errors import UnknownName

HELP = "measure every identity on a model"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The model, and the text to measure on."""
    parser.add_argument("model", nargs="?", help="the name of a model, or a checkpoint folder")
    parser.add_argument("text", nargs="?", help="what to measure on; a story or a sentence unless given")
    parser.add_argument(
        "--list", action="store_true", help="only name the identities, of all models or of this one"
    )
    parser.set_defaults(usage_error=parser.error)


def run(options: argparse.Namespace) -> int:
    """Measure the identities of a model, or name them; returns 1 when one of them fails."""
    if options.list:
        entries = checks.applicable(load(options.model)) if options.model else checks.IDENTITIES.values()
        print(identities_table(entries))
        return 0
    if options.model is None:
        options.usage_error("name a model, or give --list")
    return check_model(options.model, options.text)


def identities_table(entries: Iterable[checks.Identity[...]]) -> str:
    """Name, claim, tolerance with its unit, and chapter of each identity, a line each; nothing is measured."""
    return "\n".join(
        f"{entry.name:26} {entry.claim}: {entry.unit} within {entry.tolerance:.0e}  [{entry.chapter}]"
        for entry in entries
    )


def check_model(name: str, text: str | None) -> int:
    """Measure and print every identity that applies to a model; 0 when all pass, else 1. Raises Error."""
    model = load(name)
    results = checks.run_all(model, model.default_text if text is None else text)
    if not results:
        raise UnknownName(
            f"No identity applies to {name}, which has no network; name a model or a checkpoint."
        )
    for result in results:
        print(
            f"{'ok  ' if result.passed else 'FAIL'}  {result.name:24} {result.claim}: "
            f"{result.unit} {result.error:.2e}, allowed {result.tolerance:.0e}"
        )
    return 0 if all(result.passed for result in results) else 1
