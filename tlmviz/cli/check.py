"""`tlmviz check MODEL [TEXT]`: every identity that applies to a model, measured on one text."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

import tlmviz
from tlmviz.errors import UnknownName

if TYPE_CHECKING:
    from tlmviz import checks


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The model, and the text to measure on."""
    parser.add_argument("model", nargs="?", help="the name of a model, or a checkpoint folder")
    parser.add_argument("text", nargs="?", help="what to measure on; a story or a sentence unless given")
    parser.add_argument("--list", action="store_true", help="only name the identities, of all models or of this one")
    parser.add_argument("--json", action="store_true", help="one JSON object an identity, in a list")
    parser.set_defaults(usage_error=parser.error)


def run(options: argparse.Namespace) -> int:
    """Measure the identities of a model, or name them; returns 1 when one of them fails."""
    from tlmviz import checks

    if options.list:
        entries = checks.applicable(tlmviz.load(options.model)) if options.model else checks.IDENTITIES.values()
        print(as_json(entries) if options.json else identities_table(entries))
        return 0
    if options.model is None:
        options.usage_error("name a model, or give --list")
    return check_model(options.model, options.text, options.json)


def as_json(found: Iterable[checks.Identity[...] | checks.Check]) -> str:
    """Name, claim, unit and tolerance of each; of what was measured also the error, null where it is no number, and
    `passed`."""
    from tlmviz.checks import Check

    rows: list[dict[str, object]] = []
    for each in found:
        row: dict[str, object] = {
            "name": each.name,
            "claim": each.claim,
            "unit": each.unit,
            "tolerance": each.tolerance,
        }
        if isinstance(each, Check):
            row |= {"error": each.error if math.isfinite(each.error) else None, "passed": each.passed}
        rows.append(row)
    return json.dumps(rows, indent=1, ensure_ascii=False)


def identities_table(entries: Iterable[checks.Identity[...]]) -> str:
    """Name, claim, tolerance with its unit, and chapter of each identity, a line each; nothing is measured."""
    return "\n".join(
        f"{entry.name:26} {entry.claim}: {entry.unit} within {entry.tolerance:.0e}  [{entry.chapter}]"
        for entry in entries
    )


def check_model(name: str, text: str | None, in_json: bool = False) -> int:
    """Measure and print every identity that applies to a model; 0 when all pass, else 1. Raises Error."""
    from tlmviz import checks

    model = tlmviz.load(name)
    results = checks.run_all(model, model.default_text if text is None else text)
    if not results:
        raise UnknownName(f"No identity applies to {name}, which has no network; name a model or a checkpoint.")
    if in_json:
        print(as_json(results))
    for result in [] if in_json else results:
        print(
            f"{'ok  ' if result.passed else 'FAIL'}  {result.name:24} {result.claim}: "
            f"{result.unit} {result.error:.2e}, allowed {result.tolerance:.0e}"
        )
    return 0 if all(result.passed for result in results) else 1
