"""Draws the page Logits: scores and their variance, the spread of output logits, and the directions of the embedding."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.figures import number, readable_all
from tlmviz.figures.numbers import logits as figures
from tlmviz.ui import frame

from . import compute, words
from .compute import DIVISORS
from .controls import Choice


def scores(choice: Choice) -> None:
    """The variance of one head's scores against the dimensions, and what softmax makes of them."""
    found = compute.heads(choice.model, choice.text)
    every = [head for layer in found.trained for head in layer]
    chosen, before = found.trained[choice.layer][choice.head], found.before[choice.layer][choice.head]
    size = len(chosen.covariance)
    alike = [head for head in every if len(head.covariance) == size]
    raw = [head for layer in found.before for head in layer if len(head.covariance) == size]
    left, right = st.columns([0.58, 0.42])
    with left:
        figure = figures.variance_growth(
            np.stack([head.by_dimensions() / head.of_one for head in alike]),
            chosen.by_dimensions() / chosen.of_one,
            np.mean([head.by_dimensions() / head.of_one for head in raw], 0),
            frame.theme(),
            name=f"head {choice.layer}.{choice.head}, trained",
            title=words.growth_title(choice, chosen),
        )
        frame.chart(figure, key="growth", alt=words.GROWTH_ALT)
    with right:
        seen, soft = compute.scores(choice.model, choice.text, choice.layer, choice.head)
        figure = figures.score_histogram(
            seen, size**0.5, frame.theme(), title=f"Scores of head {choice.layer}.{choice.head}"
        )
        frame.chart(figure, key="scores", alt=words.SCORES_ALT)
        frame.table(words.softness_rows(soft), words.SOFTNESS, words.SOFTNESS_HELPS)
    frame.caption(words.growth_caption(choice, chosen, before, [head.pull for head in every]))


def head(choice: Choice) -> None:
    """The spread of the output logits along the text, and the loss with them divided."""
    found, trace = compute.output(choice.model, choice.text), choice.trace
    left, right = st.columns([0.58, 0.42])
    with left:
        figure = figures.spreads(
            readable_all(trace.tokens),
            (found.trained.measured, found.trained.predicted),
            (found.before.measured, found.before.predicted),
            frame.theme(),
            title=words.SPREADS_TITLE,
        )
        frame.chart(figure, key="spreads", alt=words.SPREADS_ALT)
    with right:
        root = found.trained.width**0.5
        best = float(DIVISORS[found.losses.argmin()])
        marks = {"as trained": 1.0, f"√E = {number(root, '.3g')}": root}
        figure = figures.losses(
            DIVISORS,
            found.losses,
            marks,
            frame.theme(),
            title=words.divided_title(best),
        )
        frame.chart(figure, key="divided", alt=words.DIVIDED_ALT)
    frame.table(words.spread_rows(found), words.SPREADS)


def directions(choice: Choice) -> None:
    """The token embedding along its main axes, cosines, and shares of variance."""
    found, theme = compute.embedding(choice.model), frame.theme()
    left, right = st.columns(2)
    for place, part, name in ((left, found.as_is, "as it is"), (right, found.centred, "less its mean")):
        with place:
            title = f"Embedding {name}: mean cosine {number(part.mean_cosine, '.3f')}"
            figure = figures.directions(part.points, found.names, found.numbers, theme, title=title)
            frame.chart(figure, key=f"cloud-{name.split()[0]}", alt=words.directions_alt(name))
    parts = {"as it is": found.as_is, "less its mean": found.centred, "before training": found.before}
    left, right = st.columns(2)
    with left:
        figure = figures.cosines(
            {name: part.cosines for name, part in parts.items()}, theme, title=words.COSINES_PAIRS_TITLE
        )
        frame.chart(figure, key="cosines", alt=words.COSINES_ALT)
    with right:
        figure = figures.sorted_shares(
            {name: part.shares for name, part in parts.items()},
            theme,
            title=words.VARIANCE_HELD_TITLE,
            y="share (%)",
        )
        frame.chart(figure, key="shares", alt=words.SHARES_ALT)
    frame.table(words.isotropy_rows(found), words.ISOTROPIES)
