"""Draws the part Maps: loss along the text, all heads, one head, an exact tile, and where each head's mass lies."""

from __future__ import annotations

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from tlmviz.analysis.kernels.long_context import band_names
from tlmviz.figures.kernels import long_context as figures
from tlmviz.ui import frame, link
from tlmviz.ui.language import _

from ..data import HEAD_SIZE, Passage, Text
from ..view import snippet_start
from . import claims
from .data import LARGEST, SMALLEST, Data
from .state import STATISTICS, Tile

OVERVIEW, HEAD_MAP = "allheads", "headmap"  # keys of the charts that are clicked and dragged in
EQUATION = (
    r"p_{ts} = \exp\!\Big(\tfrac{q_t \cdot k_s}{\sqrt{d_k}} - \mathrm{lse}_t\Big)"
    r"\quad\text{for any tile, from } O(T) \text{ numbers}",
    "Transformer with PyTorch, sections 1.2 and 4. The map is never stored: of each layer only q, k, v and each "
    "row's log-sum-exp are kept, and the loss is computed in strips of the text.",
)


def pictures(found: Text, passage: Passage, place: DeltaGenerator, below: DeltaGenerator) -> Data:
    """All heads, the chosen one, and the tile with its three boxes; `below` them a toggle. What they show."""
    left, middle, right = place.columns([0.34, 0.34, 0.32], gap="small")
    shown = Data(found, Tile.of_session(), passage)
    if shown.long:
        Tile.every.draw(below)
        shown = Data(found, Tile.of_session(), passage)
    with right:
        tile_place, boxes = st.container(), st.columns(3)
    for box, field, value in zip(boxes, (Tile.row, Tile.col, Tile.side), shown.tile):
        field.draw(box, value)
    with left:
        _overview(shown)
    with middle:
        _head_map(shown)
    with tile_place:
        _tile(shown)
        if shown.moved:
            st.warning(claims.moved(shown))
    return shown


def _overview(data: Data) -> None:
    """All heads' maps. Layers are read one after the other, so that others get their turn and a bar can move."""
    layers, place = data.found.lm.config.n_layers, st.empty()
    for layer in range(layers):
        said = _("Reading the maps of all heads: layer {layer} of {layers} …", layer=layer + 1, layers=layers)
        with place, st.spinner(said, show_time=True):
            data.survey(layer)
    place.empty()
    maps = np.stack([survey.pictures for survey in data.surveys])
    alt = _("Pooled attention maps of all heads; click one")
    figure = figures.overview(maps, data.found.head, frame.theme())
    frame.chart(figure, key=OVERVIEW, alt=alt, select="points", on_select=_head_clicked)


def _head_clicked() -> None:
    if head := frame.clicked(OVERVIEW, 2):
        link.choose_head(*head)


def _head_map(data: Data) -> None:
    """The chosen head's pooled map with the tile marked in it."""
    layer, head = data.found.head
    with st.spinner(_("Pooling the chosen head …"), show_time=True):
        picture = data.picture
    title = _("L{layer}H{head}", layer=layer, head=head)
    figure = figures.head_map(
        picture, data.length, data.passage.context, data.tile, title, frame.theme(), losses=data.losses
    )
    alt = _("Pooled map of L{layer}H{head}; drag a box to open it", layer=layer, head=head)
    frame.chart(figure, key=HEAD_MAP, alt=alt, select="box", on_select=_box_dragged)


def _box_dragged() -> None:
    if box := frame.dragged(HEAD_MAP):
        for field, value in zip((Tile.row, Tile.col, Tile.side), tile_from_box(*box)):
            field.set(value)


def tile_from_box(x: list[float], y: list[float]) -> tuple[int, int, int]:
    """The tile (first query, first key, side) at a dragged box of keys `x` and queries `y`: its middle, SMALLEST to
    LARGEST."""
    side = min(max(round(max(abs(x[1] - x[0]), abs(y[1] - y[0]))), SMALLEST), LARGEST)
    row, col = (max(0, round((ends[0] + ends[1]) / 2 - side / 2)) for ends in (y, x))
    return row, col, side


def _tile(data: Data) -> None:
    """The exact weights of the tile."""
    (rows, cols), (row, col, _side), tokens = data.slices, data.tile, data.trace.tokens
    figure = figures.exact_tile(data.weights.numpy(), (row, col), (tokens[rows], tokens[cols]), frame.theme())
    alt = _("Exact weights of queries {row} and on, keys {col} and on", row=row, col=col)
    frame.chart(figure, key="tile", alt=alt)


def loss_along(data: Data) -> None:
    """Loss along the text, and in a sentence how it differs beyond the training length."""
    figure = figures.loss_curve(data.loss, data.passage.context, frame.theme())
    frame.chart(figure, key="loss", alt=_("Loss per token along the text"))
    st.caption(claims.losses(data))


def statistics(data: Data) -> None:
    """Where each head's mass lies: one number per head, and by distance."""
    theme, surveys, (layer, head) = frame.theme(), data.surveys, data.found.head
    left, right = st.columns([0.4, 0.6])
    with left:
        name, title, form, top = STATISTICS[Tile.statistic.draw()]
        Tile.of_session()
        values = np.stack([getattr(survey, name) for survey in surveys])
        figure = figures.per_head(values, _(title), theme, form=form, top=top)
        frame.chart(figure, key="stat", alt=_("{title} of every head", title=_(title)))
    with right:
        mass = np.concatenate([survey.bands for survey in surveys])
        heads = len(surveys[0].first)
        labels = [f"L{layer}H{head}" for layer in range(len(surveys)) for head in range(heads)]
        figure = figures.bands(mass, band_names(mass.shape[1]), labels, layer * heads + head, theme, height=340)
        frame.chart(figure, key="bands", alt=_("Attention mass of every head by distance in tokens"))


def snippet(data: Data) -> str:
    """The loss, the head's map and the tile with the public API."""
    start, (layer, head) = snippet_start(data.found, "long_trace, loss_along"), data.found.head
    rows, cols = (f"slice({part.start}, {part.stop})" for part in data.slices)
    context, (row, col, side) = "lm.config.context", data.tile
    return f"""\
from tlmviz.figures import LIGHT
from tlmviz.figures.kernels import long_context as figures
{start}loss = loss_along(lm, trace).numpy()  # nats, in strips
figures.loss_curve(loss, {context}, LIGHT).show()
picture = trace.pooled({layer}, {head}, size={min(HEAD_SIZE, data.length)}).numpy()
tile, rows, cols = ({row}, {col}, {side}), {rows}, {cols}
figures.head_map(picture, len(trace), {context}, tile, "L{layer}H{head}", LIGHT).show()
tile = trace.attention({layer}, {head}, rows=rows, cols=cols)
names = trace.tokens[rows], trace.tokens[cols]
figures.exact_tile(tile.numpy(), ({row}, {col}), names, LIGHT).show()
"""
