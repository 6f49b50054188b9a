"""What the page "Long context" keeps: its text, cached passes, surveys and measures, and its controls."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.kernels import long_context, sparse_methods
from tlmviz.analysis.kernels.long_context import LONGEST, Survey
from tlmviz.analysis.kernels.sparse_methods import Measures, Method
from tlmviz.analysis.samples import sample_text
from tlmviz.checks import Check
from tlmviz.checks.long import CHECKS_LONG
from tlmviz.errors import BadShape
from tlmviz.language_model import LanguageModel
from tlmviz.layers import linear, sparse
from tlmviz.trace import Trace
from tlmviz.ui import compute
from tlmviz.ui import link as state

SAMPLE, WRITTEN, OWN = "Sample stories", "Stories by the model", "Your own text"
LENGTHS = (256, 1024, 2048, 4096, 8192, LONGEST)
IN_LINK = 2000  # characters of an own text that still go into the link
EXACT = long_context.EXACT
HEAD_SIZE = 128  # bins of the chosen head's map
LARGEST, SMALLEST = 256, 8  # tokens along a tile's side, at most, and at least when dragged

# --- text -------------------------------------------------------------------------------------------


def text(name: str) -> str | None:
    """The text that the page reads, bundled, written by the model or by the user; None when there is nothing to read yet."""
    use_example("src")
    source, length, seed, wide = st.columns([0.46, 0.22, 0.12, 0.2], vertical_alignment="center")
    kind = source.segmented_control(
        "Text",
        (SAMPLE, WRITTEN, OWN),
        default=SAMPLE,
        key="src",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    if kind != OWN:
        tokens = length.select_slider(
            "Tokens", LENGTHS, 2048, key="ltok", bind="query-params", label_visibility="collapsed"
        )
    if kind == SAMPLE:
        return sample(name, tokens)
    if kind == WRITTEN:
        seed = seed.number_input(
            "Seed", 0, 9999, 0, key="draw", bind="query-params", label_visibility="collapsed", help="Seed"
        )
        with wide, st.spinner(f"{name} writes {tokens:,} tokens of stories …", show_time=True):
            return stories(name, tokens, seed)
    return own_text(length)


def own_text(place) -> str | None:
    """The text that the user wrote or pasted, in a box that opens at `place`; a sentence asks for one when it is empty."""
    if "own" not in st.session_state and "own" in st.query_params:
        st.session_state["own"] = st.query_params["own"]
    with place.popover("Write or paste", width="stretch"):
        typed = st.text_area(
            "Your text",
            key="own",
            height=320,
            persist_state="session",
            placeholder="Paste up to about 60,000 characters.",
            help=f"Up to {LONGEST:,} tokens are read. Press Ctrl+Enter, or click outside the box.",
        )
    typed = typed or ""
    _share_text(typed)
    if not typed:
        st.info("The text is empty; paste one, or let the model write stories.")
        return None
    return typed


def use_example(source: str) -> None:
    """An example that was picked becomes the own text, unless the user wrote one; `source` is the key of a page's choice."""
    picked = st.session_state.get("_picked", 0)
    if picked != st.session_state.setdefault("_long_picked", picked):
        st.session_state["_long_picked"] = picked
        if st.session_state.get("own", "") in ("", *state.EXAMPLES.values()):
            st.session_state["own"], st.session_state[source] = st.session_state["text"], OWN


def _share_text(typed: str) -> None:
    if 0 < len(typed) <= IN_LINK:
        if st.query_params.get("own") != typed:
            st.query_params["own"] = typed
    elif "own" in st.query_params:
        del st.query_params["own"]


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


# Streamlit would walk through 16,384 ids for a quarter of a second, at every look into a cache.
FAST = {tuple: hash}

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
    return compute.alone(" " * tokens, lambda: long_context.write_stories(lm, tokens, seed))


# 16,384 tokens of the default model are about 240 MB.
@st.cache_resource(max_entries=2, show_spinner=False, hash_funcs=FAST)
def passed(name: str, ids: tuple[int, ...]) -> tuple[Trace, np.ndarray, float]:
    """One pass: its trace, the loss of each next token [T - 1], and the seconds it took."""
    lm = compute.model(name)

    def work():
        start = time.perf_counter()
        trace = long_context.long_trace(lm, list(ids))
        return trace, long_context.loss_along(lm, trace).numpy(), time.perf_counter() - start

    return _alone(ids, work)


