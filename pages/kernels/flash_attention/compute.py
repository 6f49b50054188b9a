"""What the page "FlashAttention" keeps: its cached walks, its controls, its checks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st
import torch

from tlmviz import kernels
from tlmviz.analysis.kernels import online_softmax, roofline
from tlmviz.checks import Check, kernels_rows, kernels_tiles
from tlmviz.errors import Error
from tlmviz.ui import compute

PARTS = ("One row", "Tiles", "Memory and time")
SIZES = (4, 8, 16, 32, 64)
LENGTHS = tuple(2**power for power in range(7, 18))
WIDTHS = (32, 64, 128, 256)
MEMORIES = (16, 32, 48, 64, 100, 128, 164, 228, 512, 1024)  # kB
PAPER = "from the memory"
TILES = (PAPER, "16 × 16", "32 × 32", "64 × 64", "128 × 64", "128 × 128")
PRESETS = {
    "One at 1e4": "The largest logit becomes 10,000",
    "One at −1e4": "The largest logit becomes −10,000",
    "All + 100": "100 is added to every logit: the softmax stays the same",
    "Half −inf": "Every second logit is −inf, as behind a mask",
    "All equal": "Every logit is 1",
    "All −inf": "A row that sees nothing",
}


@dataclass(frozen=True)
class Row:
    """One query's logits [N] and values [N, D] with the keys' tokens, the last N of those the query sees."""

    x: np.ndarray
    v: np.ndarray
    tokens: list[str]
    first: int  # position of the first key
    seen: int  # keys the query sees in all


@st.cache_resource(max_entries=64, show_spinner=False)
def row(name: str, text: str, layer: int, head: int, query: int) -> Row:
    """The model's own row: at most the last 64 of the keys that a query sees."""
    trace = compute.trace(name, text)

    def work() -> Row:
        q, k, _ = trace.qk(layer, head)
        spec = trace.specs[layer]
        mask = spec.mask.of_heads(slice(head, head + 1))
        rows = slice(query, query + 1)
        scores = kernels.attention_scores(q[None, None], k[None, None], mask, rows=rows, scale=spec.scale)[
            0, 0, 0
        ]
        keys = torch.isfinite(scores).nonzero().flatten()
        kept = keys[-online_softmax.LONGEST :]
        v = trace[f"blocks.{layer}.attn.v"][0]
        v = v[head * v.shape[0] // trace.n_heads]
        tokens = [trace.tokens[i] for i in kept.tolist()]
        return Row(scores[kept].numpy(), v[kept].numpy(), tokens, int(kept[0]), len(keys))

    return compute.run_in_worker(work, compute.about(text))


@st.cache_resource(max_entries=16, show_spinner=False)
def tile_walk(name: str, text: str, layer: int, head: int, rows: int, cols: int):
    """A head's inputs and its tiles (the first 64 positions), the weights [T, T], and both checks."""
    trace = compute.trace(name, text)

    def work():
        inputs, done, weights = case = kernels_tiles.tiles(trace, layer, head, rows, cols)
        checks = [kernels_tiles.tiles_are_attention(*case), kernels_tiles.order_of_tiles_is_free(*case)]
        return inputs, done, weights.numpy(), checks

    return compute.run_in_worker(work, compute.about(text))


def row_checks(walks: tuple[online_softmax.Walk, ...]) -> list[Check]:
    """The online algorithms against float64, and naive against online where naive does not overflow."""
    checks = [kernels_rows.online_is_softmax(walks), kernels_rows.one_pass_is_attention(walks)]
    if walks[0].finite:
        checks.append(kernels_rows.naive_is_online(walks))
    return checks


# --- controls --------------------------------------------------------------------------------------


def logits_box(own: Row) -> Row:
    """The field for logits typed by hand and its presets. Returns the row to walk: the model's own where nothing fits."""
    limit = len(own.x)
    field, menu = st.columns([0.7, 0.3], vertical_alignment="center")
    typed = field.text_input(
        "Logits",
        key="logits",
        bind="query-params",
        live="150ms",
        label_visibility="collapsed",
        max_chars=2000,
        placeholder="The model's own logits. Type others: 2.5, -1, 1e4, -inf",
    )
    with menu, st.container(horizontal=True, gap="small"):
        st.button("As in the model", key="as-in-model", on_click=_write, args=("",), disabled=not typed)
        with st.popover("Presets"):
            st.button(
                "The model's, to edit",
                key="preset-own",
                on_click=_write,
                args=(_text(own.x),),
                width="stretch",
            )
            for label, help_ in PRESETS.items():
                values = _text(preset(label, own.x))
                st.button(
                    label, key=f"preset-{label}", help=help_, on_click=_write, args=(values,), width="stretch"
                )
    if not (typed or "").strip():
        return own
    try:
        x = online_softmax.parse_logits(typed, limit)
    except Error as error:
        st.warning(f"{error} The model's own logits are shown.")
        return own
    n = len(x)
    return Row(x, own.v[:n], own.tokens[:n], own.first, own.seen)


def preset(label: str, x: np.ndarray) -> np.ndarray:
    """A row [N] made extreme in one of the ways of `PRESETS`."""
    x = x.copy()
    if label in ("One at 1e4", "One at −1e4"):
        x[x.argmax()] = 1e4 if label == "One at 1e4" else -1e4
    elif label == "All + 100":
        x += 100
    elif label == "Half −inf":
        x[1::2] = -np.inf
    else:
        x[:] = 1 if label == "All equal" else -np.inf
    return x


def _text(x: np.ndarray) -> str:
    return ", ".join(f"{value:.4g}" for value in x)


def _write(text: str) -> None:
    st.session_state["logits"] = text


def tile_sizes() -> tuple[int, int]:
    """Rows and columns of a tile."""
    rows, cols = st.columns(2)
    return tuple(
        place.select_slider(label, SIZES, 8, key=key, bind="query-params")
        for place, label, key in ((rows, "Rows of a tile, Br", "br"), (cols, "Columns of a tile, Bc", "bc"))
    )


@dataclass(frozen=True)
class Setting:
    """What the cost model is asked: a device, lengths T and D, on-chip memory in bytes, and a tile."""

    device: roofline.Device
    length: int
    width: int
    memory: int
    tile: tuple[int, int]


def cost_setting() -> Setting:
    """The controls of the cost model."""
    columns = st.columns([0.26, 0.2, 0.14, 0.2, 0.2])
    names = [device.name for device in roofline.DEVICES]
    named = columns[0].selectbox("Device (data sheet)", names, index=1, key="dev", bind="query-params")
    device = roofline.DEVICES[names.index(named)]
    length = columns[1].select_slider("Length T", LENGTHS, 4096, key="len", bind="query-params")
    width = columns[2].select_slider("Head dimension d", WIDTHS, 64, key="dim", bind="query-params")
    memory = (
        columns[3].select_slider("On-chip memory (kB)", MEMORIES, 228, key="sram", bind="query-params") * 1024
    )
    label = columns[4].selectbox("Tile, Br × Bc", TILES, index=4, key="tile", bind="query-params")
    tile = roofline.paper_tile(width, memory) if label == PAPER else tuple(map(int, label.split(" × ")))
    return Setting(device, length, width, memory, tile)
