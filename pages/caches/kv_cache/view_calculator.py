"""Draws the view Calculator of the page KV cache: bytes of any published or bundled shape, by formula."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from tlmviz.analysis.caches import cost, shapes
from tlmviz.analysis.caches.cost import Shape
from tlmviz.errors import Error
from tlmviz.figures.caches import kv_costs
from tlmviz.ui import frame

from . import compute, controls, words
from .controls import Choice, Deployment
from .view import footer


def calculator(choice: Choice) -> None:
    """Bytes of a shape at any batch, length and format; model and text of the choice are not read."""
    own = compute.own_shapes()
    deployment = controls.choose_deployment(own)
    shape, batch, length = deployment.shape, deployment.batch, deployment.length
    try:
        cache = cost.cache_bytes(shape, length, batch, deployment.bits, deployment.page)
        fits = cost.max_batch(
            shape, length, deployment.memory, deployment.bits, deployment.weight_bits, deployment.page
        )
    except Error as error:
        st.warning(str(error))
        _table(own)
        return
    weights = cost.weight_bytes(shape, deployment.weight_bits)
    numbers = st.columns([1.25, 1.25, 0.85, 0.85, 0.8])
    numbers[0].metric("Bytes per token", f"{cost.token_bytes(shape, deployment.bits):,.0f} B")
    numbers[1].metric(f"Cache of {batch:,} × {length:,} tokens", words.size(cache))
    numbers[2].metric("Weights", words.size(weights))
    numbers[3].metric(f"Requests in {deployment.memory / 1e9:,g} GB", f"{fits:,}")
    numbers[4].metric("≈ FLOP per token", words.size(cost.token_flops(shape, length), ""))
    left, right = st.columns([0.55, 0.45])
    with left:
        _per_request(deployment, own)
    with right:
        _memory(deployment, fits, weights)
    st.caption(words.remarks(deployment, fits, weights))
    if shape in own:
        frame.badges([compute.size_check(shape.name, length)])
    _table(own)
    footer(choice.view, words.calculator_snippet(deployment, shape in own))


def _per_request(deployment: Deployment, own: tuple[Shape, ...]) -> None:
    """One request's cache for every published shape, and for the chosen one."""
    shape, length = deployment.shape, deployment.length
    compared = (*shapes.SHAPES, *((shape,) if shape in own else ()))
    values = np.array(
        [cost.cache_bytes(other, length, 1, deployment.bits, deployment.page) for other in compared]
    )
    beyond = np.array([length > other.context for other in compared])
    names, kinds = [other.name for other in compared], [other.kind for other in compared]
    title = words.request_title(length)
    figure = kv_costs.per_request(
        names, kinds, values, beyond, compared.index(shape), frame.theme(), title=title
    )
    frame.chart(figure, key="kvshapes", alt=words.KVSHAPES_ALT)


def _memory(deployment: Deployment, fits: int, weights: float | None) -> None:
    """Weights and caches against the length, up to where the memory is full."""
    shape, batch, length = deployment.shape, deployment.batch, deployment.length
    full = min(1.3 * max(1, fits) * length / batch, 1000 * length)
    lengths = np.unique(np.geomspace(1, max(4 * length, shape.context, full), 80).astype(int))
    cache = np.array(
        [cost.cache_bytes(shape, int(at), batch, deployment.bits, deployment.page) for at in lengths]
    )
    title = f"{shape.name}: weights and {batch:,} request{'s' * (batch > 1)}"
    figure = kv_costs.memory(lengths, cache, weights, deployment.memory, length, frame.theme(), title=title)
    frame.chart(figure, key="kvmemory", alt=words.KVMEMORY_ALT)


def _table(own: tuple[Shape, ...]) -> None:
    """All shapes with their sources."""
    rows = [
        {
            "Model": shape.name,
            "Attention": shape.kind,
            "Source": shape.source,
            "Layers": shape.n_layers,
            "d_model": shape.d_model,
            "Query heads": shape.heads,
            "KV heads": "" if shape.latent else str(shape.groups),
            "Head dim": shape.head_dim,
            "Latent + RoPE": f"{shape.latent} + {shape.rope}" if shape.latent else "",
            "Vocabulary": shape.vocab,
            "Context": shape.context,
        }
        for shape in (*shapes.SHAPES, *own)
    ]
    localized = {
        name: st.column_config.NumberColumn(format="localized")
        for name in ("d_model", "Vocabulary", "Context")
    }
    st.dataframe(pd.DataFrame(rows), hide_index=True, column_config=localized)
