"""Draws the part Morph: one layer from MHA to MLA, and the matrices of each variant."""

from __future__ import annotations

from dataclasses import asdict, replace

import pandas as pd
import streamlit as st

from tlmviz.analysis.caches.family import shape_rows
from tlmviz.figures.caches import family as figures
from tlmviz.ui import frame, markdown
from tlmviz.ui.language import _

from ..view import WIDTH
from . import claims
from .data import Data
from .state import FREE, Morph

EQUATION = (
    r"L^{(h)}_{ts} = \tfrac{1}{\sqrt{d_k}}\, q^{(h)}_t \cdot k^{(\pi(h))}_s,\ \ \pi(h) = \lfloor hG/H \rfloor,\qquad "
    r"\text{cache per token: } 2\,G\,d_h \;\to\; d_c + d_h^R",
    "Decoder-Only Transformers in Einstein Notation, sections 6.1 and 6.2; LLM notes, sections 3.1 to 3.4; Transformer "
    "with PyTorch, Eq. 38 to 41.",
    "The LLM notes name GPT-3.5 and LLaMA for MQA; PaLM used MQA, "
    "LLaMA 2 70B uses GQA, and GPT-3.5's attention is not published. Their “MLA” (section 3.5) is a learned latent "
    "array in the Perceiver's manner, something else: see *Latents*. Eq. 38 gives all 576 numbers to the latent; "
    "DeepSeek has 512 for c_KV and 64 for k^R.",
)
ORDER = ["W_Q", "W_↓Q", "W_↑Q", "W_K", "W_V", "W_↓KV", "W_KR", "W_↑K", "W_↑V", "W_O", "together"]


def controls(model: str, text: str) -> Morph:
    """Draw the controls; what they say. Raises BadConfig for sizes that make no layer."""
    with frame.after_picture(pairs=False):
        return _controls(model, text)


def _controls(model: str, text: str) -> Morph:
    left, middle, right, last = st.columns([0.4, 0.3, 0.15, 0.15], vertical_alignment="center")
    source = Morph.source.draw(left)
    Morph.length.draw(middle)
    if source == FREE:
        sizes = last.popover(_("Free sizes"), width="stretch")
        for field in (Morph.d_model, Morph.heads, Morph.head_dim, Morph.latent, Morph.rotary):
            field.draw(sizes)
    data = Data(Morph.of_session(model=model, text=text))
    if (asked := data.chosen.opening) not in data.names:
        said = _(
            "There is no variant “{name}” of these sizes; there are {names}.",
            name=markdown.sentence(asked),
            names=", ".join(data.names),
        )
        st.warning(said)
    opening = Morph.opening.draw(right, options=data.names, unchosen=data.names[data.opening])
    return replace(data.chosen, opening=opening)


def picture(data: Data) -> None:
    """The picture that is walked."""
    flops = [variant.flops(data.chosen.length) for variant in data.variants]
    figure = figures.morph(data.variants, flops, asdict(data.sizes), data.chosen.length, data.opening, frame.theme())
    with frame.wide("wide-morph", WIDTH):
        alt = _("Query heads and the key/value heads they read, from MHA to MLA, with their costs")
        frame.chart(figure, key="morph", alt=alt)


def caption(data: Data) -> None:
    """What the variants cache, and what MLA costs."""
    frame.caption(claims.caption(data), maths=claims.absorbed(data))


def matrices(data: Data) -> None:
    """Which projections there are, their shapes, how many, and who uses one: ends of the family and the opened
    variant."""
    columns = {}
    count = len(data.variants)
    for i in sorted({0, data.opening, count - 2, count - 1}):
        variant = data.variants[i]
        columns[variant.name] = {
            str(row["Matrix"]): f"{row['How many']} × ({row['Shape']}), per {row['Used by'].removeprefix('one ')}"
            for row in shape_rows(variant)
        } | {"together": f"{variant.parameters:,} parameters"}
    used = [row for row in ORDER if any(row in column for column in columns.values())]
    with st.expander(_("Which projections, which shapes, who shares them")):
        st.dataframe(pd.DataFrame(columns).reindex(used).fillna("–"))


def snippet(data: Data) -> str:
    """The morph with the public API."""
    return f"""\
from dataclasses import asdict

from tlmviz.analysis.caches.family import Sizes
from tlmviz.figures import LIGHT
from tlmviz.figures.caches.family import morph

sizes = {data.sizes!r}
stages = sizes.variants()
for stage in stages:
    print(stage.name, stage.parameters, stage.cached, stage.flops({data.chosen.length}))
flops = [stage.flops({data.chosen.length}) for stage in stages]
figure = morph(stages, flops, asdict(sizes), {data.chosen.length}, {data.opening}, LIGHT)
figure.write_html("family.html")
"""
