"""Draws the part Reading a digit: the pad with every latent's map beside it, and below it how well digits are read."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz import digits
from tlmviz.figures.beyond.latents import confusion, muting
from tlmviz.ui import frame, live
from tlmviz.ui.language import _

from . import claims
from .data import Data, held_out, reader, wrong_first
from .state import MODELS, Reading

PICTURE = live.Picture(
    __file__, "latents", pixels=Reading.pixels, muted=Reading.muted, pin=Reading.pin, head=Reading.head
)
EQUATIONS = (
    (
        r"\mathbf{Q} = \mathbf{Z}\mathbf{W}_q,\; \mathbf{K} = \mathbf{X}\mathbf{W}_k,\; \mathbf{V} = \mathbf{X}\mathbf{W}_v,"
        r" \quad \mathbf{A}_h = \mathrm{softmax}\left(\mathbf{Q}_h \mathbf{K}_h^\top / \sqrt{d_h}\right) \mathbf{V}_h"
        r" \in \mathbb{R}^{M \times d_h}",
        "LLM notes, section 3.5, Eq. 9–11; Jaegle et al. 2021 (Perceiver); X: the N pixels, Z: the M latents.",
        "The notes call this multihead latent attention (MLA); that name belongs to DeepSeek's compression of keys and values. "
        "The part “Two MLAs” shows both.",
    ),
    (
        r"\mathbf{Z} \leftarrow \mathbf{Z} + \mathrm{Attention}(\mathbf{Z}, \mathbf{X}, \mathbf{X}), \qquad \mathbf{Z} \leftarrow"
        r" \mathbf{Z} + \mathrm{Attention}(\mathbf{Z}, \mathbf{Z}, \mathbf{Z})",
        "LLM notes, section 3.6: read, then mix. Each of them reads a LayerNorm of Z here.",
    ),
)


def controls() -> Reading:
    """Draw the controls; what they say, and what the model has of what the link names."""
    some, which = st.columns([0.3, 0.7], vertical_alignment="bottom")
    model = MODELS[Reading.latents.draw(some)]
    Reading.digit.draw(which, wrong_first(model), format_func=lambda index: _named(model, index))
    config, pin = reader(model).config, Reading.pin.get()
    if pin and not (pin[0] < config.n_layers and pin[1] < config.n_latents):
        Reading.pin.set(None)
    Reading.muted.set(tuple(latent for latent in Reading.muted.get() if latent < config.n_latents))
    Reading.head.set(min(Reading.head.get(), config.n_heads))
    return Reading.of_session()


def _named(model: str, index: int) -> str:
    """A held-out digit in words."""
    read, truth = int(held_out(model).read[index]), int(digits.held_out().labels[index])
    if read == truth:
        return _("no. {index}: a {truth}", index=index, truth=truth)
    return _("no. {index}: a {truth}, read as {read} ✗", index=index, truth=truth, read=read)


def picture(data: Data) -> None:
    """The pad, what is read, and every latent's map in every layer."""
    config, found = data.reader.config, data.found
    sizes = config.n_layers, config.n_heads, config.n_latents
    reading = found.head_maps if found else np.zeros((*sizes, config.side**2))
    mixing = found.mixing if found else np.zeros((*sizes, config.n_latents))
    shares = found.probabilities if found else np.zeros(config.classes)
    what = _("a drawing") if data.truth is None else _("a {digit}", digit=data.truth)
    header = {
        "title": _("{model} looks at {what}. {said}", model=data.model, what=what, said=claims.said(data)),
        "layers": config.n_layers, "heads": config.n_heads, "latents": config.n_latents, "pixels": data.pixels,
        "read": digits.written(data.image),
        "probabilities": [round(float(share), 4) for share in shares], "truth": data.truth, "said": claims.said(data),
        "error": frame.worded(data.error) if data.error else "",
    }  # fmt: skip
    arrays = {
        name: np.concatenate((each.mean(1, keepdims=True), each), 1).astype(np.float32)  # the mean first
        for name, each in (("reading", reading), ("mixing", mixing))
    }
    with st.container(key="latentsview"):
        PICTURE.show(header, arrays)


def quality(data: Data) -> None:
    """What held-out digits are read as, and what muting a latent costs."""
    left, right = st.columns(2)
    found, title = data.quality, _("{right} of {count} held-out digits read right")
    with left:
        count = len(found.read)
        title = title.format(right=count - len(found.wrong), count=count)
        alt = _("Matrix of held-out digits: rows what each is, columns what it is read as")
        frame.chart(confusion(found.confusion, frame.theme(), title=title), key="latconfusion", alt=alt)
    with right:
        title = _("Held-out digits read right with one latent muted")
        figure = muting(data.muted_one_by_one, found.right, frame.theme(), title=title)
        alt = _("Bars: the share of held-out digits read right with each latent muted alone")
        frame.chart(figure, key="latmuting", alt=alt)


def snippet(data: Data) -> str:
    """The reading with the public API."""
    muted = f", mute={list(data.chosen.muted)}" if data.chosen.muted else ""
    image = f"digits.held_out().images[{data.chosen.digit}]"
    if data.chosen.pixels:
        image = f'digits.normalised(digits.read("{data.pixels}"))'
    return f"""\
import tlmviz
from tlmviz import digits

image = {image}  # [8, 8], 0 is paper, 16 ink
reader = tlmviz.load("{data.model}")
found = reader.classify(image{muted})
print(found.digit, found.probabilities.round(3))
print(found.maps.shape, found.maps[0, 0].reshape(8, 8).round(2))  # [layers, latents, pixels]: layer 0, latent 0
print(found.mixing.mean(1)[0].round(2))  # [latents, latents]: who reads whom in layer 0
"""
