"""Draws the part Trained maps: one layer's heads of every model, one head of each, and what each model costs."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis.caches.family import kind
from tlmviz.figures.caches import head_maps
from tlmviz.ui import frame, link
from tlmviz.ui.language import _

from ..data import Reading
from ..state import MAPS, Heads
from ..view import WIDTH, head_menus, shortened
from .claims import head_reads, other_family
from .data import LARGE, Data

EQUATION = (
    r"A^{(h)} = \mathrm{softmax}\Big(\tfrac{1}{\sqrt{d_k}}\, Q_h K_{\pi(h)}^\top + M\Big),\qquad Y_h = A^{(h)}\, "
    r"V_{\pi(h)}",
    "LLM notes, sections 3.1 to 3.4; Decoder-Only Transformers in Einstein Notation, section 6.1.",
)


def controls(model: str, text: str) -> Heads | None:
    """Draw the menus of layer and head; what they say. None, with a sentence, where there is nothing to compare."""
    data = Data(Heads(model=model, text=text, head=(0, 0)))
    if not data.names:
        st.info(
            _(
                "No two bundled models differ in their attention alone, so there is nothing to compare; "
                "`python -m tlmviz.training zoo --data DIR` trains such a family."
            )
        )
        return None
    if model not in data.names:
        st.caption(other_family(model, data.names))
    text = shortened(data.names[0], text)  # a family has one context and one spelling
    head = head_menus(MAPS, Reading(data.names[0], text), data.layers, data.heads)
    return Heads(model=model, text=text, head=head)


def layer(data: Data) -> None:
    """All heads of one layer, a row for each model; a click chooses a head."""
    at, models = data.head[0], list(zip(data.readings, data.configs))
    labels = [f"<b>{kind(config)}</b><br>{reading.model}" for reading, config in models]
    hover = [[head_reads(reading.model, config, head) for head in range(data.heads)] for reading, config in models]
    title = _(
        "Layer {layer}: heads under one colour read the same keys and values (largest probability per bin, √ colours)",
        layer=at,
    )
    figure = head_maps.grid(
        data.pictures,
        labels,
        data.groups,
        hover,
        data.head[1],
        frame.theme(),
        title=title,
        height=40 + 92 * len(models),
    )
    with frame.wide("wide-maps", WIDTH):
        frame.chart(
            figure,
            key="familymaps",
            alt=_("Attention maps of layer {layer} of {count} models", layer=at, count=len(models)),
            select="points",
            on_select=lambda: _open_clicked_head(at),
        )


def _open_clicked_head(at: int) -> None:
    if place := frame.clicked("familymaps", 2):
        link.choose_head(at, place[1])


def head(data: Data) -> None:
    """One head of each model, with the tokens."""
    at, number = data.head
    tokens = data.readings[0].trace.tokens
    unit = _("probability") if len(tokens) <= LARGE else _("largest probability per bin")
    labels = [f"{kind(config)}, {reading.model}" for reading, config in zip(data.readings, data.configs)]
    title = _("L{layer}H{head} of each ({unit}, √ colours)", layer=at, head=number, unit=unit)
    figure = head_maps.beside(data.compared, labels, tokens, frame.theme(), title=title)
    with frame.wide("wide-head", WIDTH):
        alt = _("L{layer}H{head} of each model on the same text", layer=at, head=number)
        frame.chart(figure, key="familyhead", alt=alt)


def table(data: Data) -> None:
    """What each model costs, and its loss on this text."""
    loss, parameters, cached = _("Loss here"), _("Parameters"), _("Cached numbers per token and layer")
    rows = [
        {
            _("Model"): reading.model,
            _("Attention"): kind(reading.config),
            loss: data.losses[reading.model],
            parameters: reading.lm.n_parameters,
            cached: data.cached[reading.model],
        }
        for reading in data.readings
    ]
    helps = {
        loss: _("Nats per token, on this text; held-out quality is in the part Model zoo"),
        cached: _("A window keeps them of its last tokens only"),
    }
    frame.table(rows, {loss: ".3f", parameters: ",d", cached: ",d"}, helps)


def snippet(data: Data) -> str:
    """One head of every model of the family."""
    at, number = data.head
    return f"""\
import tlmviz

text = {data.chosen.text!r}
for name in {data.names!r}:
    lm = tlmviz.load(name)
    trace = lm.trace(lm.fit(text)[0])
    print(name, trace.loss_per_token().mean().item())
    picture = trace.attention({at}, {number})
"""
