"""The wheels beside that of tlmviz, found by their namespace packages: three models lie in its own, and all others in
these."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

SPACE = "tlmviz_models"  # the namespace package that each of those wheels puts its models into
CORE = ("eng-fra", "stories-rope", "zoo-rope")
# Distribution -> its models. An index takes 100 MB for one wheel. packages/ builds them, and each list stands there
# again.
WHEELS = {
    "tlmviz-models": (
        "digits-perceiver",
        "digits-perceiver-1",
        "digits-perceiver-2",
        "digits-perceiver-4",
        "digits-scenes",
        "digits-scenes-turned",
        "pointer-hull",
        "stories-deep-hc",
        "stories-deep-mhc",
        "stories-dense",
        "stories-encoder",
        "stories-gpt",
        "stories-hc",
        "stories-induction",
        "stories-mhc",
        "stories-moe",
        "stories-moe-aux",
        "stories-mtp",
        "stories-mtp-parallel",
        "stories-mtp-plain",
        "stories-residual",
        "stories-rope-indexer",
        "stories-sentinel",
        "stories-sentinel-plain",
        "words-cbow",
        "words-fasttext",
        "words-glove",
        "words-hierarchical",
        "words-negative",
        "words-skipgram",
    ),
    "tlmviz-models-translation": (
        "eng-fra-additive",
        "eng-fra-copy",
        "eng-fra-copy-plain",
        "eng-fra-coverage",
        "eng-fra-dot",
        "eng-fra-general",
    ),
    "tlmviz-models-zoo": (
        "zoo-alibi",
        "zoo-gqa",
        "zoo-layernorm",
        "zoo-learned",
        "zoo-mla",
        "zoo-mla-cq",
        "zoo-mqa",
        "zoo-none",
        "zoo-post",
        "zoo-relative",
        "zoo-sinusoidal",
        "zoo-window",
    ),
}


def folders() -> tuple[Path, ...]:
    """Where the wheels of models lie that are installed."""
    return places(SPACE)


@cache  # what is installed while a process runs is found by the next one
def places(namespace: str) -> tuple[Path, ...]:
    """The folders of a namespace package; none where no wheel that puts something into it is installed."""
    spec = find_spec(namespace)
    return tuple(map(Path, spec.submodule_search_locations or ())) if spec else ()


def wheel_of(name: str) -> str | None:
    """The distribution that a model comes with; None for one of tlmviz's own wheel, and for what is no model of
    tlmviz."""
    return next((wheel for wheel, names in WHEELS.items() if name in names), None)
