"""What the page "Long context" keeps: its text, cached passes, surveys and measures, and its controls."""

from __future__ import annotations

import time

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.kernels import long_context, sparse_methods
from tlmviz.analysis.kernels.long_context import LONGEST, Survey
from tlmviz.analysis.kernels.sparse_methods import Measures, Method
from tlmviz.analysis.samples import sample_text
from tlmviz.checks import Check, kernels_tiles, measure
from tlmviz.checks import kernels as kernel_checks
from tlmviz.errors import BadShape
from tlmviz.language_model import LanguageModel
from tlmviz.layers import linear, sparse
from tlmviz.trace import Trace
from tlmviz.ui import compute, long_text

WRITTEN = "Stories by the model"
LENGTHS = (256, 1024, 2048, 4096, 8192, LONGEST)
EXACT = long_context.EXACT
HEAD_SIZE = 128  # bins of the chosen head's map
LARGEST, SMALLEST = 256, 8  # tokens along a tile's side, at most, and at least when dragged

# --- text -------------------------------------------------------------------------------------------


def text(name: str) -> str | None:
    """The text that the page reads, bundled, written by the model or by the user; None when there is nothing to read yet."""
    long_text.take_example("src")
    source, length, seed, wide = st.columns([0.46, 0.22, 0.12, 0.2], vertical_alignment="center")
    kind = source.segmented_control(
        "Text",
        (long_text.SAMPLE, WRITTEN, long_text.OWN),
        default=long_text.SAMPLE,
        key="src",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    if kind != long_text.OWN:
        tokens = length.select_slider(
            "Tokens", LENGTHS, 2048, key="ltok", bind="query-params", label_visibility="collapsed"
        )
    if kind == long_text.SAMPLE:
        return sample(name, tokens)
    if kind == WRITTEN:
        seed = seed.number_input(
            "Seed", 0, 9999, 0, key="draw", bind="query-params", label_visibility="collapsed", help="Seed"
        )
        with wide, st.spinner(f"{name} writes {tokens:,} tokens of stories …", show_time=True):
            return stories(name, tokens, seed)
    return long_text.own_text(length)


def readable(lm: LanguageModel, whole: str) -> list[int]:
    """Ids of the part of a text that this page and this model can read; a sentence says what was cut."""
    ids = [lm.tokenizer.end_of_text, *lm.tokenizer.encode(whole)]
    limit, learned = lm.config.context, lm.config.positions.kind == "learned"
    if learned and len(ids) > limit:
        st.warning(
            f"{lm.name} has learned vectors for {limit:,} positions and cannot read beyond them: of {len(ids):,} tokens the "
            f"first {limit:,} are shown. Models with RoPE can go on."
        )
        return ids[:limit]
    if len(ids) > LONGEST:
        st.warning(
            f"This text has {len(ids):,} tokens and the page reads {LONGEST:,}: the first {LONGEST:,} are shown."
        )
    return ids[:LONGEST]


# --- computed once ----------------------------------------------------------------------------------


@st.cache_data(max_entries=16, show_spinner=False)
def sample(name: str, tokens: int) -> str:
    """So many tokens of the bundled stories, or all there are; the model puts one before them."""
    tokenizer = compute.model(name).tokenizer
    return tokenizer.decode(tokenizer.encode(sample_text())[: tokens - 1])


@st.cache_data(max_entries=16, show_spinner=False)
def stories(name: str, tokens: int, seed: int) -> str:
    """Stories that the model wrote, joined."""
    lm = compute.model(name)
    return compute.run_in_worker(lambda: long_context.write_stories(lm, tokens, seed), tokens)


# 16,384 tokens of the default model are about 240 MB.
@st.cache_resource(max_entries=2, show_spinner=False, hash_funcs=long_text.HASH_FAST)
def passed(name: str, ids: tuple[int, ...]) -> tuple[Trace, np.ndarray, float]:
    """One pass: its trace, the loss of each next token [T - 1], and the seconds it took."""
    lm = compute.model(name)

    def work():
        start = time.perf_counter()
        trace = long_context.long_trace(lm, list(ids))
        return trace, long_context.loss_along(lm, trace).numpy(), time.perf_counter() - start

    return compute.run_in_worker(work, len(ids))


@st.cache_resource(max_entries=48, show_spinner=False, hash_funcs=long_text.HASH_FAST)
def layer_survey(name: str, ids: tuple[int, ...], layer: int, every: bool) -> Survey:
    """One layer's maps and distances."""
    trace, context = passed(name, ids)[0], compute.model(name).config.context
    return compute.run_in_worker(
        lambda: long_context.survey(trace, layer, context, rows=slice(0, None, 1) if every else None),
        len(ids),
    )


def survey(name: str, ids: tuple[int, ...], every: bool) -> list[Survey]:
    """All layers, one after the other, so that others get their turn and a bar can move."""
    layers, found = compute.model(name).config.n_layers, []
    place = st.empty()
    for layer in range(layers):
        with (
            place,
            st.spinner(f"Reading the maps of all heads: layer {layer + 1} of {layers} …", show_time=True),
        ):
            found.append(layer_survey(name, ids, layer, every))
    place.empty()
    return found


@st.cache_resource(max_entries=32, show_spinner=False, hash_funcs=long_text.HASH_FAST)
def pooled(name: str, ids: tuple[int, ...], layer: int, head: int) -> np.ndarray:
    """The chosen head's pooled map, exact, from every query."""
    trace = passed(name, ids)[0]
    return compute.run_in_worker(
        lambda: trace.pooled(layer, head, min(HEAD_SIZE, len(trace))).numpy(), len(ids)
    )


def tile(name: str, ids: tuple[int, ...], layer: int, head: int, where: tuple[int, int, int]) -> torch.Tensor:
    """Exact probabilities of a tile (first query, first key, side), [R, C]."""
    trace, (row, col, side) = passed(name, ids)[0], where
    return compute.run_in_worker(
        lambda: trace.attention(layer, head, slice(row, row + side), slice(col, col + side))
    )


@st.cache_resource(max_entries=256, show_spinner=False, hash_funcs=long_text.HASH_FAST)
def measured(name: str, ids: tuple[int, ...], layer: int, method: Method) -> Measures:
    """What a method covers in one layer."""
    trace = passed(name, ids)[0]
    return compute.run_in_worker(lambda: sparse_methods.measure(trace, layer, method), len(ids))


@st.cache_data(max_entries=256, show_spinner=False, hash_funcs=long_text.HASH_FAST)
def loss(name: str, ids: tuple[int, ...], method: Method | None) -> float:
    """Nats per token of a real pass with a method in every layer; `ids` are cut to what such a pass reads."""
    lm = compute.model(name)
    return compute.run_in_worker(lambda: sparse_methods.mean_loss(lm, list(ids), method), len(ids))


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs=long_text.HASH_FAST)
def picture(name: str, ids: tuple[int, ...], layer: int, method: Method) -> np.ndarray:
    """A method's pattern over the text, [H, n, n]."""
    trace = passed(name, ids)[0]
    return compute.run_in_worker(lambda: sparse_methods.picture(trace, layer, method), len(ids))


