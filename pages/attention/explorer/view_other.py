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

from . import words
from .controls import Choice
from .view_downloads import downloads

HEADS, IMAGE = "cross-heads", "patches"  # keys of the charts
TILE = 24  # cells of a head's pooled map
SHOWN = 60  # queries, and keys, that are drawn of a map at once


def cross(choice: Choice) -> None:
    """All heads of one text's attention to another, and the chosen head with both texts' tokens."""
    trace, (layer, head) = choice.trace, choice.view.head
    left, right = st.columns([0.4, 0.6], gap="small")
    with left:
        pictures = trace.overview(TILE).float().numpy()
        figure = other_maps.all_heads(pictures, (layer, head), frame.theme())
        frame.chart(
            figure,
            key=HEADS,
            alt=words.CROSS_ALT,
            select="points",
            on_select=_head_clicked,
        )
    with right:
        rows, cols = (_window(len(names), choice.query) for names in (trace.tokens, trace.key_tokens))
        weights = trace.attention(layer, head, rows=rows, cols=cols).numpy()
        figure = token_map(
            weights,
            readable_all(trace.tokens[rows]),
            readable_all(trace.key_tokens[cols]),
            frame.theme(),
            title=words.cross_title(layer, head),
            x="read",
            y="reading",
            height=430,
        )
        frame.chart(figure, key="cross-map", alt=words.cross_map_alt(layer, head))
    st.caption(words.cross(choice, rows, cols))
    downloads(choice)


def over_patches(choice: Choice, patches: Patches) -> None:
    """What one place of an image attends to, drawn over the image; a click on a patch asks from there."""
    trace, (layer, head) = choice.trace, choice.view.head
    first = len(trace) - patches.count
    row = trace.attention(layer, head, rows=slice(choice.query, choice.query + 1))[0].numpy()
    place = choice.query - first
    asked = divmod(place, patches.columns) if place >= 0 else None
    figure = other_maps.over_image(
        row[first:].reshape(patches.rows, patches.columns),
        png(patches.pixels),
        patches.pixels.shape[:2],
        asked,
        frame.theme(),
        title=words.over_patches_title(layer, head, readable(trace.tokens[choice.query])),
    )
    frame.chart(
        figure,
        key=IMAGE,
        alt=words.over_patches_alt(layer, head),
        select="points",
        on_select=lambda: _patch_clicked(first),
    )
    st.caption(words.over_patches(float(row[first:].sum()), first))


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
    points = frame.selection(HEADS).get("points")
    if points:
        link.choose_head(*map(int, points[0]["customdata"]))


def _patch_clicked(first: int) -> None:
    points = frame.selection(IMAGE).get("points")
    if points:
        link.remember(replace(link.view(), query=first + int(points[0]["customdata"]), key=None))
        link.share()
