"""Draws the part One product: X, W and O in maps, channel by channel, the scale to move, and numbers worked out."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from tlmviz.figures import placed
from tlmviz.ui import compute, frame, inputs, live
from tlmviz.ui.language import N_, _

from ..state import BLOCKED, Rounding
from . import claims
from .data import Data
from .state import LEAST, LOUDEST, MOST, Product

PICTURE = live.Picture(__file__, "scaling", see=Product.see, color=Product.color, factor=Product.factor)
EQUATION = (
    r"X_s=X\cdot S_X,\quad W_s=W\cdot S_W,\qquad O=O_s\cdot\frac{1}{S_X S_W},\qquad "
    r"S=\frac{\text{largest of format}}{\max|x|}",
    "LLM notes, section 6, whose O = W X is X Wᵀ here; OCP Microscaling Formats 2023, section 6.3; Dettmers et al. "
    "2022 (LLM.int8()) on loud channels of activations.",
    "The notes speak of per-channel scales of W, one for each output. Those of X are one for each token: one for each "
    "of its channels could not be divided out of the sum. “FP8's max normal value” is 448 for E4M3 and 57344 for E5M2.",
)
# Columns: format, help.
GROUPINGS = {
    "X": (".1f", N_("Decibels that the numbers stand above their error.")),
    "W": (".1f", ""),
    "O": (".1f", N_("Decibels of the product.")),
    N_("Bits X"): (".2f", N_("Of a number, with its share of the scales.")),
    N_("Bits W"): (".2f", N_("Of a number, with its share of the scales.")),
}
SHORT = {"tensor": N_("tensor"), "channel": N_("channel"), "block": N_("block"), "mx": N_("block, 2ⁿ")}
SCALED = {"O_s": ",.6g", "S_X": ".4g", "S_W": ".4g"}  # columns of a scheme whose scales leave the sum


def controls(model: str) -> Product | None:
    """Draw the controls; what they say. None, with a sentence, where there is no text."""
    text = inputs.text_box(compute.model(model))
    format, per, matrix, more = st.columns([0.5, 0.17, 0.22, 0.11], vertical_alignment="center")
    Rounding.format.draw(format)
    Rounding.per.draw(per)
    with frame.more(more):
        Rounding.block.draw(disabled=Rounding.per.get() not in BLOCKED)
    data = Data(Product.of_session(model=model, text=text or "", rounding=Rounding.of_session()))
    if text is None:
        return None
    said = {LOUDEST: _("loudest: {matrix}", matrix=claims.named(data.loudest))}
    Product.matrix.draw(
        matrix, options=(LOUDEST, *data.keys), format_func=lambda key: said.get(key) or claims.named(key)
    )
    return Product.of_session(model=model, text=text, rounding=Rounding.of_session())


def picture(data: Data) -> None:
    """X, W and O in maps, channel by channel, and the scale to move."""
    made, sides = data.made, {}
    for name, part in made.parts.items():
        sqnr = part.sqnr if np.isfinite(part.sqnr) else None
        sides[name] = {"shape": part.shape, "cell": part.cell, "sqnr": sqnr}
    for name, sample in made.samples.items():
        sides[name] |= {"tail": sample.tail, "weight": sample.weight, "scale": sample.scale}
    header = {
        "title": claims.title(data),
        "format": data.scheme.kept.described(),
        "per": data.scheme.per,
        "block": data.scheme.block,
        "tokens": data.tokens,
        "sides": sides,
        "range": [LEAST, MOST],
    }
    PICTURE.show(header, data.arrays)


def shared_scales(data: Data) -> None:
    """The four ways to share a scale, and numbers of O worked out."""
    left, right = st.columns([0.44, 0.56])
    with left:
        st.markdown(_("**{format}: decibels by what shares a scale**", format=data.scheme.kept.name))
        columns = {_(name): (form, _(said)) for name, (form, said) in GROUPINGS.items()}
        rows = [{_("A scale per"): _(SHORT[per]), **dict(zip(columns, row))} for per, row in data.groupings.items()]
        frame.table(
            rows,
            {name: form for name, (form, _said) in columns.items()},
            {name: said for name, (_form, said) in columns.items()},
        )
    with right:
        st.markdown("**O = O_s / (S_X S_W)**" if data.scheme.factors_out else _("**Numbers of O**"))
        _worked_out(data)
        frame.caption(claims.worked_out(data))


def _worked_out(data: Data) -> None:
    tokens, rows = data.tokens, []
    for each in data.made.examples:
        row: dict[str, Any] = {
            _("Token"): placed(each.row, tokens[each.row]) if len(tokens) > each.row else str(each.row),
            _("Output"): each.column,
        }
        if data.scheme.factors_out:
            row |= dict(zip(SCALED, (each.coded, each.scale_x, each.scale_w)))
        rows.append(row | {_("Kept"): each.kept, _("Exact"): each.exact, _("Error"): each.kept - each.exact})
    formats = SCALED | {_("Kept"): ".5g", _("Exact"): ".5g", _("Error"): ".1e"}
    helps = {
        "O_s": _("The product of the rounded numbers, as they are stored."),
        _("Exact"): _("The same number of the product in FP32."),
    }
    frame.table(rows, formats, helps)


def snippet(data: Data) -> str:
    """The picture's numbers with the public API."""
    return f"""\
import tlmviz
from tlmviz.analysis.numbers import rounded_model, scaling

lm = tlmviz.load({data.chosen.model!r})
ids = lm.encode({data.chosen.text!r})
simulator = rounded_model.Simulator(lm)
scheme = scaling.{data.scheme!r}
x, matrix = simulator.read_by(ids, {data.key!r})  # X [T, K], and W [N, K] with its name
made = scaling.rounded_product(x, matrix.weight, scheme)
kinds = ("X", x, made.x.restored), ("W", matrix.weight, made.w.restored), ("O", made.exact, made.kept)
for name, exact, kept in kinds:
    print(name, float(scaling.sqnr(exact, kept)), "dB")
"""
