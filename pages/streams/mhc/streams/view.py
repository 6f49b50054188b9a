"""Draws the view Streams of the page mHC: streams through depth, the unrolled sum, and passes with a stream muted."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import streamlit as st

from pages.streams.mhc.state import MUTE, SUM, THROUGH, Streams
from pages.streams.mhc.view import Walk, offer, walked
from tlmviz.analysis.streams import vectors
from tlmviz.figures import placed
from tlmviz.figures.streams import graph
from tlmviz.figures.streams import mixing as figures
from tlmviz.figures.streams.graph import Panel
from tlmviz.ui import frame
from tlmviz.ui.language import _

from . import claims
from .data import Inside

CHARTS = {THROUGH: "sxdepth", SUM: "sxfans"}  # keys of the pictures whose slider chooses the token
EQUATIONS = {
    THROUGH: (
        r"x^{pre}_p = \sum_{n} H^{pre}_{p,n}\, x^{(n)}_p,\qquad "
        r"x^{(n)}_{p+1} = \sum_{m} H^{res}_{p,nm}\, x^{(m)}_p + H^{post}_{p,n}\, F_p(x^{pre}_p),\qquad "
        r"\text{share}_n = \frac{H^{pre}_{p,n}\, x^{(n)}_p \cdot x^{pre}_p}{\lVert x^{pre}_p \rVert^2}",
        "Transformer with PyTorch, section 5, Eq. 88–97. Sublayers p are attention 0, MLP 0, attention 1 and so on.",
    ),
    SUM: (
        r"X_P = \Big(\prod_{p=P-1}^{0} H^{res}_p\Big) X_0 + \sum_{p=0}^{P-1} \Big(\prod_{q=P-1}^{p+1} H^{res}_q\Big) "
        r"H^{post}_p F_p,\qquad c_p = \tfrac{1}{N}\,\mathbf{1}^{\top} \Big(\prod_{q=P-1}^{p+1} H^{res}_q\Big) "
        r"H^{post}_p",
        "Transformer with PyTorch, section 5, Eq. 98 (plain residual: all products are 1) and 99. P counts "
        "sublayers, products run from the last one back.",
        "The notes' sum has one factor H_res for each later layer, as here; it is printed from i = 1 and must start at "
        "i = l, where the first term does (here 0).",
    ),
    MUTE: (
        r"\tilde x^{(n)}_p = 0 \ \text{ for every } p \ge p_0,\qquad "
        r"\Delta = \frac{1}{T-1} \sum_{t} \log \frac{P(w_{t+1} \mid w_{\le t})}{\tilde P(w_{t+1} \mid w_{\le t})}",
        "Streams as in Transformer with PyTorch, Eq. 88–97. A tilde marks the pass in which stream n is set to zero at "
        "place p₀ and after every later sublayer; the head's mean still divides by N, which its normalisation takes "
        "out.",
    ),
}


def show(model: str, text: str) -> None:
    """The chosen part, below its controls."""
    left, middle, right = st.columns([0.36, 0.24, 0.4], vertical_alignment="center")
    body, below = st.container(), st.container()
    part = Streams.part.draw(left)
    data = _of(model, text)
    walk = None
    if part == MUTE:
        Streams.muted.draw(middle, data.names, data.strongest)
        Streams.start.draw(right, data.places)
        data = _of(model, text, muted=data.names[data.muted], start=data.places[data.start])
    else:
        if part == SUM:
            Streams.reader.draw(right, data.readers)
            data = _of(model, text, reader=data.readers[data.reader])
        with below:
            walk = walked(CHARTS[part], data, (part, data.chosen.reader), data.window)
        data = walk.data
        _token_menu(middle, data)
    with body:
        frame.claim(claims.CLAIMS, data)
        if walk:
            _played(walk)
        else:
            _muting(data)
        frame.next_step(claims.HINTS[part], data)
        if part == SUM:
            _readers(data)
        frame.claims(claims.CLAIMS, data, more=() if data.connection.streams == 1 else claims.NOTICE[part])
        frame.badges(data.checks)
        frame.equation(*EQUATIONS[part])
        frame.copy_as_python(SNIPPETS[part](data))


def _of(model: str, text: str, **fitted: str) -> Inside:
    """The data of what is chosen now; `fitted` are the menus' values that this model has."""
    return Inside(Streams.of_session(model=model, text=text, **fitted))


def _token_menu(place, data: Inside) -> None:
    st.session_state["_sxtok"] = data.token
    place.selectbox(
        _("Token"),
        range(len(data.tokens)),
        key="_sxtok",
        on_change=lambda: Streams.token.set(st.session_state["_sxtok"]),
        format_func=lambda at: placed(at, data.tokens[at]),
        label_visibility="collapsed",
    )


