"""Draws the view Flow of the page mHC: streams through all sublayers, and the model run with other iterations."""

from __future__ import annotations

import streamlit as st

from pages.streams.mhc.state import Streams
from pages.streams.mhc.view import WARM
from tlmviz.figures.streams import iterations as figures
from tlmviz.figures.streams.depth import NAMES
from tlmviz.ui import frame, live, long_text
from tlmviz.ui.language import _

from . import claims
from .data import COUNTS, NEW_TOKENS, Data

PICTURE = live.Picture(
    __file__, "sf", token=Streams.token, sublayer=Streams.sublayer, shown=Streams.shown, widths=Streams.widths
)
EQUATION = (
    r"X_{l+1} = H^{\text{res}}_l X_l + H^{\text{post}}_l F_l(H^{\text{pre}}_l X_l), \qquad "
    r"c_{l+1} = H^{\text{res}}_l c_l, \quad c_0 = 1",
    "Transformer with PyTorch, section 5, Eq. 88–99. c is the coefficient of the embedding in each stream: what is "
    "carried to sublayer l. A plain residual is N = 1 with all three matrices equal to 1.",
)


def picture(data: Data) -> None:
    """The streams, and the iterations that the constrained model of the family makes."""
    _picture(data)
    if data.constrained is not None:
        said = _(
            "It was trained with {count}. With 0 every H_res is exp(logits), scaled by nothing.", count=data.trained
        )
        Streams.iterations.draw(unchosen=min(data.trained, 20), help=said)


def _picture(data: Data) -> None:
    inside = slice(data.window.start, data.window.stop)
    members = [
        {"kind": kind, "title": NAMES[kind], "model": data.family[kind], "streams": mixing.res.shape[-1]}
        for kind, mixing in data.members.items()
    ]
    header = {
        "title": _("Streams through the sublayers"),
        "tokens": data.tokens[inside],
        "first": data.window.start,
        "names": data.sublayers,
        "members": members,
        "warm": WARM,
    }
    arrays = {
        f"{part}.{kind}": matrix[:, inside].float().numpy()
        for kind, mixing in data.members.items()
        for part, matrix in vars(mixing).items()
    }
    PICTURE.show(header, arrays)
    if said := claims.window(data):
        st.caption(said)


def iterations(data: Data) -> None:
    """What the constrained model writes, and its loss and gain by the number of iterations."""
    if data.constrained is None:
        return
    texts = dict.fromkeys((data.trained, data.iterations))
    for column, count in zip(st.columns(len(texts)), texts):
        with column:
            trained = (
                _("Writes with {count} iterations, as trained")
                if count == data.trained
                else _("Writes with {count} iterations")
            )
            st.caption(trained.format(count=count))
            st.text(data.written(count))
    counts = sorted({*COUNTS, data.trained, data.iterations})
    runs = [data.rerun(count) for count in counts]
    charts = (
        (_("Loss by Sinkhorn iterations (nats a token)"), "nats", [run.loss for run in runs]),
        (_("Gain of all H_res together (factor)"), "factor", [run.forward for run in runs]),
    )
    for column, (title, unit, values) in zip(st.columns(2), charts):
        with column:
            figure = figures.curve(counts, values, data.iterations, frame.theme(), title=title, unit=unit)
            alt = _("{title}: one real pass for each number, {count} marked", title=title, count=data.iterations)
            frame.chart(figure, key=f"sf{unit}", alt=alt)


def snippet(data: Data) -> str:
    """Python that makes the coefficients of the picture, and the pass with other iterations."""
    again = f"""
from tlmviz.analysis.streams.iterations import rerun, written

lm = tlmviz.load({data.constrained!r})
run = rerun(lm, text, iterations={data.iterations})
print(run.loss, run.forward)  # nats a token; gain of all H_res together
print(written(lm, text, iterations={data.iterations}, tokens={NEW_TOKENS}))
"""
    return f"""import torch
import tlmviz
from tlmviz.analysis.streams import depth, mixing as streams

{long_text.text_line(data.chosen.text)}
for connection, name in depth.relatives({data.chosen.model!r}).items():
    mixing = streams.mixing_of(tlmviz.load(name).trace(text))  # pre, post [P, T, N] and res [P, T, N, N]
    carried = [torch.ones_like(mixing.pre[0, {data.token}])]
    for H in mixing.res[:, {data.token}]:
        carried.append(H @ carried[-1])
    print(connection, torch.stack(carried))  # of the embedding, in each stream after each sublayer
{again if data.constrained else ""}"""