@st.cache_data(max_entries=32, show_spinner=False, hash_funcs=long_text.HASH_FAST)
def checks(name: str, ids: tuple[int, ...]) -> list[Check]:
    """The identities behind this page, on this text."""
    lm, trace = compute.model(name), passed(name, ids)[0]

    def work() -> list[Check]:
        case = kernels_tiles.tiles(trace)
        tiled = [kernels_tiles.tiles_are_attention(*case), kernels_tiles.order_of_tiles_is_free(*case)]
        return [*tiled, *measure(kernel_checks, lm, trace)]

    return compute.run_in_worker(work, len(ids))


# --- controls ---------------------------------------------------------------------------------------


def tile_menu(length: int, places) -> tuple[int, int, int]:
    """The tile's first query, first key and side, in numbers and in the link; kept inside the text."""
    row, col, side = (
        place.number_input(label, low, high, value, key=key, bind="query-params")
        for place, label, low, high, value, key in zip(
            places,
            ("From query", "From key", "Tokens"),
            (0, 0, 1),
            (LONGEST, LONGEST, LARGEST),
            (1040, 1028, 20),
            ("trow", "tcol", "tside"),
        )
    )
    side = min(side, length)
    return min(row, length - side), min(col, length - side), side


def tile_from_box(x: list[float], y: list[float]) -> tuple[int, int, int]:
    """The tile (first query, first key, side) at a dragged box of keys `x` and queries `y`: its middle, SMALLEST to LARGEST."""
    side = min(max(round(max(abs(x[1] - x[0]), abs(y[1] - y[0]))), SMALLEST), LARGEST)
    row, col = (max(0, round((ends[0] + ends[1]) / 2 - side / 2)) for ends in (y, x))
    return row, col, side


SETTINGS = {  # session key: label, default, where it is used
    "lwin": ("Window", 256, "Sliding window, Longformer, BigBird, dilated window"),
    "lblk": ("Block", 256, "Block-local"),
    "lglob": ("Global tokens", 4, "Longformer and BigBird: the text's first tokens"),
    "lrand": ("Random keys", 16, "BigBird, drawn per query"),
    "lstr": ("Stride", 64, "Strided"),
    "lgap": ("Gap", 4, "Dilated window"),
    "lbkt": ("Buckets", 16, "LSH"),
    "lrnd": ("Hash rounds", 2, "LSH"),
    "lfeat": ("Features", 128, "Performer"),
    "lseed": ("Seed", 0, "BigBird, LSH and Performer draw at random"),
}
METHODS = {
    "Sliding window": lambda s: sparse.Window(s["lwin"]),
    "Block-local": lambda s: sparse.Blocks(s["lblk"]),
    "Longformer": lambda s: sparse.Longformer(s["lwin"], s["lglob"]),
    "BigBird": lambda s: sparse.BigBird(s["lwin"], s["lglob"], s["lrand"], s["lseed"]),
    "Strided": lambda s: sparse.Strided(s["lstr"]),
    "Dilated window": lambda s: sparse.Dilated(s["lwin"], s["lgap"]),
    "LSH buckets": lambda s: sparse.Hashed(s["lbkt"], s["lrnd"], s["lseed"]),
    "Linear (elu + 1)": lambda s: linear.Elu(),
    "Performer": lambda s: linear.Performer(s["lfeat"], s["lseed"]),
}
COMPARED = ["Sliding window", "Block-local", "Longformer", "LSH buckets", "Performer"]


def methods() -> dict[str, Method]:
    """The chosen methods with their sizes; one that makes no sense is left out and a sentence says why."""
    left, right = st.columns([0.82, 0.18], vertical_alignment="center")
    names = left.pills(
        "Compare",
        list(METHODS),
        selection_mode="multi",
        default=COMPARED,
        key="masks",
        bind="query-params",
        label_visibility="collapsed",
        wrap=True,
    )
    with right.popover("Sizes and seeds", width="stretch"):
        sizes = {
            key: st.number_input(label, 0, LONGEST, value, key=key, bind="query-params", help=where)
            for key, (label, value, where) in SETTINGS.items()
        }
    chosen: dict[str, Method] = {"Full": sparse.SparsePattern()}
    for name in METHODS:
        if name in (names or []):
            try:
                chosen[name] = METHODS[name](sizes)
            except BadShape as error:
                st.warning(f"{error} It is left out.")
    return chosen
