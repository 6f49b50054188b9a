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
            title=words.CROSS_ALL_TITLE,
            chosen=choice.token,
        ),
    }
    for place, (name, figure) in zip(st.columns(beside(len(figures))), figures.items()):
        alt = words.map_alt(name, layer, head)
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
            alt=words.EDSHIFT_ALT,
        )
    means = " · ".join(f"{name} **{values.mean():.3f}**" for name, values in losses.items())
    st.markdown(words.mean_losses(means))
    st.markdown(
        "\n".join(words.free_running(kind, compute.written(pair.model, pair.text, kind)) for kind in kinds)
    )
    if LEARNED not in kinds:
        st.caption(words.no_copy_caption(pair.model))


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
            alt=words.EDFLOW_ALT,
        )
    heads, source, size = sizes["k"]
    frame.caption(
        words.keys_values_caption(layer, head, pair.source[int(weights.argmax())].strip(), weights.max()),
        maths=words.sizes_caption(layer, heads, source, size),
    )