@st.cache_resource(max_entries=48, show_spinner=False, hash_funcs=FAST)
def layer_survey(name: str, ids: tuple[int, ...], layer: int, every: bool) -> Survey:
    """One layer's maps and distances."""
    trace, context = passed(name, ids)[0], compute.model(name).config.context
    return _alone(
        ids, lambda: long_context.survey(trace, layer, context, rows=slice(0, None, 1) if every else None)
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


@st.cache_resource(max_entries=32, show_spinner=False, hash_funcs=FAST)
def pooled(name: str, ids: tuple[int, ...], layer: int, head: int) -> np.ndarray:
    """The chosen head's pooled map, exact, from every query."""
    trace = passed(name, ids)[0]
    return _alone(ids, lambda: trace.pooled(layer, head, min(HEAD_SIZE, len(trace))).numpy())


def tile(name: str, ids: tuple[int, ...], layer: int, head: int, where: tuple[int, int, int]) -> torch.Tensor:
    """Exact probabilities of a tile (first query, first key, side), [R, C]."""
    trace, (row, col, side) = passed(name, ids)[0], where
    return compute.alone(
        "", lambda: trace.attention(layer, head, slice(row, row + side), slice(col, col + side))
    )


@st.cache_resource(max_entries=256, show_spinner=False, hash_funcs=FAST)
def measured(name: str, ids: tuple[int, ...], layer: int, method: Method) -> Measures:
    """What a method covers in one layer."""
    trace = passed(name, ids)[0]
    return _alone(ids, lambda: sparse_methods.measure(trace, layer, method))


@st.cache_data(max_entries=256, show_spinner=False, hash_funcs=FAST)
def loss(name: str, ids: tuple[int, ...], method: Method | None) -> float:
    """Nats per token of a real pass with a method in every layer; `ids` are cut to what such a pass reads."""
    lm = compute.model(name)
    return _alone(ids, lambda: sparse_methods.mean_loss(lm, list(ids), method))


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs=FAST)
def picture(name: str, ids: tuple[int, ...], layer: int, method: Method) -> np.ndarray:
    """A method's pattern over the text, [H, n, n]."""
    trace = passed(name, ids)[0]
    return _alone(ids, lambda: sparse_methods.picture(trace, layer, method))


@st.cache_data(max_entries=32, show_spinner=False, hash_funcs=FAST)
def checks(name: str, ids: tuple[int, ...]) -> list[Check]:
    """The identities behind this page, on this text."""
    lm, trace = compute.model(name), passed(name, ids)[0]
    return _alone(ids, lambda: [check(lm, trace) for check in CHECKS_LONG])


def _alone(ids: tuple[int, ...], work):
    def without_grad():
        with torch.inference_mode():
            return work()

    return compute.alone(" " * (4 * len(ids)), without_grad)  # about four characters a token


# --- controls ---------------------------------------------------------------------------------------


def head_menu(layers: int, heads: int, places) -> tuple[int, int]:
    """Layer and head, tied to the view that all pages share."""
    shown = state.view().fitted(layers, heads, 1)
    st.session_state["_layer"], st.session_state["_head"] = shown.head
    for place, label, count in zip(places, ("Layer", "Head"), (layers, heads)):
        place.selectbox(
            label,
            range(count),
            key=f"_{label.lower()}",
            on_change=_keep_head,
            format_func=f"{label} {{}}".format,
            label_visibility="collapsed",
        )
    return shown.head


def _keep_head() -> None:
    choose_head(st.session_state["_layer"], st.session_state["_head"])


def choose_head(layer: int, head: int) -> None:
    """Make a head the one that all pages show."""
    state.remember(replace(state.view(), head=(layer, head)))
    state.share()


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
    chosen: dict[str, Method] = {"Full": sparse.Mask()}
    for name in METHODS:
        if name in (names or []):
            try:
                chosen[name] = METHODS[name](sizes)
            except BadShape as error:
                st.warning(f"{error} It is left out.")
    return chosen
