"""`tlmviz check MODEL [TEXT]`: every identity that applies to a model, measured on one text."""

from __future__ import annotations

import argparse

from tlmviz import checks, load
from tlmviz.translator import Translator

HELP = "measure every identity on a model"
STORY = (
    "Once upon a time there was a little girl named Lily. Lily had a red ball. One day, Lily lost the red ball. "
    "Lily looked and looked for the red ball."
)
SENTENCE = "The black cat is sleeping on the red chair."  # for models that translate


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The model, and the text to measure on."""
    parser.add_argument("model", help="the name of a model, or a checkpoint folder")
    parser.add_argument("text", nargs="?", help="what to measure on; a story or a sentence unless given")


def run(options: argparse.Namespace) -> int:
    """Print one line per identity; returns 1 when one of them fails."""
    model = load(options.model)
    text = options.text
    if text is None:
        text = SENTENCE if isinstance(model, Translator) else STORY
    results = checks.run_all(model, text)
    for result in results:
        print(
            f"{'ok  ' if result.passed else 'FAIL'}  {result.name:24} {result.claim}: "
            f"{result.unit} {result.error:.2e}, allowed {result.tolerance:.0e}"
        )
    return 0 if all(result.passed for result in results) else 1
