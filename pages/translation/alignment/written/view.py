"""Draws the part Translation: how well each map aligns, and the snippet."""

from __future__ import annotations

import streamlit as st

from tlmviz.figures.translation import alignment
from tlmviz.ui import frame
from tlmviz.ui.language import _

from .. import view as shared
from ..state import Alignment
from . import claims
from .data import Data


def controls(model: str, text: str) -> Alignment:
    """Draw the menus of a translation; what they say."""
    return shared.ruled(model, text)[0].chosen


def picture(data: Data) -> None:
    """The map over coverage and penalty, and its steps."""
    shared.pictures(data.shown, claims.title(data), st.columns(2))


def score(data: Data) -> None:
    """How the score adds up, and why this map is read."""
    st.caption(claims.score_sum(data))
    _map_errors(data)
    st.caption(claims.about_errors(data))


def overlap(data: Data) -> None:
    """The other equation."""
    frame.equation(*shared.OVERLAP)


def _map_errors(base: Data) -> None:
    """The alignment error of every map, where there are several."""
    if base.errors is None or len(base.errors[0]) == 1:
        return
    labels, rates, _sentences = base.errors
    shown = "mean" if base.align is None else base.mt.maps[base.align]
    figure = alignment.head_errors(labels, rates, shown, frame.theme())
    frame.chart(figure, key="headerrors", alt=_("Alignment error rate of every map"))


def snippet(base: Data) -> str:
    """The chosen hypothesis, its coverage, and covloss in both forms."""
    chosen = base.chosen
    return f"""\
from math import log

import tlmviz
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties, coverage_loss, token_coverage
from tlmviz.figures import LIGHT
import streamlit as st

from tlmviz.figures.translation import alignment

mt = tlmviz.load({chosen.model!r})
search = mt.search({chosen.text!r}, BeamOptions(width={chosen.width}))
penalties = Penalties(beta={chosen.beta!r}, floor={chosen.floor!r})
hypothesis = search.hypotheses(penalties, align={base.align!r})[{chosen.rank - 1}]
a = hypothesis.map({base.align!r})  # [target tokens, source tokens]; None is the mean of all maps
print(mt.text(hypothesis.tokens), hypothesis.parts)
costs = penalties.beta * token_coverage(a.sum(0), penalties.floor)  # nats, of each source token
print(a.sum(0), costs)
print(coverage_loss(a), coverage_loss(a, average=True))
source, target = ([mt.tokenizer.name(i) for i in ids] for ids in (mt.encode({chosen.text!r}), hypothesis.tokens))
least = penalties.beta * log(penalties.floor)
alignment.coverage_map(a, source, target, costs, least, LIGHT, title="Attention (probability)").show()
"""
