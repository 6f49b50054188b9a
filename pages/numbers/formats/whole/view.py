"""Draws the part Whole model: what the pass loses along the text, every format, and one matrix at a time."""

from __future__ import annotations

import contextlib

import streamlit as st

from tlmviz.analysis.numbers.formats import BY_KEY
from tlmviz.figures import number, readable_all
from tlmviz.figures.numbers import scaling as figures
from tlmviz.ui import compute, frame, inputs
from tlmviz.ui.language import _

from ..product.view import SHORT
from ..state import BLOCKED, Rounding
from . import claims
from .data import Data
from .state import Whole


def controls(model: str) -> Whole | None:
    """Draw the controls; what they say. None, with a sentence, where there is no text."""
    lm = compute.model(model)
    text = inputs.text_box(lm)
    format, per, side, more = st.columns([0.5, 0.17, 0.22, 0.11], vertical_alignment="center")
    Rounding.format.draw(format)
    Rounding.per.draw(per)
    Whole.sides.draw(side)
    with frame.more(more):
        Rounding.block.draw(disabled=Rounding.per.get() not in BLOCKED)
        Whole.parts.draw(options=Data.parts(model))
        Whole.layers.draw(options=range(lm.config.n_layers))
    chosen = Whole.of_session(model=model, text=text or "", rounding=Rounding.of_session())
    return chosen if text is not None else None


def wait(data: Data) -> None:
    """Says what takes a while, where it does and the picture will stand."""
    said = _("Rounding every matrix, and reading the text …")
    with contextlib.nullcontext() if data.quick else st.spinner(said, show_time=True):
        data.loss  # noqa: B018


def picture(data: Data) -> None:
    """What the pass loses along the text."""
    found, (before, after) = data.loss, data.loss.bits_per_byte
    title = _("KL of every prediction (nats)")
    figure = figures.divergences(
        readable_all(data.tokens)[1:], found.divergence, found.kept - found.exact, frame.theme(), title=title
    )
    frame.chart(figure, key="divergence", alt=_("KL of every prediction along the text"))
    said = _(
        "{before} → {after} bits per byte ({more}), mean KL {mean} nats, same first choice {same}.",
        before=number(before, ".3f"),
        after=number(after, ".3f"),
        more=number(after - before, "+.3f"),
        mean=number(data.moved, ".2g"),
        same=f"{found.same.mean():.0%}",
    )
    frame.caption(f"{said} {claims.how_made(data)}")


def beneath(data: Data) -> None:
    """Every format on the same products, and each kind of matrix of each layer by itself."""
    if not data.quick:
        said = _(
            "{model} has {millions} million parameters: every format with every way to share a scale would take "
            "minutes on this text. Choose them one by one, or a shorter text.",
            model=data.lm.name,
            millions=number(data.lm.n_parameters / 1e6, ",.0f"),
        )
        frame.caption(said)
        return
    st.markdown(
        _("**Every format on the same products**: bits per byte added, and mean KL in nats, by what shares a scale")
    )
    _every(data)
    title = _("Mean KL with one matrix at a time in {format} (nats)", format=data.setting.scheme.kept.name)
    figure = figures.alone(data.alone, data.names, frame.theme(), title=title)
    frame.chart(figure, key="alone", alt=_("KL by layer and matrix, one rounded at a time"))
    st.markdown(claims.costs_most(data) or "")


def _every(data: Data) -> None:
    rows, formats = [], {}
    for key, by_per in data.every.items():
        row: dict = {_("Format"): BY_KEY[key].name}
        for per, loss in by_per.items():
            before, after = loss.bits_per_byte
            name = _("Loss: {per}", per=_(SHORT[per]))
            row[name], formats[name] = after - before, "+.4f"
        for per, loss in by_per.items():
            name = _("KL: {per}", per=_(SHORT[per]))
            row[name], formats[name] = float(loss.divergence.mean()), ".2g"
        rows.append(row)
    frame.table(rows, formats)


def snippet(data: Data) -> str:
    """The picture's numbers with the public API."""
    setting = data.setting
    return f"""\
import tlmviz
from tlmviz.analysis.numbers import rounded_model, scaling

lm = tlmviz.load({data.chosen.model!r})
ids = lm.encode({data.chosen.text!r})
simulator = rounded_model.Simulator(lm)
scheme = scaling.{setting.scheme!r}
setting = rounded_model.Setting(scheme, {setting.sides!r}, {setting.parts!r}, {setting.layers!r})
loss = rounded_model.loss(lm, ids, simulator.logits(ids), simulator.logits(ids, setting))
print(loss.bits_per_byte, loss.divergence.mean())
with simulator.rounding(setting):  # everything that the model does here, it does in few bits
    print(lm.bits_per_byte(lm.default_text))
"""
