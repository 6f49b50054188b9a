"""Draws the part With and without coverage: both maps, covloss along the way, and a table of repetitions."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from tlmviz.decoding.penalties import coverage_loss
from tlmviz.figures.translation import alignment
from tlmviz.ui import address, frame, markdown, translation
from tlmviz.ui.language import _

from ..view import LOW, coverage_map
from . import claims
from .data import GRAM, Data
from .state import REPEATERS, STRIKING, Twins

EQUATION = (
    r"\text{score}_{ij} = \mathbf{v} \cdot \tanh(\mathbf{W}_1 \mathbf{h}_i + \mathbf{W}_2 \mathbf{z}_j + \mathbf{w}\, "
    r"c_j^i),\qquad \text{loss} = -\log P + \lambda \sum_t \mathrm{covloss}_t",
    "Mathematics in Modern NLP, section 7.1, Eq. 47–49; See et al. 2017: the score depends on how much attention a "
    "token has got already, and training charges for looking there again.",
)


def controls(text: str) -> Twins | None:
    """Draw the controls; what they say. A sentence of the user's own is shown; else the one that shows the most. None,
    with a sentence, where there is nothing to compare."""
    covering, without = Data(Twins(text=text)).available
    if not (covering and without):
        st.info(claims.missing("without" if covering else "with"))
        return None
    own = text if text and text != translation.DEFAULT_SENTENCE else STRIKING
    others = [text] if text == translation.DEFAULT_SENTENCE else []
    first, second, sentence, beam = st.columns([0.22, 0.22, 0.42, 0.14], vertical_alignment="bottom")
    chosen = Twins.without.draw(first, options=without), Twins.covering.draw(second, options=covering)
    sentences = [own, *others, *(each for each in REPEATERS if each != own)]
    shown, width = Twins.sentence.draw(sentence, options=sentences), Twins.width.draw(beam)
    return replace(Twins.of_session(text=text), without=chosen[0], covering=chosen[1], sentence=shown, width=width)


def named(data: Data) -> None:
    """What is saved names these models and this sentence, whatever the page's are."""
    address.pictures_read(english=data.chosen.sentence, mt=" · ".join(data.chosen.models))


def maps(data: Data) -> None:
    """One sentence through two models: what they wrote, their maps, and covloss along the way."""
    losses, tokens = {}, {}
    for place, name, count in zip(st.columns(2), data.chosen.models, data.repeats):
        covered = data.covered(name)
        losses[name], tokens[name] = coverage_loss(covered.weights), covered.target
        with place:
            text = markdown.plain(data.text(name)) or _("(nothing)")
            st.markdown(f"**{name}**: {text} :small[:gray[· {claims.repeats(count)}]]")
            figure = coverage_map(covered, title=name, height=LOW)
            frame.chart(figure, key=f"map-{name}", alt=_("Attention of {model}, with its coverage", model=name))
    figure = alignment.overlap_lines(losses, tokens, frame.theme())
    frame.chart(figure, key="overlaplines", alt=_("covloss of both models at every step"))


def repetitions(data: Data) -> None:
    """Sentences that invite repetition, through both models: what is repeated, and the mean covloss."""
    with st.spinner(_("Both models translate sentences that invite repetition …"), show_time=True):
        table = data.table
    st.caption(claims.repeated(data))
    texts = ["sentence", "without", "with"]
    counts = [name for name in table[0] if name not in texts]
    wide, narrow = st.column_config.TextColumn(width=152), st.column_config.Column(width=118)
    frame.table(
        [{name: line[name] for name in texts + counts} for line in table],
        {name: ".3f" if "cov" in name else "d" for name in counts},
        columns=dict.fromkeys(texts, wide) | dict.fromkeys(counts, narrow),
    )


def snippet(data: Data) -> str:
    """Two models on one sentence, without penalties."""
    chosen = data.chosen
    return f"""\
from math import log

import tlmviz
from tlmviz.analysis.translation.coverage import repeats
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.penalties import Penalties, coverage_loss, token_coverage
from tlmviz.figures import LIGHT
from tlmviz.figures.translation import alignment

best = {{}}
for name in {chosen.models!r}:
    mt = tlmviz.load(name)
    options = BeamOptions(width={chosen.width}, penalties=Penalties(alpha=0, beta=0))
    best[name] = mt.search({chosen.sentence!r}, options).hypotheses()[0]
    print(name, mt.text(best[name].tokens), repeats(best[name].tokens, {GRAM}))
    print(coverage_loss(best[name].map(mt.align)))
    token_names = [[mt.tokenizer.name(i) for i in ids] for ids in (mt.encode({chosen.sentence!r}), best[name].tokens)]
    costs = Penalties().beta * token_coverage(best[name].map(mt.align).sum(0), Penalties().floor)
    least = Penalties().beta * log(Penalties().floor)
    alignment.coverage_map(best[name].map(mt.align), *token_names, costs, least, LIGHT, title=name).show()
"""
