"""The page "The attention family": a trained latent layer, absorbed and naive, content and rotary."""

from __future__ import annotations

import streamlit as st

from tlmviz.analysis.caches import weight_absorption
from tlmviz.analysis.caches.family import Sizes, Variant, size_text
from tlmviz.figures.caches import latent as figures
from tlmviz.figures.kernels.long_context import per_head
from tlmviz.ui import compute, frame, inputs

from . import compute as family_state


def chosen(name: str) -> str | None:
    """The latent model that is shown: the loaded one, or with a sentence another; None where there is none at all."""
    names = family_state.latent_models()
    if name in names:
        return name
    if not names:
        st.info(
            f"No bundled model has latent attention, so there is nothing to take apart; {family_state.TRAIN} trains one."
        )
        return None
    st.caption(
        f"{name} has no latent attention; the models that have it: {', '.join(names)}. **Shown is {names[0]}.**"
    )
    return names[0]


def panel(name: str, text: str) -> None:
    """What is multiplied beforehand, the parts of a head's score, and what RoPE would do in their place."""
    lm = compute.model(name)
    config = lm.config
    layer, head = inputs.head_menus(config.n_layers, config.n_heads, st.columns([0.14, 0.14, 0.72])[:2])
    folded, theme = weight_absorption.folding(lm, layer, head), frame.theme()
    parts = [
        (
            [("W_Q", folded.query), ("W_↑K'", folded.up_k), ("absorbed", folded.score)],
            "The score: x_t W_Q W_↑K' c_s' (Eq. 41)",
        ),
        (
            [("W_↑V", folded.up_v), ("W_O", folded.out), ("absorbed", folded.value)],
            "The output: Σ a_ts c_s W_↑V W_O (Eq. 46)",
        ),
    ]
    drawn = [([(label, matrix.numpy()) for label, matrix in triple], words) for triple, words in parts]
    left, right = st.columns([0.7, 0.3])
    with left:
        alt = f"The matrices of layer {layer}, head {head} and their products"
        with st.container(key="wide-folding"):
            frame.chart(figures.folding(drawn, theme), key="folding", alt=alt)
    with right:
        shares = family_state.rotary_shares(name, text)
        figure = per_head(shares, "Rotary share of the scores' variance", theme, top=1.0, height=330)
        frame.chart(
            figure, key="rotary", alt="Share of the rotary part in the variance of every head's scores"
        )
    _costs(name, text, layer)
    content, rotary, weights = family_state.latent_parts(name, text, layer, head)
    tokens, title = compute.trace(name, text).tokens, f"Layer {layer}, head {head}: two parts of its score"
    start = len(tokens) - len(content)
    title += f", last {len(content)} of {len(tokens)} tokens" if start else ""
    figure = figures.score_parts(content, rotary, weights, tokens[start:], theme, title=title, start=start)
    with st.container(key="wide-scores"):
        frame.chart(
            figure,
            key="scoreparts",
            alt=f"Content and rotary part of the scores of layer {layer}, head {head}",
        )
    found = family_state.turning(name, text, layer, head)
    title = found.name(f"W_Q R W_↑K' of head {layer}.{head}")
    figure = figures.turning(found.matrices, found.distances, found.moved, found.missed, theme, name=title)
    with st.container(key="wide-turning"):
        frame.chart(
            figure, key="turning", alt="The product of W_Q and W_upK with RoPE between them, by distance"
        )
    frame.copy_as_python(_snippet(name, text, layer, head))


def _costs(name: str, text: str, layer: int) -> None:
    """The measured error, what absorption saves per token, and that the stored product would be larger than its factors."""
    lm = compute.model(name)
    length = len(compute.trace(name, text))
    variant, (apart, together) = Variant(Sizes.of(lm.config), None), weight_absorption.folded_counts(lm)
    st.caption(
        f"With the products in place of their factors, layer {layer}'s output on this text moves by "
        f"{family_state.absorbed_errors(name, text)[layer]:.1e} of its largest number: rounding. "
        f"Decoding token {length:,}: {size_text(variant.flops(length))}FLOP per layer absorbed, "
        f"{size_text(variant.flops(length, absorbed=False))}FLOP when all heads' keys and values are made anew. Per head the "
        f"products have {together:,} numbers and their factors {apart:,}: so a decoder multiplies q by W_↑K' and the weighted "
        "latent by W_↑V, one token at a time, and stores no product."
    )


def _snippet(name: str, text: str, layer: int, head: int) -> str:
    return (
        "import tlmviz\nfrom tlmviz.analysis.caches.weight_absorption import absorbed_errors, folding, score_parts\n\n"
        f"lm = tlmviz.load({name!r})\ntrace = lm.trace({text!r})\n"
        f"folded = folding(lm, {layer}, {head})  # .query @ .up_k is .score, .up_v @ .out is .value\n"
        f"content, rotary = score_parts(lm, trace, {layer}, {head})\n"
        "print(absorbed_errors(lm, trace))  # per layer, relative\n"
    )
