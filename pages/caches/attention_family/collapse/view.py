"""Draws the part One head for all: all heads' maps with switches, and one head's product turned by RoPE."""

from __future__ import annotations

import numpy as np
from torch import Tensor

from tlmviz.figures.caches import latent
from tlmviz.ui import frame, live
from tlmviz.ui.language import _

from ..data import Reading
from ..state import COLLAPSE
from ..view import WIDTH, head_menus
from . import claims
from .data import TOKENS, Data
from .state import Lemma

PICTURE = live.Picture(__file__, "collapse", part=Lemma.part, on=Lemma.on)
SHARES = 65_535  # of 1, in 16 bits
EQUATIONS = (
    (
        r"W_Q^{(h)} {W_K^{(h)}}^\top = M \ \Rightarrow\ L^{(h)}_{ts} = x_t M x_s^\top,\quad Y = A\,X\textstyle\sum_h "
        r"W_V^{(h)} W_O^{(h)},\qquad \text{RoPE: } W_Q R_t R_s^\top W_K^\top,\qquad \text{ALiBi: } x_t M x_s^\top - "
        r"m_h (t - s)",
        "Decoder-Only Transformers in Einstein Notation, section 9: single bilinear collapse, and why RoPE and ALiBi "
        "break it.",
        "The notes write R_tᵀ R_s, for vectors as columns; rows, as here, are turned by R_t R_sᵀ. The norm and the "
        "softmax as counterexamples are not in the notes.",
    ),
    (
        r"\textstyle\sum_h \big(X M_h X^\top\big) X U = \big(X \bar M X^\top\big) X\,(H U),\qquad "
        r"\sum_h \mathrm{softmax}\big(X M_h X^\top\big) \ne H\,\mathrm{softmax}\big(X \bar M X^\top\big),\qquad "
        r"\bar M = \tfrac1H \sum_h M_h",
        "The same with one U = W_V W_O in all heads: linear attention with scores as weights.",
    ),
)


def controls(model: str, text: str) -> Lemma:
    """Draw the menus; what they say."""
    reading = Reading(model, text)
    head = head_menus(COLLAPSE, reading, reading.config.n_layers, reading.config.n_heads)
    return Lemma.of_session(model=model, text=text, head=head)


def maps(data: Data) -> None:
    """Every head's map as trained, with one M, and what is left of the chosen head's; or with one W_V W_O."""
    found, (layer, head) = data.found, data.head
    title = _(
        "Layer {layer} of {model}, all heads given what head {head} has",
        layer=layer,
        model=data.reading.model,
        head=head,
    )
    header = {
        "title": title,
        "said": claims.every(data),
        "tokens": data.tokens,
        "heads": data.heads,
        "head": head,
        "trained": found.trained_apart,
    }
    arrays = {
        "trained": _shares(found.trained),
        "maps": _shares(found.maps),
        "scores": found.values[0].float().numpy(),
        "weights": _shares(found.values[1]),
    }
    PICTURE.show(header, arrays)


def _shares(maps: Tensor) -> np.ndarray:
    return np.rint(SHARES * maps.numpy()).astype(np.uint16)


def caption(data: Data) -> None:
    """Which weights and tokens the maps are of, and what the heads' factors are."""
    frame.caption(claims.caption(data), maths=_(claims.FACTORS))


def turning(data: Data) -> None:
    """W_Q R_t R_s' W_K' of the head, walked by distance."""
    result, part = data.turned, data.reading.config.attention
    product = f"{data.reading.query_product[1]} R W_{'K' if part.latent_dim is None else '↑K'}'"
    name = result.label(_("{product} of L{layer}H{head}", product=product, layer=data.head[0], head=data.head[1]))
    figure = latent.turning(result.matrices, result.distances, result.moved, result.missed, frame.theme(), name=name)
    with frame.wide("wide-turned", WIDTH):
        alt = _("The product of W_Q and W_K with RoPE between them, by distance")
        frame.chart(figure, key="turned", alt=alt)


def equations(data: Data) -> None:
    """The lemma, and its like for values."""
    for each in EQUATIONS:
        frame.equation(*each)


def snippet(data: Data) -> str:
    """Both parts with the public API."""
    layer, head = data.head
    return f"""\
import tlmviz
from tlmviz.analysis.notation.collapse import EVERY, collapse

lm = tlmviz.load({data.reading.model!r})
trace = lm.trace({data.reading.text!r})
found = collapse(lm, trace, layer={layer}, stop={TOKENS}, head={head})
for between, apart in zip(EVERY, found.apart):
    print(between, apart)  # logits and probabilities at most, and the share of the output
print("without softmax, with it:", found.missed)
"""
