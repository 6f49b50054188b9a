"""Draws what parts of the page Alignment share: sentence and menu, the choice of a translation, and a map with
coverage and steps."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tlmviz.figures import number
from tlmviz.figures.translation import alignment as figures
from tlmviz.figures.translation import alignment_steps
from tlmviz.ui import frame, translation
from tlmviz.ui.language import _

from .claims import map_name
from .data import Covered, Hypothesis
from .state import BEST, BY_HAND, COPIED, MEAN, OWN, TWINS, Alignment

WITHOUT = (BY_HAND, TWINS, COPIED)  # parts that need no sentence
TALL, LOW = 490, 450  # pixels: a map beside its steps, and one of two maps
PENALTY = (
    r"\mathrm{cp}(X, Y) = \beta \sum_{j=1}^{|X|} \log \min\Big(\max\Big(\sum_{i=1}^{|Y|} a_{ij},\ "
    r"\text{floor}\Big),\ 1\Big),\qquad \sum_j a_{ij} = 1",
    "Mathematics in Modern NLP, section 6.3.2, Eq. 37–40; Wu et al. 2016.",
    "Eq. 37 has no floor: a source word that nobody "
    "looks at would cost log 0, and no finite weight could save the translation. Here, as in practice, it costs β log "
    "floor.",
)
OVERLAP = (
    r"\mathbf{c}^t = \sum_{t'=0}^{t-1} \mathbf{a}^{t'} \ \text{(48)}\quad\text{or}\quad "
    r"\mathbf{c}^t = \frac{1}{t}\sum_{t'=0}^{t-1} \mathbf{a}^{t'} \ \text{(50)},\qquad "
    r"\mathrm{covloss}_t = \sum_i \min(a_i^t, c_i^t) \ \text{(49)}",
    "Mathematics in Modern NLP, section 7.1, Eq. 48–50; Tu et al. 2016, See et al. 2017. At the first step c is 0 in "
    "both forms.",
)
PINNED = (
    r"a_{tj} = \begin{cases}1 & j = j^* \\ 0 & \text{otherwise}\end{cases}\quad\Rightarrow\quad "
    r"\mathbf{c}_t = \sum_j a_{tj}\,\mathbf{z}_j = \mathbf{z}_{j^*}",
    "Mathematics in Modern NLP, section 7, Eq. 42–44. At a pinned step every map, in a Transformer those of all layers "
    "and heads, gives its whole weight to one source token; what was written before stays, and the beam decodes on.",
)


def controls(model: str) -> Alignment | None:
    """The sentence and the menu of parts; what they say. None, with a sentence, where there is no sentence for a part
    that needs one."""
    text = translation.sentence_box(translation.model(model))
    view = Alignment.view.draw()
    chosen = replace(Alignment.of_session(model=model, text=text or ""), view=view)
    return chosen if text is not None or view in WITHOUT else None


def ruled(model: str, text: str) -> tuple[Hypothesis, DeltaGenerator]:
    """Draw the menus of a translation, its map, its beam and penalties; what they say, and where more controls go."""
    ranks, maps, last = st.columns([0.62, 0.26, 0.12], vertical_alignment="bottom")
    more = frame.more(last)
    for field in (Alignment.width, Alignment.beta, Alignment.floor):
        field.draw(more)
    return _hypothesis(model, text, ranks, maps), more


def plain(model: str, text: str) -> Hypothesis:
    """Draw the menus of a translation and its map; what they say, with the usual beam and penalties, scored as the
    model does."""
    usual = {name: Alignment.controls[name].default for name in ("width", "beta", "floor")}
    places = st.columns([0.7, 0.3], vertical_alignment="bottom")
    return _hypothesis(model, text, *places, by_map=False, **usual)


def _hypothesis(
    model: str, text: str, ranks: DeltaGenerator, maps: DeltaGenerator, by_map: bool = True, **given
) -> Hypothesis:
    """What the menus at these places say. Raises BadSearch."""
    chosen = Alignment.of_session(model=model, text=text, map=_map_menu(model, maps), rank=1, **given)
    base = Hypothesis(chosen, by_map)
    with st.spinner(_("Translating …"), show_time=True):
        found = base.hypotheses

    def label(rank: int) -> str:
        written = base.mt.text(found[rank - 1].tokens) or _("(nothing)")
        return f"{rank}. {written} ({number(found[rank - 1].score, '.3f')})"

    rank = Alignment.rank.draw(ranks, options=range(1, len(found) + 1), format_func=label)
    Alignment.rank.put(rank)
    return Hypothesis(replace(chosen, rank=rank), by_map)


def _map_menu(model: str, place) -> str:
    """The menu of a model's maps."""
    names = Hypothesis(Alignment(model=model, text="")).mt.maps
    options = [BEST, OWN, MEAN, *names] if len(names) > 1 else [BEST]

    def label(option: str) -> str:
        if option == MEAN:
            return _("Mean of all maps")
        said = map_name(Hypothesis(Alignment(model=model, text="", map=option)))
        said = said[0].upper() + said[1:]
        if len(names) == 1 or option not in (BEST, OWN):
            return said
        return _("{map} (aligns best)", map=said) if option == BEST else _("{map} (the model's own)", map=said)

    return Alignment.map.draw(place, options=options, format_func=label)


def pictures(data: Covered, title: str, places) -> None:
    """The map over coverage and penalty, and its steps, at two places of the page."""
    left, right = places
    with left:
        figure = coverage_map(data, title=title, height=TALL)
        frame.chart(
            figure, key="alignmap", alt=_("Attention of target tokens on source tokens, coverage and penalty below")
        )
    with right:
        figure = alignment_steps.coverage_steps(
            data.weights, data.overlaps, data.source, data.target, data.first_step, frame.theme(), TALL
        )
        frame.chart(
            figure, key="alignsteps", alt=_("Coverage before each step, the step's attention, and their overlap")
        )


def coverage_map(data: Covered, **options):
    """The figure of a map with each source token's part of cp below, in nats."""
    return figures.coverage_map(
        data.weights, data.source, data.target, data.costs, data.least, frame.theme(), **options
    )
