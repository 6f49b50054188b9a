"""Draws the part Latent attention: weight absorption, content and rotary scores, and a product turned by RoPE."""

from __future__ import annotations

import streamlit as st

from tlmviz.figures.caches import latent as figures
from tlmviz.figures.kernels.long_context import per_head
from tlmviz.ui import frame
from tlmviz.ui.language import _

from ..data import Reading
from ..state import LATENT, TRAIN, Heads
from ..view import WIDTH, head_menus, shortened
from .data import Data

FOLDING_WIDTH = 620  # pixels: it stands in a column
EQUATION = (
    r"\tfrac{1}{\sqrt{d_h + d_h^R}}\big(\underbrace{x_t\, [W_Q W_{\uparrow K}^\top]\, c_s^\top}_{\text{content}} + "
    r"\underbrace{q^R_t R_t R_s^\top {k^R_s}^\top}_{\text{rotary}}\big),\qquad "
    r"x_t W_Q\, R_t R_s^\top\, W_{\uparrow K}^\top c_s^\top \text{ would have no } [\,\cdot\,]",
    "Transformer with PyTorch, Eq. 41 to 46 and 60 to 68; DeepSeek-V2, section 2.1.",
    "The notes write k^R per head and from c_KV (section 3.4); DeepSeek-V2 makes one k^R per token from the hidden "
    "state, shared by all heads, so that the cache holds d_c + d_h^R numbers per token. Eq. 65 and 68 make the queries "
    "from a latent of their own, c_Q: an option of the configuration (query_latent_dim), with which c_Q and W_↑Q take "
    "the places of x_t and W_Q. The bundled zoo-mla-cq is so made; the queries of zoo-mla come straight from x. Eq. 42 "
    "also caches the queries, which are never read again, and Eq. 44 writes O for a head's output first and for its "
    "map of weights then.",
)


def controls(model: str, text: str) -> Heads | None:
    """Draw the menus; what they say. For a model without a latent another is shown, as a caption says; None if there is
    none."""
    names = Data(Heads(model=model, text=text, head=(0, 0))).models
    if not names:
        st.info(
            _(
                "No bundled model has latent attention, so there is nothing to take apart; {command} trains one.",
                command=TRAIN,
            )
        )
        return None
    if model not in names:
        st.caption(
            _(
                "{model} has no latent attention; the models that have it: {names}. **Shown is {shown}.**",
                model=model,
                names=", ".join(names),
                shown=names[0],
            )
        )
        model = names[0]
    shown = Reading(model, shortened(model, text))
    head = head_menus(LATENT, shown, shown.config.n_layers, shown.config.n_heads)
    return Heads(model=model, text=shown.text, head=head)


def scores(data: Data) -> None:
    """A head's score as content and rotary part, and its softmax."""
    content, rotary, weights = data.parts
    tokens, (layer, head) = data.reading.trace.tokens, data.head
    title = _("L{layer}H{head}: two parts of its score", layer=layer, head=head)
    start = len(tokens) - len(content)
    if start:
        title += _(", last {shown} of {all} tokens", shown=len(content), all=len(tokens))
    figure = figures.score_parts(content, rotary, weights, tokens[start:], frame.theme(), title=title, start=start)
    with frame.wide("wide-scores", WIDTH):
        alt = _("Content and rotary part of the scores of L{layer}H{head}", layer=layer, head=head)
        frame.chart(figure, key="scoreparts", alt=alt)


def folding(data: Data) -> None:
    """The two products of weight absorption with their factors, and each head's rotary share."""
    folded, (state, query) = data.folded, data.reading.query_product
    products = {
        _("The score: {state} {query} W_↑K' c_s'", state=state, query=query): {
            query: folded.query,
            "W_↑K'": folded.up_k,
            _("absorbed"): folded.score,
        },
        _("The output: Σ a_ts c_s W_↑V W_O"): {"W_↑V": folded.up_v, "W_O": folded.out, _("absorbed"): folded.value},
    }
    parts = [([(name, matrix.numpy()) for name, matrix in each.items()], label) for label, each in products.items()]
    left, right = st.columns([0.7, 0.3])
    with left, frame.wide("wide-folding", FOLDING_WIDTH):
        layer, head = data.head
        alt = _("The matrices of L{layer}H{head} and their products", layer=layer, head=head)
        frame.chart(figures.folding(parts, frame.theme()), key="folding", alt=alt)
    with right:
        figure = per_head(data.shares, _("Rotary share of the scores' variance"), frame.theme(), top=1.0, height=330)
        frame.chart(figure, key="rotary", alt=_("Share of the rotary part in the variance of every head's scores"))


def turning(data: Data) -> None:
    """The head's product of W_Q, or W_↑Q where there is a c_Q, and W_↑K with RoPE between them, walked by distance."""
    result, (layer, head) = data.turned, data.head
    name = result.label(f"{data.reading.query_product[1]} R W_↑K' of L{layer}H{head}")
    figure = figures.turning(result.matrices, result.distances, result.moved, result.missed, frame.theme(), name=name)
    with frame.wide("wide-turning", WIDTH):
        frame.chart(figure, key="turning", alt=_("The product of W_Q and W_K with RoPE between them, by distance"))


def snippet(data: Data) -> str:
    """Weight absorption and the parts of a score."""
    layer, head = data.head
    return f"""\
import tlmviz
from tlmviz.analysis.caches.weight_absorption import absorbed_errors, folding, score_parts

lm = tlmviz.load({data.reading.model!r})
trace = lm.trace({data.reading.text!r})
folded = folding(lm, {layer}, {head})  # .query @ .up_k is .score, .up_v @ .out is .value
content, rotary = score_parts(lm, trace, {layer}, {head})
print(absorbed_errors(lm, trace))  # per layer, relative
"""
