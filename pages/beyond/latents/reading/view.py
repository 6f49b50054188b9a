"""Draws the part Reading digits: cells and pad with every latent's map beside them, and below how well digits are
read."""

from __future__ import annotations

import numpy as np
import streamlit as st

from tlmviz import digits
from tlmviz.analysis.beyond.digit_quality import Quality
from tlmviz.facades.scenes.language import PLACES
from tlmviz.figures.beyond.latents import crowded, muting
from tlmviz.ui import address, frame, live
from tlmviz.ui.language import _, ngettext

from . import claims
from .data import Data
from .state import EMPTY, Reading

PICTURE = live.Picture(
    __file__, "latents", drawn=Reading.drawn, cell=Reading.cell, muted=Reading.muted, pin=Reading.pin, head=Reading.head
)
EQUATIONS = (
    (
        r"\mathbf{Q} = \mathbf{Z}\mathbf{W}_q,\; \mathbf{K} = \mathbf{X}\mathbf{W}_k,\; \mathbf{V} = "
        r"\mathbf{X}\mathbf{W}_v, \quad \mathbf{A}_h = \mathrm{softmax}\left(\mathbf{Q}_h \mathbf{K}_h^\top / "
        r"\sqrt{d_h}\right) \mathbf{V}_h \in \mathbb{R}^{M \times d_h}",
        "LLM notes, section 3.5, Eq. 9–11; Jaegle et al. 2021 (Perceiver); X: the N pixels, Z: the M latents.",
        "The notes call this multihead latent attention (MLA); that name belongs to DeepSeek's compression of keys and "
        "values. The part “Two MLAs” shows both.",
    ),
    (
        r"\mathbf{Z} \leftarrow \mathbf{Z} + \mathrm{Attention}(\mathbf{Z}, \mathbf{X}, \mathbf{X}), \qquad \mathbf{Z} "
        r"\leftarrow \mathbf{Z} + \mathrm{Attention}(\mathbf{Z}, \mathbf{Z}, \mathbf{Z})",
        "LLM notes, section 3.6: read, then mix. Each of them reads a LayerNorm of Z here.",
    ),
)


def controls() -> Reading:
    """Draw the controls; what they say, and what the model has of what the link names."""
    some, which = st.columns([0.3, 0.7], vertical_alignment="bottom")
    Reading.latents.draw(some)
    asked = Data(Reading.of_session())
    held = asked.held
    Reading.picture.draw(which, asked.wrong_first, format_func=lambda index: _named(held, index))
    config, pin = asked.reader.config, asked.chosen.pin
    if pin and not (pin[0] < config.n_layers and pin[1] < config.n_latents):
        Reading.pin.set(None)
    Reading.muted.set(tuple(latent for latent in Reading.muted.get() if latent < config.n_latents))
    Reading.head.set(min(Reading.head.get(), config.n_heads))
    address.pictures_read(model=asked.model)
    return Reading.of_session()


def _named(held: Quality, index: int) -> str:
    """A held-out picture in words."""
    digits_there = " ".join(map(str, held.truth[index]))
    if wrong := int((~held.right_cells[index]).sum()):
        return ngettext(
            "no. {index}: {digits} ({n} read wrong)",
            "no. {index}: {digits} ({n} read wrong)",
            wrong,
            index=index,
            digits=digits_there,
        )
    return _("no. {index}: {digits}", index=index, digits=digits_there)


def picture(data: Data) -> None:
    """The cells and the pad, what is read, and every latent's map in every layer."""
    config, found = data.reader.config, data.found
    sizes = config.n_layers, config.n_heads, config.n_latents
    reading = found.head_maps if found else np.zeros((*sizes, config.side**2))
    mixing = found.mixing if found else np.zeros((*sizes, config.n_latents))
    answering = found.answering if found else np.zeros((config.n_heads, config.cells, config.n_latents))
    shares = found.probabilities if found else np.zeros((config.cells, config.classes))
    header = {
        "title": _("{model} looks at nine cells. {said}", model=data.model, said=claims.said(data)),
        "layers": config.n_layers,
        "heads": config.n_heads,
        "latents": config.n_latents,
        "names": list(PLACES),
        "pixels": data.pixels,
        "truth": data.truth,
        "read": data.read,
        "said": claims.said(data),
        "error": frame.worded(data.error) if data.error else "",
    }
    arrays = {
        name: np.concatenate((each.mean(-3, keepdims=True), each), -3).astype(np.float32)  # the mean first
        for name, each in (("reading", reading), ("mixing", mixing), ("answering", answering))
    }
    arrays["probabilities"] = shares.astype(np.float32)
    arrays["picture"] = digits.side_by_side(np.stack(data.images)).astype(np.uint8)
    with st.container(key="latentsview"):
        PICTURE.show(header, arrays)


def quality(data: Data) -> None:
    """How many digits are read right by how many latents, and what muting a latent costs in which cell."""
    left, right = st.columns(2)
    with left:
        title = _("Held-out digits read right")
        alt = _("Lines: the share of digits read right in pictures of one to nine, a line for each number of latents")
        frame.chart(crowded(data.by_number, frame.theme(), title=title), key="latcrowded", alt=alt)
    with right:
        title = _("Held-out digits read right in each cell with one latent muted")
        figure = muting(data.muted_one_by_one, PLACES, frame.theme(), title=title)
        alt = _("Matrix: the share of digits read right, rows the muted latent, columns the cell")
        frame.chart(figure, key="latmuting", alt=alt)


def equations(data: Data) -> None:
    """What reads, and what mixes."""
    for each in EQUATIONS:
        frame.equation(*each)


def snippet(data: Data) -> str:
    """The reading with the public API."""
    muted = f", mute={list(data.chosen.muted)}" if data.chosen.muted else ""
    cells = [_spelled(drawn, index) for drawn, index in zip(data.chosen.drawn, data.numbers)]
    rows = "".join(f"    [{', '.join(cells[row : row + 3])}],\n" for row in (0, 3, 6))
    return f"""\
import tlmviz
from tlmviz import digits

images = digits.held_out().images  # [382, 8, 8], 0 is paper, 16 ink; training never saw them
grid = [
{rows}]
reader = tlmviz.load("{data.model}")
found = reader.classify(grid{muted})
print(found.digits, found.probabilities.max(1).round(3))
print(found.maps.shape, found.maps[0, 0].reshape(24, 24).round(2))  # [layers, latents, pixels]: layer 0, latent 0
print(found.answering.mean(0)[{data.chosen.cell}].round(2))  # [heads, cells, latents]: what a cell's answer is made of
"""


def _spelled(drawn: str, index: int) -> str:
    if not drawn:
        return f"images[{index}]"
    return "None" if drawn == EMPTY else f'digits.normalised(digits.read("{drawn}"))'
