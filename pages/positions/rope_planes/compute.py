"""What the page "RoPE planes" keeps: which models fit, its cached passes and measures, and its controls."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.positions import rope_planes, rope_runs
from tlmviz.analysis.positions.rope_planes import Clocks
from tlmviz.checks import Check, measure
from tlmviz.checks import positions as position_checks
from tlmviz.checks.positions_planes import steps_are_the_kernel
from tlmviz.errors import BadConfig
from tlmviz.trace import Trace
from tlmviz.ui import compute, inputs, link

PARTS = ("Clocks", "Step by step", "Layouts", "Heads")
MOVES = {"Move both": "both", "Move the query": "query", "Move the key": "key"}
STRIDES = (1, 4, 16, 64, 256)
NOTES_BASE = 100_000.0  # the default of the notes' code, 000 section 3.3
CONTINUED = 16  # tokens
SCOPES = ("In this head", "In every layer")

# --- computed once ----------------------------------------------------------------------------------


@st.cache_resource(max_entries=64, show_spinner=False)
def vectors(name: str, text: str, layer: int, head: int) -> tuple[torch.Tensor, torch.Tensor]:
    """One head's queries and keys before RoPE, [T, D] each."""
    trace, base = compute.trace(name, text), rope_planes.own_base(compute.model(name).config)
    return compute.run_in_worker(
        lambda: rope_planes.head_vectors(trace, layer, head, base), compute.about(text)
    )


def clocks(
    name: str, text: str, head: tuple[int, int], where: tuple[int, int], base: float, moves: str, stride: int
) -> Clocks:
    """A query and a key at every step of the slider."""
    (q, k), spec = vectors(name, text, *head), compute.trace(name, text).specs[head[0]]
    return rope_planes.clocks(
        q[where[0]], k[where[1]], where, base, scale=spec.scale, moves=moves, stride=stride
    )


@st.cache_resource(max_entries=12, show_spinner=False)
def run(name: str, text: str, how: str, base: float = 0.0) -> Trace:
    """A real pass with other positions (see `rope_runs.variants`); `base` says something for "base" alone."""
    if how == "own":
        return compute.trace(name, text)
    lm = compute.model(name)
    positions = rope_runs.variants(lm, base)[how]
    return compute.run_in_worker(lambda: lm.trace(text, positions=positions), compute.about(text))


@st.cache_data(max_entries=64, show_spinner=False)
def continued(name: str, text: str, how: str) -> str:
    """What the model writes next with such positions, always taking the most probable token."""
    lm = compute.model(name)
    positions = rope_runs.variants(lm, NOTES_BASE)[how]
    ids = compute.run_in_worker(
        lambda: rope_runs.continue_greedily(lm, compute.trace(name, text).ids, positions, CONTINUED),
        compute.about(text),
    )
    return lm.tokenizer.decode(ids)


@st.cache_resource(max_entries=32, show_spinner=False)
def energy(name: str, text: str) -> np.ndarray:
    """How far each plane of each head could move a score, [L, H, P]."""
    trace = compute.trace(name, text)
    return compute.run_in_worker(lambda: rope_planes.energy(trace), compute.about(text))


@st.cache_resource(max_entries=64, show_spinner=False)
def spread(name: str, text: str, layer: int, head: int) -> np.ndarray:
    """How far each plane of one head tells keys apart, [P]."""
    trace = compute.trace(name, text)
    return compute.run_in_worker(lambda: rope_planes.spread(trace, layer, head), compute.about(text))


