"""Draws the part Dropout: masks on an activation, and the text's loss under masks over the whole model."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz.figures import readable_all
from tlmviz.figures.numbers import norms as figures
from tlmviz.ui import claims as claiming
from tlmviz.ui import compute, frame, inputs, live
from tlmviz.ui.language import _

from . import claims
from .data import Data
from .state import LAST, MOST_MASKS, MOST_P, Dropout

SHOWN = 26  # channels that are drawn
PICTURE = live.Picture(
    __file__,
    "dropout",
    p=Dropout.p,
    seed=Dropout.seed,
    masks=Dropout.masks,
    raw=Dropout.raw,
    evaluating=Dropout.evaluating,
)
EQUATION = (
    r"\hat X=\tfrac1q\,X\odot M,\qquad M\sim\mathrm{Bernoulli}(q),\qquad \mathbb E[\hat X]=X,\qquad q=1-p",
    "LLM notes, section 3.8; Srivastava et al. 2014, who scale in evaluation instead; torch.nn.Dropout scales in "
    "training.",
)


def controls(model: str) -> Dropout | None:
    """Draw the controls; what they say. None, with a sentence, where there is no text."""
    places = Data(Dropout.of_session(model=model, text="")).places
    left, right = st.columns([0.66, 0.34], vertical_alignment="center")
    with left:
        text = inputs.text_box(compute.model(model))
    names = places | {LAST: list(places.values())[-1]}
    Dropout.place.draw(
        right, options=(LAST, *places), format_func=lambda tap: _("What dropout acts on at “{name}”", name=names[tap])
    )
    return None if text is None else Dropout.of_session(model=model, text=text)


def picture(data: Data) -> None:
    """One activation as it is, under a mask, and in the mean of many."""
    x, tokens = data.activation
    loudest = int(np.abs(x).mean(0).argmax())
    header = {
        "title": claims.title(data),
        "tokens": readable_all(tokens),
        "channels": x.shape[1],
        "first": max(0, min(loudest - SHOWN // 2, x.shape[1] - SHOWN)),
        "most": [MOST_P, MOST_MASKS],
    }
    PICTURE.show(header, {"x": x})


def losses(data: Data) -> None:
    """The loss of the text under masks over all places at once."""
    st.markdown("#### " + _("What masks do to this text's loss"))
    title = _(
        "{model}: this text's loss with {p}% dropped wherever training does", model=data.chosen.model, p=data.chosen.p
    )
    figure = figures.masked_losses(data.losses, frame.theme(), title=title)
    frame.chart(figure, key="maskedlosses", alt=_("Losses of the text under masks, beside the loss without"))
    frame.what_to_notice(*claiming.holding(claims.LOSSES, data).values())
    frame.caption(claims.range_of(data))


def snippet(data: Data) -> str:
    """A mask on the activation, the mean of many, and the losses, with the public API."""
    p, text = data.rate, data.chosen.text
    return f"""\
import torch
import tlmviz
from tlmviz.analysis.numbers import dropout

lm = tlmviz.load({data.chosen.model!r})
x = lm.trace({text!r}, keep=lambda name: True)[{data.place!r}]
die = torch.Generator().manual_seed(0)
for n in (1, 10, 100):
    mean = torch.stack([dropout.dropped(x, {p}, die) for _ in range(n)]).mean(0)
    error = (mean - x).square().mean().sqrt().item()
    print(n, error, dropout.expected_error(x.numpy(), {p}, n))

with torch.inference_mode():
    losses = dropout.losses(lm, lm.encode({text!r}), {p}, masks=64)
print(losses.plain, losses.masked.mean(), losses.averaged)
"""
