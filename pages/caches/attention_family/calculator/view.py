"""Draws the part Calculator: one request of every shape, weights and caches against the length, and the shapes."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.errors import Error
from tlmviz.figures.caches import kv_costs
from tlmviz.ui import frame, markdown, menu
from tlmviz.ui.language import _, ngettext

from . import claims
from .claims import size
from .data import GB, Data
from .state import Deployment

EQUATION = (
    r"\text{bytes} = B \cdot L \cdot T \cdot 2\,G\,D \cdot \tfrac{\text{bits}}{8},\qquad "
    r"\text{MLA: } d_c + d^R_h \text{ in place of } 2\,G\,D,\qquad \text{window: } \min(T, W) \text{ in place of } T",
    "LLM notes, section 3.2. All numbers here are by formula, the same that is held to nbytes of this project's "
    "caches.",
    "The notes say that GPT-3.5 and LLaMA use MQA: PaLM does; LLaMA 2 70B uses GQA, LLaMA 2 7B plain MHA, "
    "and GPT-3.5's shape was never published.",
)


def controls() -> Deployment:
    """Draw the controls; what they say. A shape in the link that does not exist is named in a sentence."""
    menu.unread("text")
    places = st.columns([0.3, 0.2, 0.26, 0.24], vertical_alignment="bottom")
    names = [shape.name for shape in Data(Deployment.of_session()).every]
    if (asked := Deployment.shape.get()) not in names:
        st.warning(
            _(
                "There is no model shape “{name}”; there are {names}.",
                name=markdown.sentence(asked[:60]),
                names=", ".join(names),
            )
        )
    shape = Deployment.shape.draw(places[0], options=names)
    Deployment.batch.draw(places[1])
    Deployment.length.draw(places[2])
    more = frame.more(places[3])
    for field in (Deployment.cache_format, Deployment.weight_format, Deployment.memory, Deployment.page):
        field.draw(more)
    return Deployment.of_session(shape=shape)


def servable(data: Data) -> bool:
    """Whether there is such a deployment; else a sentence says why not, and all shapes are listed."""
    try:
        data.whole, data.fits  # noqa: B018 (they raise for what cannot be)
    except Error as error:
        st.warning(frame.worded(error))
        table(data)
        return False
    return True


def picture(data: Data) -> None:
    """The numbers, and what they are beside other shapes and lengths."""
    numbers(data)
    pictures(data)


def about(data: Data) -> None:
    """What is cached per token, and where the numbers come from."""
    st.caption(claims.about(data.shape))


def numbers(data: Data) -> None:
    """The numbers in large type."""
    chosen = data.chosen
    places = st.columns([1.25, 1.25, 0.85, 0.85, 0.8])
    places[0].metric(_("Bytes per token"), f"{data.per_token:,.0f} B")
    title = _("Cache of {batch} × {length} tokens", batch=f"{chosen.batch:,}", length=f"{chosen.length:,}")
    places[1].metric(title, size(data.whole))
    places[2].metric(_("Weights"), size(data.weights))
    places[3].metric(_("Requests in {memory} GB", memory=f"{chosen.memory:,}"), f"{data.fits:,}")
    places[4].metric(_("≈ FLOP per token"), size(data.flops, ""))


def pictures(data: Data) -> None:
    """One request of every shape, and the memory against the length."""
    chosen, shape, compared = data.chosen, data.shape, data.compared
    left, right = st.columns([0.55, 0.45])
    with left:
        values = np.array([data.cache(other, chosen.length, 1) for other in compared])
        beyond = np.array([chosen.length > other.context for other in compared])
        tokens = ngettext("{n:,} token", "{n:,} tokens", chosen.length)
        figure = kv_costs.per_request(
            [other.name for other in compared],
            [other.kind for other in compared],
            values,
            beyond,
            compared.index(shape),
            frame.theme(),
            title=_("One request of {tokens} (pale: beyond the context)", tokens=tokens),
        )
        frame.chart(figure, key="kvshapes", alt=_("Bytes of one request's cache for every published shape"))
    with right:
        title = ngettext(
            "{model}: weights and {n:,} request", "{model}: weights and {n:,} requests", chosen.batch, model=shape.name
        )
        figure = kv_costs.memory(
            *data.curve, data.weights, chosen.memory * GB, chosen.length, frame.theme(), title=title
        )
        frame.chart(figure, key="kvmemory", alt=_("Weights and caches against the length, beside the memory there is"))


def table(data: Data) -> None:
    """All shapes with their sources."""
    names = (
        _("Model"),
        _("Attention"),
        _("Source"),
        _("Layers"),
        _("d_model"),
        _("Query heads"),
        _("KV heads"),
        _("Head dim"),
        _("Latent + RoPE"),
        _("Vocabulary"),
        _("Context"),
    )
    rows = [
        dict(
            zip(
                names,
                (
                    shape.name,
                    shape.kind,
                    shape.source,
                    shape.n_layers,
                    shape.d_model,
                    shape.heads,
                    "" if shape.latent else str(shape.groups),
                    shape.head_dim,
                    f"{shape.latent} + {shape.rope}" if shape.latent else "",
                    shape.vocab,
                    shape.context,
                ),
            )
        )
        for shape in data.every
    ]
    frame.table(rows, dict.fromkeys((names[4], names[9], names[10]), ",d"))


def snippet(data: Data) -> str:
    """The calculator's numbers."""
    name, chosen = data.shape.name, data.chosen
    start = f"""\
from tlmviz.analysis.caches import cost, shapes

shape = shapes.find({name!r})
"""
    if data.shape in data.own:
        start = f"""\
import tlmviz
from tlmviz.analysis.caches import cost

lm = tlmviz.load({name!r})
shape = cost.Shape.of(lm.config, lm.n_parameters)
"""
    bits, weight_bits = data.bits
    return (
        start
        + f"""\
whole = cost.cache_bytes(shape, {chosen.length}, batch={chosen.batch}, bits={bits}, page={data.paged})
fits = cost.max_batch(
    shape, {chosen.length}, {chosen.memory * GB:g}, bits={bits}, weight_bits={weight_bits}, page={data.paged}
)
print(shape.source, whole, fits)
"""
    )
