"""Draws the part Lightning indexer: what it scores and chooses, what sparse attention loses, and its rotation."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.figures.kernels import indexer as figures
from tlmviz.ui import frame
from tlmviz.ui.language import _

from ..data import Text
from . import claims
from .data import INDEXER, Data, Point
from .state import FORMATS, Indexing

EQUATION = (
    r"\begin{gathered} I_{ts} = \sum_{j=1}^{H_I} w_{tj}\,\mathrm{ReLU}\big(q^I_{tj} \cdot k^I_s\big) \\ "
    r"(Uq)\cdot(Uk) = q\cdot k \\ \min\ \mathrm{KL}\Big(\tfrac{1}{H}\textstyle\sum_h p^{(h)}_t \,\Big\|\, "
    r"\mathrm{softmax}(I_t)\Big) \end{gathered}",
    "Lightning indexer: Transformer with PyTorch, section 3.5, Eq. 70 and 71; distilled as in DeepSeek-V3.2.",
    "The notes leave out what the model needs besides: a normalised key, RoPE on part of q and k, and the training.",
)


def controls(found: Text) -> Data:
    """k and the layer, on as much of the text as the indexer was distilled on; what they say. Raises what its
    loading does."""
    text, tokens = found.lm.fit(found.text)
    limit = found.lm.config.context
    if tokens > limit:
        said = _(
            "The indexer was distilled on {limit} tokens at most: the first {limit} of {tokens} are read.",
            limit=f"{limit:,}",
            tokens=f"{tokens:,}",
        )
        st.caption(said)
    Data(found, Indexing.of_session(), text).indexers  # noqa: B018  (refused before any control is drawn)
    left, right = st.columns(2)
    Indexing.k.draw(left)
    shown = Data(found, Indexing.of_session(), text)
    Indexing.layer.draw(right, options=range(found.lm.config.n_layers), unchosen=shown.layer)
    return Data(found, Indexing.of_session(), text)


def maps(data: Data) -> None:
    """What the indexer scores, what the attention weighs, and what is chosen, queries by keys; and one query's
    choice."""
    values, theme = data.maps, frame.theme()
    limit = float(np.nanquantile(np.concatenate((values.index, values.mass)), 0.95))
    attention = _("Attention, mean of {heads} heads (probability)", heads=data.found.lm.config.n_heads)
    pictures = (
        (values.index, _("Index scores, softmax (probability)"), limit, _("probability")),
        (values.mass, attention, limit, _("probability")),
        (values.chosen, _("Chosen: {k} keys per query", k=data.k), 1.0, _("chosen")),
    )
    for number, (column, (picture, title, end, what)) in enumerate(zip(st.columns(3), pictures)):
        figure = figures.weight_map(picture, values.cell, title, theme, limit=end, position=data.query, what=what)
        with column:
            alt = _("{title}, queries by keys, layer {layer}", title=title, layer=data.layer)
            frame.chart(figure, key=f"indexer-map-{number}", alt=alt)
    figure = figures.chosen_row(data.trace.tokens[: data.query + 1], *data.row, theme)
    frame.chart(figure, key="indexer-row", alt=_("One query's attention with the chosen keys marked"))


def recall_and_losses(data: Data) -> None:
    """The attention mass that k keys cover, by who chooses them, and what that does to the loss."""
    left, right = st.columns(2)
    with left:
        means = {how: curve.mean(0) for how, curve in data.recall.items()}
        own = data.recall["indexer"][data.layer]
        figure = figures.recall_curves(means, own, data.layer, data.k, frame.theme())
        alt = _("Covered attention mass against the number of keys per query")
        frame.chart(figure, key="indexer-recall", alt=alt)
    with right:
        figure = figures.losses(data.losses, data.k, frame.theme())
        frame.chart(figure, key="indexer-loss", alt=_("Loss of dense and of sparse attention"))
    frame.caption(_(claims.RECALL), maths=_(claims.RECALL_MATHS))


def rotation(data: Data) -> None:
    """U on the indexer's q and k: their values before and after, and the error of scores in few bits."""
    st.markdown(_("**Rotation before rounding** · layer {layer}", layer=data.layer))
    for field, place in zip((Indexing.rotation, Indexing.format, Indexing.outlier), st.columns(3)):
        field.draw(place)
    data = Data(data.found, Indexing.of_session(), data.text)
    measured = data.precision
    before, after = measured["before"], measured["after"]
    for column, part in zip(st.columns(2), ("q", "k")):
        values = (getattr(side, part).numpy() for side in (before, after))
        with column:
            figure = figures.value_histograms(*values, _("the indexer's {part}", part=part), frame.theme())
            alt = _("Histogram of {part} before and after the rotation", part=part)
            frame.chart(figure, key=f"indexer-values-{part}", alt=alt)
    lines = [
        _("| {label} | score error | choices kept | peak of q | of k |", label=FORMATS[data.chosen.format]),
        "| --- | --- | --- | --- | --- |",
    ]
    for name, side in ((_("as trained"), before), (_("after U"), after)):
        numbers = f"{side.error:.3%} | {side.agreement:.2%} | {side.peak_q:.2f} | {side.peak_k:.2f}"
        lines.append(f"| {name} | {numbers} |")
    st.markdown("\n".join(lines))
    frame.caption(_(claims.PRECISION), maths=claims.precision_maths(data.indexers.config.head_dim))


def snippet(point: Point, indexer: str = INDEXER) -> str:
    """The part's numbers with the public API."""
    return f"""\
import tlmviz
from tlmviz.analysis.kernels import indexer
from tlmviz.figures import LIGHT
from tlmviz.figures.kernels import indexer as figures

lm, scorer = tlmviz.load({point.model!r}), indexer.load_indexer({indexer!r})
trace = indexer.trace_for_indexer(lm, lm.encode({point.text!r}))
print(indexer.index_scores(trace, scorer, layer={point.layer}))        # [T, T], later keys -inf
curves = {{how: curve.numpy() for how, curve in indexer.recall(trace, scorer).items()}}  # [L, T] each, by k
print(curves["indexer"][{point.layer}, {point.k} - 1])  # attention mass on {point.k} keys per query
losses = indexer.sparse_losses(lm, trace.ids, {point.k}, scorer)  # nats per token
print(losses)
means = {{how: curve.mean(0) for how, curve in curves.items()}}
figures.recall_curves(means, curves["indexer"][{point.layer}], {point.layer}, {point.k}, LIGHT).show()
figures.losses(losses, {point.k}, LIGHT).show()
"""
