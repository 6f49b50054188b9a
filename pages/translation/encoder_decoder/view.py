"""Draws the page "Encoder & decoder": three maps, the shifted target, the leak, and where K and V come from."""

from __future__ import annotations

import streamlit as st

from tlmviz.figures.translation.cross_flow import cross_flow
from tlmviz.figures.translation.shifted_target import shifted_target
from tlmviz.figures.translation.token_map import beside, token_map
from tlmviz.ui import frame, reading

from . import compute, words
from .compute import LEARNED, MASKED
from .controls import Choice


def three_maps(choice: Choice) -> None:
    """The encoder's, the decoder's and the cross map of one layer and head."""
    pair, layer, head, theme = choice.pair, choice.layer, choice.head, frame.theme()
    source, inputs, maps = pair.source, pair.decoder_inputs, compute.maps(pair, choice.kind)
    encoder_layer = min(layer, len(maps.encoder) - 1)  # it may have fewer layers than the decoder
    figures = {
        "encoder": token_map(
            maps.encoder[encoder_layer, head],
            source,
            source,
            theme,
            title="Encoder: bidirectional (probability)",
            bar=False,
        ),
        "decoder": token_map(
            maps.decoder[layer, head],
            inputs,
            inputs,
            theme,
            title=f"Decoder: {words.MASKS[choice.kind]} (probability)",
            chosen=choice.token,
            mask="causal" if choice.kind == MASKED else "missing",
            bar=False,
        ),
        "cross": token_map(
            maps.cross[layer, head],
            inputs,
            source,
            theme,
            title="Cross: all of the source (probability)",
            chosen=choice.token,
        ),
    }
    for place, (name, figure) in zip(st.columns(beside(len(figures))), figures.items()):
        alt = f"Attention map of the {name}, layer {layer}, head {head}"
        with place:
            frame.chart(figure, key=f"ed-{name}", alt=alt)


def leak(choice: Choice) -> None:
    """The shifted target with the loss of every token, and what the copies write on their own."""
    pair, kinds = choice.pair, compute.kinds(choice.pair.model)
    losses = {words.NAMES[kind]: -compute.maps(pair, kind).logp for kind in kinds}
    figure = shifted_target(pair.decoder_inputs, pair.targets, losses, choice.token, frame.theme())
    with frame.wide("wide-shift", 620):
        frame.chart(
            figure,
            key="edshift",
            alt="What the decoder reads, what it must predict, and the loss of each token",
        )
    means = " · ".join(f"{name} **{values.mean():.3f}**" for name, values in losses.items())
    st.markdown(f"Mean loss in nats per token: {means}")
    st.markdown(
        "\n".join(words.free_running(kind, compute.written(pair.model, pair.text, kind)) for kind in kinds)
    )
    if LEARNED not in kinds:
        st.caption(
            f"No copy of {pair.model} was trained on without the mask; `tlmviz.training.unmasked` makes one."
        )


def keys_and_values(choice: Choice) -> None:
    """Where cross-attention's parts come from, with sizes from this pass."""
    pair, layer, head = choice.pair, choice.layer, choice.head
    weights, sizes = compute.maps(pair, MASKED).cross[layer, head, choice.token], compute.shapes(pair)
    figure = cross_flow(
        pair.source,
        pair.decoder_inputs,
        weights,
        choice.token,
        sizes,
        frame.theme(),
        plain=not reading.maths(),
    )
    with frame.wide("wide-flow", 620):
        frame.chart(
            figure,
            key="edflow",
            alt="Queries come from the decoder, keys and values from the encoder's memory",
        )
    heads, source, size = sizes["k"]
    frame.caption(
        f"Keys and values are computed once per sentence; only the query is new for each written token. Lines: weights of layer "
        f"{layer}, head {head}, the largest to “{pair.source[int(weights.argmax())].strip()}” ({weights.max():.4f}).",
        maths=f"Sizes of this pass: M is [S, C], K and V are [H, S, D], Q is [H, T, D]. Layer {layer} keeps {heads} × {source} × "
        f"{size} numbers each for K and V.",
    )
