"""Draws what the page Beam search shows around a tree: controls, the ranking of its texts, curves, and the data."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.analysis.translation.beam_tree import Path
from tlmviz.figures.translation import beam_curves
from tlmviz.ui import compute as shared
from tlmviz.ui import engine, frame, inputs, live, reading, translation
from tlmviz.ui.language import _

from .claims import geometric_means
from .data import Data
from .state import RACE, STORY, Beam

PICTURE = live.Picture(__file__, "beamranking", alpha=Beam.alpha, beta=Beam.beta, gamma=Beam.gamma)
ON_CURVES = 40  # texts on the curves
EQUATION = (
    r"\begin{aligned} s(Y, X) &= \frac{\log P(Y|X)}{\mathrm{lp}(Y)} + \beta \sum_{j} \log \min\Big(\max\big("
    r"\textstyle\sum_i a_{ij}, \text{floor}\big), 1\Big) + \gamma \frac{|Y|}{|X|} \\"
    r"\mathrm{lp}(Y) &= \Big(\frac{5 + |Y|}{6}\Big)^{\alpha}\ \text{or}\ |Y|^{\alpha},\qquad "
    r"\Big(\prod_{t=1}^{T} p_t\Big)^{1/T} = \exp \frac{1}{T} \sum_t \log p_t \end{aligned}",
    "Mathematics in Modern NLP, Eq. 32-37, 41 and 33 (α = 1 with |Y|^α: the log of the geometric mean probability per "
    "token).",
    "The notes say that lp keeps outputs short, but log P is negative, so a larger lp raises the score and "
    "α > 0 favours longer outputs; and Eq. 37 has no floor, so one source token without attention would cost "
    "infinitely much.",
)


def controls(model: str) -> Beam | None:
    """Draw the controls; what they say. None without a text that can be read, which a sentence says."""
    left, right = st.columns([0.62, 0.38], vertical_alignment="center")
    view = Beam.view.draw(right)
    is_story = view == STORY
    with frame.after_picture():
        places = st.columns([0.2, 0.26, 0.42, 0.12] if is_story else [0.3, 0.55, 0.15], vertical_alignment="bottom")
        Beam.width.draw(places[0])
        Beam.forced.draw(
            places[1], placeholder=_("{beginning} … or #12 #345", beginning="She went" if is_story else "Le chat")
        )
        strategies = Beam.strategies.draw(places[2]) if is_story else ()
        more = frame.more(places[-1])
        if is_story:
            models = shared.models()
            default = shared.DEFAULT_MODEL if shared.DEFAULT_MODEL in models else next(iter(models))
            model = inputs.model_menu(more, models, "model", default)
            Beam.seed.draw(more)
        Beam.banned.draw(more, placeholder="ball, dog, #12" if is_story else "chat, chaise, #12")
        for field in (
            Beam.least,
            Beam.story_most if is_story else Beam.most,
            Beam.ngram,
            Beam.groups,
            Beam.diversity,
            Beam.stop,
            Beam.length,
            Beam.floor,
            Beam.whole,
        ):
            field.draw(more)
    with left:
        if is_story:
            text = inputs.text_box(shared.model(model))
        else:
            follows = view == RACE and Beam.of_session(model=model, text="").has_usual_rules
            pause = engine.pause(model) if follows else {}
            text = translation.sentence_box(translation.model(model), **pause)
    chosen = Beam.of_session(model=model, text=text or "", strategies=strategies or Beam.strategies.get())
    return chosen if text is not None else None


def ranking(data: Data) -> None:
    """Bars that are ranked anew in the browser."""
    header = {
        "title": _("{model}, beam of {width}: final ranking in nats", model=data.chosen.model, width=data.chosen.width),
        "rows": data.rows,
        "kind": data.chosen.length,
        "source": data.chosen.has_source,
    }
    PICTURE.show(header, {})


def texts(data: Data) -> None:
    """The winner and each sampled text, with their numbers."""
    best = data.best
    names = _("text by"), _("log P"), _("log P per token"), _("tokens"), _("continuation")
    rows = [
        dict(
            zip(
                names,
                (
                    path.name,
                    path.total,
                    path.total / len(path.tokens),
                    len(path.tokens),
                    data.tokenizer.decode(path.tokens),
                ),
            )
        )
        for path in (Path(_("Beam search"), best.tokens, best.logps), *data.paths)
    ]
    wide = {names[-1]: st.column_config.TextColumn(width="large")}
    frame.table(rows, dict.fromkeys(names[1:3], ".3f"), columns=wide)


def curves(data: Data) -> None:
    """Who wins at which alpha; at the level Maths also both length penalties with the texts on them."""
    ranked = data.ranked[:ON_CURVES]
    texts = [data.tokenizer.decode(candidate.tokens).strip() for candidate in ranked]
    numbers = [(len(one.tokens), one.parts.logp, one.parts.coverage + one.parts.end) for one in ranked]
    counts, logps, rest = np.array(numbers, np.float32).T
    alpha, length, theme = data.chosen.alpha, data.chosen.length, frame.theme()
    places = st.columns(2) if reading.maths() else [st.container()]
    with places[-1]:
        figure = beam_curves.crossings(counts, logps, rest, texts, alpha, length, theme)
        frame.chart(figure, key="crossings", alt=_("The score of each text against alpha"))
    if reading.maths():
        with places[0]:
            figure = beam_curves.length_penalties(counts, logps, texts, alpha, length, theme)
            frame.chart(
                figure,
                key="lengthpenalties",
                alt=_("Two length penalties against the length, with the texts found on them"),
            )
        st.caption(geometric_means(data))


def table(data: Data) -> None:
    """All nodes as a table to look at and to take away."""
    chosen = data.chosen
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            _("All nodes (CSV)"),
            partial(_csv, data),
            f"tlmviz-{chosen.model}-beam{chosen.width}.csv",
            "text/csv",
            key="nodes",
            on_click="ignore",
        )
        opened = Beam.table.draw()
    if opened:
        nodes = data.nodes
        fractions = dict.fromkeys(nodes.select_dtypes("floating").columns, ".4f")
        frame.table(nodes.reset_index(), fractions, height=320)


def _csv(data: Data) -> bytes:
    nodes: pd.DataFrame = data.nodes
    return nodes.to_csv().encode()
