"""What the view "With and without coverage" computes: which models there are, and what they write."""

from __future__ import annotations

from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties
from tlmviz.decoding.records import Candidate
from tlmviz.ui import translation


def coverage_models() -> tuple[list[str], list[str]]:
    """Models with a coverage vector and the recurrent ones without, those with the same score first."""
    configs = {name: translation.model(name).config for name in translation.models()}
    recurrent = {name: config for name, config in configs.items() if config.kind == "seq2seq"}
    with_coverage = [name for name, config in recurrent.items() if config.score.coverage]
    without = [name for name, config in recurrent.items() if not config.score.coverage]
    return with_coverage, sorted(without, key=lambda name: recurrent[name].score.kind != "additive")


def best(model: str, text: str, width: int) -> Candidate:
    """The best text of a beam without penalties: what a model writes when nothing keeps it from repeating itself."""
    options = translation.without_ranking(BeamOptions(width=width))
    return translation.search(model, text, options).hypotheses(Penalties(alpha=0, beta=0))[0]
