"""The calculator of the page "KV cache": bytes of any published or bundled shape, by formula."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.analysis.caches import cost, shapes
from tlmviz.analysis.caches.cost import Shape
from tlmviz.errors import Error
from tlmviz.figures.caches import kv_costs
from tlmviz.ui import frame

from . import compute as cache_state
from .compute import CALCULATOR, Setting
from .view import end, line
from .words import calculator_snippet, size


def calculator() -> None:
    """Bytes of any shape at any batch, length and format."""
    own = cache_state.own_shapes()
    asked = cache_state.setting(own)
    shape, theme = asked.shape, frame.theme()
    try:
        whole = cost.cache_bytes(shape, asked.length, asked.batch, asked.bits, asked.page)
        fits = cost.max_batch(shape, asked.length, asked.memory, asked.bits, asked.weight_bits, asked.page)
    except Error as error:
        st.warning(str(error))
        _table(own)
        return
    weights = cost.weight_bytes(shape, asked.weight_bits)
    numbers = st.columns([1.25, 1.25, 0.85, 0.85, 0.8])
    numbers[0].metric("Bytes per token", f"{cost.token_bytes(shape, asked.bits):,.0f} B")
    numbers[1].metric(f"Cache of {asked.batch:,} × {asked.length:,} tokens", size(whole))
    numbers[2].metric("Weights", size(weights))
    numbers[3].metric(f"Requests in {asked.memory / 1e9:,g} GB", f"{fits:,}")
    numbers[4].metric("FLOP per token, about", size(cost.token_flops(shape, asked.length), ""))
    shown = (*shapes.SHAPES, *((shape,) if shape in own else ()))
    values = np.array([cost.cache_bytes(one, asked.length, 1, asked.bits, asked.page) for one in shown])
    beyond = np.array([asked.length > one.context for one in shown])
    left, right = st.columns([0.55, 0.45])
    with left:
        title = f"One request of {asked.length:,} tokens (pale: beyond the context)"
        names, kinds = [one.name for one in shown], [one.kind for one in shown]
        figure = kv_costs.per_request(names, kinds, values, beyond, shown.index(shape), theme, title=title)
        frame.chart(figure, key="kvshapes", alt="Bytes of one request's cache for every published shape")
    with right:
        full = min(
            1.3 * max(1, fits) * asked.length / asked.batch, 1000 * asked.length
        )  # where the memory is full
        lengths = np.unique(np.geomspace(1, max(4 * asked.length, shape.context, full), 80).astype(int))
        cache = np.array(
            [cost.cache_bytes(shape, int(at), asked.batch, asked.bits, asked.page) for at in lengths]
        )
        title = f"{shape.name}: weights and {asked.batch:,} request{'s' * (asked.batch > 1)}"
        figure = kv_costs.memory(lengths, cache, weights, asked.memory, asked.length, theme, title=title)
        frame.chart(
            figure, key="kvmemory", alt="Weights and caches against the length, beside the memory there is"
        )
    _remarks(asked, fits, weights)
    if shape in own:
        frame.badges([cache_state.size_check(shape.name, asked.length)])
    _table(own)
    end(CALCULATOR, calculator_snippet(asked, shape in own))


def _remarks(asked: Setting, fits: int, weights: float | None) -> None:
    shape, words = asked.shape, []
    if weights is not None and weights > asked.memory:
        words.append(f"The weights alone need {size(weights)}.")
    elif fits < asked.batch:
        words.append(f"{asked.batch:,} at once do not fit beside the weights.")
    if asked.length > shape.context:
        words.append(f"{shape.name} was made to read {shape.context:,} tokens.")
    words.append(
        f"{shape.name}: {shape.kind}, {line(shape)} numbers per token and layer, {shape.n_layers} layers. "
    )
    words.append("All by formula. FLOP: 2 × parameters that a token meets, and its attention.")
    st.caption(" ".join(words))


def _table(own: tuple[Shape, ...]) -> None:
    rows = [
        {
            "Model": one.name,
            "Attention": one.kind,
            "Source": one.source,
            "Layers": one.n_layers,
            "d_model": one.d_model,
            "Query heads": one.heads,
            "KV heads": "" if one.latent else str(one.groups),
            "Head dim": one.head_dim,
            "Latent + RoPE": f"{one.latent} + {one.rope}" if one.latent else "",
            "Vocabulary": one.vocab,
            "Context": one.context,
        }
        for one in (*shapes.SHAPES, *own)
    ]
    whole = {
        name: st.column_config.NumberColumn(format="localized")
        for name in ("d_model", "Vocabulary", "Context")
    }
    st.dataframe(pd.DataFrame(rows), hide_index=True, column_config=whole)
