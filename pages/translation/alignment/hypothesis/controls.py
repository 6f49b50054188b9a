"""The controls of a hypothesis: beam width, penalties, attention map and rank, as one Choice."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import streamlit as st

from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties
from tlmviz.decoding.records import Candidate, Search
from tlmviz.figures.written import number
from tlmviz.tokens import output_names
from tlmviz.translator import Translator
from tlmviz.ui import link, translation

from ..controls import penalties


@dataclass(frozen=True)
class Choice:
    """A hypothesis by its rank (from 1) under the penalties; `align` is the map that counts as a_ij, None the mean."""

    model: str
    text: str
    width: int
    penalties: Penalties
    align: int | None
    rank: int = 1

    @property
    def mt(self) -> Translator:
        """The model that translates."""
        return translation.model(self.model)

    @property
    def search(self) -> Search:
        """The search that ended with the hypotheses; searched once for all penalties and maps. Raises BadSearch."""
        options = translation.without_ranking(BeamOptions(width=self.width))
        return translation.search(self.model, self.text, options)

    @property
    def hypotheses(self) -> list[Candidate]:
        """All hypotheses, best first."""
        return self.search.hypotheses(self.penalties, self.align)

    @property
    def candidate(self) -> Candidate:
        """The hypothesis of the chosen rank."""
        return self.hypotheses[self.rank - 1]

    @property
    def source(self) -> list[str]:
        """Names of the source tokens [S]."""
        return self.names(self.mt.encode(self.text))

    def names(self, ids: Iterable[int]) -> list[str]:
        """Readable tokens, the one that ends a text named so."""
        return output_names(self.mt.tokenizer, ids)


def choose(model: str, text: str) -> Choice:
    """Draw the controls and return what they say. Raises BadSearch for what no search can do."""
    ranks, maps, width, beta, floor = st.columns([0.38, 0.23, 0.11, 0.13, 0.15], vertical_alignment="bottom")
    beam = width.number_input(
        "Beam", value=5, step=1, key="abeam", bind="query-params", help="1 to 20 texts are kept."
    )
    rules = penalties(beta, floor)
    best = Choice(model, text, int(beam), rules, map_menu(translation.model(model), maps))
    return rank_menu(best, ranks)


def rank_menu(best: Choice, place) -> Choice:
    """The hypothesis whose rank is chosen. Raises BadSearch."""
    with st.spinner("Translating …", show_time=True):
        hypotheses = best.hypotheses

    def label(rank: int) -> str:
        candidate = hypotheses[rank - 1]
        return f"{rank}. {best.mt.text(candidate.tokens) or '(nothing)'} ({number(candidate.score, '.3f')})"

    rank = link.menu(
        place,
        "Hypothesis",
        range(1, len(hypotheses) + 1),
        "ahyp",
        show=label,
        help="The texts that the search ended with, ranked under the penalties of this page.",
    )
    return replace(best, rank=rank)


def map_menu(mt: Translator, place) -> int | None:
    """Which attention map counts: the model's own choice, the mean, or any layer and head. None is the mean."""
    usual = "The mean" if mt.align is None else map_name(mt, mt.align).capitalize()
    labels = {"default": usual if len(mt.maps) == 1 else f"{usual} (default)", "mean": "Mean of all maps"}
    option = link.menu(
        place,
        "Attention map",
        ["default", *(["mean", *mt.maps] if len(mt.maps) > 1 else [])],
        "amap",
        show=lambda option: labels.get(option) or "Layer {}, head {}".format(*option.split(".")),
        help="A recurrent model has one. Of a Transformer's, the default has the lowest alignment error: see below.",
    )
    return {"default": mt.align, "mean": None}[option] if option in labels else mt.maps.index(option)


def map_name(mt: Translator, align: int | None) -> str:
    """What a map is called in a sentence."""
    if align is None:
        return f"mean of all {len(mt.maps)} maps"
    if len(mt.maps) == 1:
        return "the model's attention"
    layer, head = mt.maps[align].split(".")
    return f"layer {layer}, head {head}"
