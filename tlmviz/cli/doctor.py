"""`tlmviz doctor A B`: where two runs of one text part, and the cause by name."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

import tlmviz
from tlmviz.errors import UnknownName

if TYPE_CHECKING:
    from tlmviz import Diagnosis, LanguageModel, Trace

HEALTHY, FAULT, UNSURE = 0, 1, 3  # exit statuses; 2 is bad input, as for every command


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The two runs, the text they read, and how to print."""
    from tlmviz.analysis.workbench.doctor.presets import PRESETS

    parser.add_argument("a", help="the run that is right: a model, a checkpoint folder, or a file of Trace.save")
    parser.add_argument("b", nargs="?", help="the run in question")
    parser.add_argument(
        "--preset", choices=sorted(PRESETS), help="in place of a second run, the first model run another way"
    )
    parser.add_argument("--text", help="what models read; a story unless given. A file holds the text it was made of")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.set_defaults(usage_error=parser.error)


def run(options: argparse.Namespace) -> int:
    """Print the diagnosis; 0 when healthy, 1 with a cause, 3 when the cause cannot be told."""
    from tlmviz.analysis.workbench.doctor.presets import PRESETS, Pair

    if (options.b is None) == (options.preset is None):
        options.usage_error("name a second run, or one --preset")
    if options.preset is None:
        pair = Pair(*traces(options.a, options.b, options.text))
    else:
        lm = language_model(options.a)
        pair = PRESETS[options.preset](lm, lm.encode(options.text or lm.default_text))
    said = tlmviz.diagnose(*pair)
    print(json.dumps(as_json(said)) if options.json else said)
    return HEALTHY if said.healthy else FAULT if said.sure else UNSURE


def traces(a: str, b: str, text: str | None) -> tuple[Trace, Trace]:
    """Both runs; a model beside a file reads the file's tokens. Raises Error."""
    opened = [tlmviz.open(name) if Path(name).is_file() and name.endswith(".safetensors") else None for name in (a, b)]
    ids = next((trace.ids for trace in opened if trace is not None), None)
    first = _read(a, text, ids) if opened[0] is None else opened[0]
    # Both models read the first one's tokens: a second tokenizer would be another fault.
    second = _read(b, text, first.ids if ids is None else ids) if opened[1] is None else opened[1]
    return first, second


def language_model(name: str) -> LanguageModel:
    """A model by name. Raises UnknownName for one that is no language model."""
    lm = tlmviz.load(name)
    if not isinstance(lm, tlmviz.LanguageModel):
        raise UnknownName(
            f"{name} is no language model that could read this text; choose a language model from those that `tlmviz "
            "list` names."
        )
    return lm


def _read(name: str, text: str | None, ids: list[int] | None) -> Trace:
    lm = language_model(name)
    if ids is None:
        return lm.trace(lm.default_text if text is None else text)
    if ids and max(ids) >= lm.config.vocab_size:
        raise UnknownName(
            f"{name} knows {lm.config.vocab_size:,} tokens, and the other run has token {max(ids):,}: "
            "compare runs of one vocabulary."
        )
    return lm.trace_ids(ids)


def as_json(said: Diagnosis) -> dict[str, object]:
    """The diagnosis as plain values; `errors` are the steps that differ, largest first."""
    worst = sorted(said.errors.items(), key=lambda step: -step[1])[:20]
    return {
        "cause": said.cause,
        "value": said.value,
        "layer": said.layer,
        "step": said.step,
        "healthy": said.healthy,
        "sure": said.sure,
        "evidence": said.evidence,
        "errors": {name: error for name, error in worst if error > 0},
    }
