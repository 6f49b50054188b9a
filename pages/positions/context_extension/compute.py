"""What the page "Context extension" keeps: its text, cached losses and switches, and its controls."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import streamlit as st

from tlmviz.analysis.positions import context_extension
from tlmviz.analysis.positions.context_extension import Switch
from tlmviz.checks import Check, measure, positions_scaling
from tlmviz.errors import BadConfig
from tlmviz.layers.scaling import SCALINGS, ScaledRoPE, scaled_rope
from tlmviz.ui import compute, long_text
from tlmviz.ui.long_text import Ids

Result = TypeVar("Result")
TIMES = (1.5, 2, 3, 4)  # how often the training length is read
PLAIN, DYNAMIC = "Unscaled", "Dynamic NTK"
GROWN = "Dynamic NTK (rotated keys)"
SCHEMES = (*SCALINGS, GROWN)
SHOWN = ["Position interpolation", "NTK-aware", DYNAMIC, "YaRN"]
STATIC = tuple(name for name in SCALINGS if name not in (PLAIN, DYNAMIC))
SHARES = (0.25, 0.5, 0.75, 1.0)  # of the training length, after which the scale changes
AFTER = 256  # tokens read after a change of scale
DEFAULT, LARGEST = 3.0, 32.0  # of the scale
PATIENCE = 0.8  # seconds without a new curve

# --- computed once ----------------------------------------------------------------------------------


@st.cache_data(max_entries=128, show_spinner=False, hash_funcs=long_text.HASH_FAST)
def losses(name: str, ids: Ids, scheme: str, scale: float) -> np.ndarray:
    """The loss of each next token under a scheme, [T - 1] nats."""
    lm = compute.model(name)
    if scheme == PLAIN:
        return compute.run_in_worker(lambda: context_extension.losses(lm, list(ids)), len(ids))
    positions = scaled_rope(lm.config, DYNAMIC if scheme == GROWN else scheme, scale)
    if scheme == GROWN:
        return compute.run_in_worker(
            lambda: context_extension.losses_growing(lm, list(ids), positions, rotated=True), len(ids)
        )
    return compute.run_in_worker(lambda: context_extension.losses(lm, list(ids), positions), len(ids))


def curves(
    name: str, ids: Ids, schemes: list[str], scale: float, draw: Callable[[dict[str, np.ndarray]], None]
) -> dict[str, np.ndarray]:
    """Every scheme's losses, one after the other, so that others get their turn; `draw` is given what there is meanwhile."""
    found, place, drawn = {}, st.empty(), time.monotonic()
    for count, scheme in enumerate(schemes, 1):
        with (
            place,
            st.spinner(
                f"Reading {len(ids):,} tokens: {scheme} ({count} of {len(schemes)}) …", show_time=True
            ),
        ):
            # A scale that is not used would only keep the same curve twice.
            found[scheme] = losses(name, ids, scheme, 1.0 if scheme in (PLAIN, DYNAMIC, GROWN) else scale)
        if time.monotonic() - drawn > PATIENCE and count < len(schemes):
            draw(found)
            drawn = time.monotonic()
    place.empty()
    return found


@st.cache_data(max_entries=64, show_spinner=False, hash_funcs=long_text.HASH_FAST)
def switched(name: str, ids: Ids, at: int, scheme: str, scale: float) -> Switch:
    """The tokens after a change of scale with both kinds of cache."""
    lm = compute.model(name)
    positions = scaled_rope(lm.config, scheme, scale)
    return compute.run_in_worker(lambda: context_extension.switch(lm, list(ids), at, positions), len(ids))


@st.cache_data(max_entries=32, show_spinner=False, hash_funcs=long_text.HASH_FAST)
def checks(name: str, ids: Ids) -> list[Check]:
    """The identities of scaling, on the first tokens of this text."""
    lm = compute.model(name)

    def work() -> list[Check]:
        trace = lm.trace_ids(list(ids))
        return measure(positions_scaling, lm, trace)

    return compute.run_in_worker(work, len(ids))


# --- controls ---------------------------------------------------------------------------------------


def reading(name: str, place) -> int:
    """Tokens that are read: a multiple of the training length."""
    # What a menu shows is what the link holds, so it must not depend on the model.
    times = place.select_slider(
        "Tokens read",
        TIMES,
        3,
        key="xtimes",
        bind="query-params",
        format_func=lambda n: f"read {n:g} × training length",
        label_visibility="collapsed",
    )
    return int(times * compute.model(name).config.context)


def scale(place) -> float:
    """The factor s = L' / L. For one that scales nothing a sentence says what is used instead."""
    with place, st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown("*s*", width="content")
        chosen = st.number_input(
            "Scale s",
            None,
            LARGEST,
            DEFAULT,
            0.5,
            key="xscale",
            bind="query-params",
            format="%g",
            label_visibility="collapsed",
            help="s = L′ / L: how many times the training length is to be read. The dynamic scheme chooses its own.",
        )
    try:
        return ScaledRoPE(2, scale=DEFAULT if chosen is None else chosen).scale
    except BadConfig as error:
        st.warning(f"{error} {DEFAULT:g} is used instead.")
        return DEFAULT


def schemes() -> list[str]:
    """The unscaled model and what it is compared with, in the order of the menu."""
    chosen = st.pills(
        "Schemes",
        SCHEMES[1:],
        selection_mode="multi",
        default=SHOWN,
        key="xs",
        bind="query-params",
        label_visibility="collapsed",
        wrap=True,
    )
    return [PLAIN, *(name for name in SCHEMES if name in (chosen or []))]


def switch_menu(name: str, length: int, places) -> tuple[str, int]:
    """The scheme that is switched to, and after how many tokens."""
    scheme = places[0].selectbox(
        "Switch to", STATIC, index=1, key="xsw", bind="query-params", label_visibility="collapsed"
    )
    context = compute.model(name).config.context
    share = places[1].select_slider(
        "After",
        SHARES,
        1.0,
        key="xat",
        bind="query-params",
        label_visibility="collapsed",
        format_func=lambda share: f"after {share:.0%} of training length",
    )
    return scheme, min(int(share * context), length - 1)