def _played(walk: Walk[Inside]) -> None:
    """Streams through depth or the ribbons of every model, token by token."""
    data, reached, theme = walk.data, slice(walk.window.start, walk.window.stop), frame.theme()
    place = {"at": walk.start - walk.window.start, "theme": theme, "offset": walk.window.start}
    tokens = data.tokens[reached]
    if data.chosen.part == THROUGH:
        journey = data.journey
        pairs = vectors.pairs(journey.norms.shape[2])
        figure = figures.through_depth(journey.at(reached), pairs, data.parts, tokens, **place)
        alt, width = _("Lengths and cosines of the streams through depth, what was read and written"), 940
    else:
        panels = [Panel(panel.title, panel.coefficients[:, reached]) for panel in data.panels]
        figure = graph.fans(panels, data.parts, tokens, to=data.chosen.reader, **place)
        alt, width = (
            _(
                "Every part’s way to {reader}, as wide as its coefficient, one panel per model",
                reader=data.chosen.reader,
            ),
            800,
        )
    with frame.wide("sxwide", width):
        frame.chart(figure, key=CHARTS[data.chosen.part], alt=alt)
    if said := claims.window(data, walk.window):
        st.caption(said)
    other = data.family.get("manifold")
    if data.connection.streams == 1 and data.chosen.part == THROUGH and other:
        offer(st, "sxother", other, width="content")


def _readers(data: Inside) -> None:
    """The coefficients of one token for all readers, the head last."""
    maps = [
        Panel(
            title, np.concatenate([unrolled.read[:, :, data.token].numpy(), unrolled.mean[None, :, data.token].numpy()])
        )
        for title, unrolled in data.sums.items()
    ]
    figure = graph.readers(maps, data.parts, frame.theme(), token=data.tokens[data.token])
    with frame.wide("sxwidemap", 800):
        alt = _("Coefficient of every part in what every sublayer and the head read, per model")
        frame.chart(figure, key="sxreaders", alt=alt)


def _muting(data: Inside) -> None:
    """The loss of every token without a stream, and the mean loss without any one from any place on."""
    before, after = data.losses
    what = _("stream {stream} muted", stream=data.muted)
    with frame.wide("sxwidelosses", 800):
        figure = figures.losses(data.tokens, before, after, frame.theme(), what=what)
        alt = _("Loss of every token with all streams and with stream {stream} muted", stream=data.muted)
        frame.chart(figure, key="sxlosses", alt=alt)
    if data.is_long and not Streams.everywhere.draw():  # only when the user asks for it
        return
    with st.spinner(_("{count} passes …", count=data.passes), show_time=True):
        change = data.every_loss - before.mean()
    figure = figures.muted_map(change, (data.muted, data.start), data.parts, frame.theme())
    with frame.wide("sxwidemuted", 800):
        alt = _("Change of the mean loss for every stream muted from every place on")
        frame.chart(figure, key="sxmutedmap", alt=alt)


def _depth_snippet(data: Inside) -> str:
    return f"""\
import tlmviz
from tlmviz.analysis.streams import vectors as stream_vectors
from tlmviz.analysis.streams.unrolled import part_names
from tlmviz.figures import LIGHT
from tlmviz.figures.streams import mixing as stream_mixing

lm = tlmviz.load({data.chosen.model!r})
trace = lm.trace({data.chosen.text!r})
journey = stream_vectors.journey(trace)
pairs = stream_vectors.pairs(journey.norms.shape[2])
print("lengths:", journey.norms[:, {data.token}])  # [places, streams]: behind the embedding and every sublayer
print("shares:", journey.share[:, {data.token}])  # [sublayers, streams]
parts = part_names(trace.n_layers)
stream_mixing.through_depth(journey, pairs, parts, trace.tokens, {data.token}, LIGHT).show()
"""


def _sum_snippet(data: Inside) -> str:
    streams, reader = data.most_streams, data.reader
    coefficients = (
        "mean"
        if reader == 0
        else f"final[..., min({reader - 1}, unrolled.final.shape[-1] - 1)]"
        if reader <= streams
        else f"read[{reader - streams - 1}]"
    )
    return f"""\
import tlmviz
from tlmviz.analysis.streams import unrolled as stream_unrolled
from tlmviz.analysis.streams.depth import relatives
from tlmviz.figures import LIGHT
from tlmviz.figures.streams.graph import Panel, fans

panels = []
for connection, name in relatives({data.chosen.model!r}).items():
    trace = tlmviz.load(name).trace({data.chosen.text!r})
    unrolled = stream_unrolled.unrolled_of(trace)
    coefficients = unrolled.{coefficients}  # [1 + sublayers, tokens], the embedding first
    print(connection, coefficients[:, {data.token}], "sum is off by", stream_unrolled.unrolled_error(trace))
    panels.append(Panel(name, coefficients.numpy()))
parts = stream_unrolled.part_names(trace.n_layers)
fans(panels, parts, trace.tokens, {data.token}, LIGHT, to={data.readers[reader]!r}).show()
"""


def _mute_snippet(data: Inside) -> str:
    stream = data.muted
    return f"""\
import tlmviz
from tlmviz.analysis.streams.vectors import mute_stream
from tlmviz.figures import LIGHT
from tlmviz.figures.streams import mixing as stream_mixing

lm = tlmviz.load({data.chosen.model!r})
text = {data.chosen.text!r}  # muted from {data.parts[data.start]} on
before = lm.trace(text)
after = lm.trace(text, edit=mute_stream(lm.config.n_layers, stream={stream}, start={data.start}))
change = (after.loss_per_token() - before.loss_per_token()).mean()
print("nats per token:", before.loss_per_token().mean(), "and muted:", after.loss_per_token().mean(), "change:", change)
losses = [trace.loss_per_token().numpy() for trace in (before, after)]
stream_mixing.losses(before.tokens, *losses, LIGHT, what="stream {stream} muted").show()
"""


SNIPPETS: dict[str, Callable[[Inside], str]] = {THROUGH: _depth_snippet, SUM: _sum_snippet, MUTE: _mute_snippet}