@st.cache_resource(max_entries=128, show_spinner=False)
def by_distance(
    name: str, text: str, head: tuple[int, int], how: str, base: float, everywhere: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Mean score by distance of the text's own pairs and of all its pairs put there, [N] each.

    Rotation is exchanged in one head, which keeps its queries and keys, or in every layer of a real pass.
    """
    own = rope_planes.own_base(compute.model(name).config)
    turns = {"own": own, "off": None, "base": base}[how]
    trace = run(name, text, how, base if how == "base" else 0.0) if everywhere else compute.trace(name, text)
    spec, length = trace.specs[head[0]], len(trace)

    def work() -> tuple[np.ndarray, np.ndarray]:
        q, k = rope_planes.head_vectors(trace, *head, turns if everywhere else own)
        every = rope_planes.mean_of_all_pairs(
            q, k, turns, min(spec.mask.window or length, length), spec.scale
        )
        return rope_planes.mean_by_distance(
            *rope_planes.turned(q, k, turns), spec.scale, spec.mask.window
        ), every

    return compute.run_in_worker(work, compute.about(text))


@st.cache_resource(max_entries=64, show_spinner=False)
def checks(name: str, text: str) -> list[Check]:
    """The identities of RoPE on this text."""
    lm, trace = compute.model(name), compute.trace(name, text)
    return compute.run_in_worker(lambda: measure(position_checks, lm, trace), compute.about(text))


def steps_check(q: torch.Tensor, base: float, layout: str) -> Check:
    """The rotation step by step against the kernel's, all rows of q [T, D]."""
    return steps_are_the_kernel(q, base, layout)


# --- controls ---------------------------------------------------------------------------------------


def row():
    """Controls side by side; a phone breaks the row where it must."""
    return st.container(horizontal=True, vertical_alignment="center", gap="small")


def place(name: str, trace: Trace):
    """Menus for layer, head, query and key, tied to the view that all pages share.

    Returns (layer, head), (query, key), and the empty place beside the menus.
    """
    config = compute.model(name).config
    with row():
        columns = [st.container(width=width) for width in (112, 112, 152, 152)]
        room = st.container(width="content")
    head = inputs.head_menus(config.n_layers, config.n_heads, columns[:2])
    view = link.view().fitted(config.n_layers, config.n_heads, len(trace))
    query, key = inputs.pinned(trace, view)
    st.session_state["_token"], st.session_state["_key"] = query, key
    for column, label, word, last, kept in (
        (columns[2], "Query", "_token", len(trace), _keep_query),
        (columns[3], "Key", "_key", query + 1, _keep_key),
    ):
        column.selectbox(
            label,
            range(last),
            key=word,
            on_change=kept,
            label_visibility="collapsed",
            format_func=lambda at, label=label: f"{label} {at}: {inputs.readable(trace.tokens[at])}",
            help="The key the query weighs most, until another is chosen" if label == "Key" else None,
        )
    return head, (query, key), room


def _keep_query() -> None:
    link.remember(replace(link.view(), query=st.session_state["_token"]))
    link.share()


def _keep_key() -> None:
    link.remember(replace(link.view(), query=st.session_state["_token"], key=st.session_state["_key"]))
    link.share()


def show_previous_head(layer: int, head: int, query: int) -> None:
    """Choose a head, and the token before the query as its key."""
    link.remember(replace(link.view(), head=(layer, head), query=query, key=query - 1))
    link.share()


def base_box(place, own: float, key: str, label: str, value: float) -> float:
    """A base of the frequencies, asked for in `place`. For one that makes no angles a sentence says why `value` is used."""
    with place, st.container(horizontal=True, vertical_alignment="center", gap="small", width=190):
        st.markdown(f":small[{label}]", width="content")
        base = st.number_input(
            label,
            value=float(value),
            step=1000.0,
            format="%g",
            key=key,
            bind="query-params",
            label_visibility="collapsed",
            help=f"Frequencies are θ^(−2j/d). This model was trained with θ = {own:,.6g}; the notes' code has 100,000, "
            "the chapter “Attention” 10,000.",
        )
    try:
        return rope_planes.checked_base(value if base is None else base)
    except BadConfig as error:
        st.warning(f"{error} {value:,.6g} is used instead.")
        return float(value)
