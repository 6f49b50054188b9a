"""Draws what is no causal text: maps between two texts, and one query's weights over an image's patches."""

from __future__ import annotations

import base64
import io
from dataclasses import replace

import numpy as np
import streamlit as st
from PIL import Image

from tlmviz.figures import readable, readable_all
from tlmviz.figures.attention import other_maps
from tlmviz.figures.translation.token_map import token_map
from tlmviz.patches import Patches
from tlmviz.ui import frame, link
from tlmviz.ui.language import _

from . import claims
from .data import Data

HEADS, IMAGE = "cross-heads", "patches"  # keys of the charts
TILE = 24  # cells of a head's pooled map
SHOWN = 60  # queries, and keys, that are drawn of a map at once


def cross(shown: Data) -> None:
    """All heads of one text's attention to another, and the chosen head with both texts' tokens."""
    trace, (layer, head) = shown.trace, shown.chosen.view.head
    left, right = st.columns([0.4, 0.6], gap="small")
    with left:
        pictures = trace.overview(TILE).float().numpy()
        figure = other_maps.all_heads(pictures, (layer, head), frame.theme())
        frame.chart(
            figure, key=HEADS, alt=_("Every head's map between two texts"), select="points", on_select=_head_clicked
        )
    with right:
        rows, cols = (_window(len(names), shown.query) for names in (trace.tokens, trace.key_tokens))
        weights = trace.attention(layer, head, rows=rows, cols=cols).numpy()
        figure = token_map(
            weights,
            readable_all(trace.tokens[rows]),
            readable_all(trace.key_tokens[cols]),
            frame.theme(),
            title=_("L{layer}H{head}: each token's attention to the other text (probability)", layer=layer, head=head),
            x="read",
            y="reading",
            height=430,
        )
        frame.chart(
            figure, key="cross-map", alt=_("L{layer}H{head}: queries by keys of another text", layer=layer, head=head)
        )
    st.caption(claims.crossing(shown, rows, cols))
    downloads(shown)


def over_patches(shown: Data, patches: Patches) -> None:
    """What one place of an image attends to, drawn over the image; a click on a patch asks from there."""
    trace, (layer, head) = shown.trace, shown.chosen.view.head
    first = len(trace) - patches.count
    row = trace.attention(layer, head, rows=slice(shown.query, shown.query + 1))[0].numpy()
    place = shown.query - first
    asked = divmod(place, patches.columns) if place >= 0 else None
    figure = other_maps.over_image(
        row[first:].reshape(patches.rows, patches.columns),
        png(patches.pixels),
        patches.pixels.shape[:2],
        asked,
        frame.theme(),
        title=_(
            "L{layer}H{head}: what {token} attends to",
            layer=layer,
            head=head,
            token=readable(trace.tokens[shown.query]),
        ),
    )
    frame.chart(
        figure,
        key=IMAGE,
        alt=_("Weights of L{layer}H{head} over the image", layer=layer, head=head),
        select="points",
        on_select=lambda: _patch_clicked(first),
    )
    st.caption(claims.over_patches(float(row[first:].sum()), first))


def downloads(shown: Data) -> None:
    """The map as CSV, the trace as NPZ; both are made when they are asked for."""
    layer, head = shown.chosen.view.head
    left, right = st.columns(2)
    left.download_button(
        _("Map of L{layer}H{head} (CSV)", layer=layer, head=head),
        shown.map_csv,
        f"tlmviz-{shown.chosen.model}-L{layer}H{head}.csv",
        "text/csv",
        on_click="ignore",
        width="stretch",
    )
    right.download_button(
        _("Trace: ids, q, k, v, lse, logits (NPZ)"),
        shown.trace_npz,
        f"tlmviz-{shown.chosen.model}.npz",
        "application/octet-stream",
        on_click="ignore",
        width="stretch",
    )


def png(pixels: np.ndarray) -> str:
    """An image [y, x, 3] as an address that holds it."""
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


def _window(count: int, around: int) -> slice:
    """The places that are drawn: all of a short text, else those around the chosen one."""
    first = max(0, min(around - SHOWN // 2, count - SHOWN))
    return slice(first, min(count, first + SHOWN))


def _head_clicked() -> None:
    if head := frame.clicked(HEADS, 2):
        link.choose_head(*head)


def _patch_clicked(first: int) -> None:
    if patch := frame.clicked(IMAGE):
        link.remember(replace(link.view(), query=first + patch[0], key=None))
