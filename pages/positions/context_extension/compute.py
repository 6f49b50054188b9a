"""Everything the page Context extension computes, cached: losses under each scheme, the change of scale, identities.

Each cache names the fields of the Choice that its function reads: no other control makes it compute again.
"""

from __future__ import annotations

from dataclasses import replace
from operator import attrgetter

import numpy as np
import streamlit as st

from tlmviz.analysis import shipped
from tlmviz.analysis.positions import context_extension
from tlmviz.analysis.positions.context_extension import Switch
from tlmviz.checks import Check, measure, positions_scaling
from tlmviz.layers.scaling import ScaledRoPE, scaled_rope
from tlmviz.ui.compute import run_in_worker
from tlmviz.ui.long_text import HASH_FAST
from tlmviz.ui.shipped import shipped_equals_live

from . import words
from .controls import DYNAMIC, GROWN, PLAIN, STATIC, Choice

BY_SCALE = {Choice: attrgetter("model", "ids", "scale"), **HASH_FAST}
BY_SWITCH = {Choice: attrgetter("model", "around_switch", "at", "switch_to", "scale"), **HASH_FAST}
BY_SCHEMES = {Choice: attrgetter("model", "ids", "scale", "schemes"), **HASH_FAST}
BY_INSIDE = {Choice: attrgetter("model", "inside"), **HASH_FAST}

LOSSES = "context extension: losses"  # the question of which the default's answers are shipped


def positions(choice: Choice, scheme: str) -> ScaledRoPE:
    """The RoPE of a scheme; with rotated keys in the cache its frequencies are those of the dynamic one."""
    return scaled_rope(choice.lm.config, DYNAMIC if scheme == GROWN else scheme, choice.scale)


def losses(choice: Choice, scheme: str) -> np.ndarray:
    """The loss of each next token under a scheme, [T - 1] nats."""
    # A scale that is not used would only keep the same curve twice.
    unused = scheme in (PLAIN, DYNAMIC, GROWN)
    return _losses(replace(choice, scale=1.0) if unused else choice, scheme)


@st.cache_data(max_entries=128, show_spinner=False, hash_funcs=BY_SCALE)
def _losses(choice: Choice, scheme: str) -> np.ndarray:
    asked = choice.ids, scheme, choice.scale
    return shipped.ready(choice.lm, LOSSES, asked, lambda: {"loss": _read(choice, scheme)})["loss"]


def _read(choice: Choice, scheme: str) -> np.ndarray:
    lm, ids = choice.lm, list(choice.ids)

    def work() -> np.ndarray:
        if scheme == PLAIN:
            return context_extension.losses(lm, ids)
        if scheme == GROWN:
            return context_extension.losses_growing(lm, ids, positions(choice, scheme), rotated=True)
        return context_extension.losses(lm, ids, positions(choice, scheme))

    return run_in_worker(work, len(ids))


@st.cache_data(max_entries=64, show_spinner=False, hash_funcs=BY_SWITCH)
def switch(choice: Choice) -> Switch:
    """The tokens after a change of scale with each kind of cache."""
    lm, ids, scaled = choice.lm, list(choice.around_switch), positions(choice, choice.switch_to)

    def work() -> dict[str, np.ndarray]:
        return context_extension.switch(lm, ids, choice.at, scaled).to_arrays()

    asked = choice.around_switch, choice.at, choice.switch_to, choice.scale
    answer = shipped.ready(lm, "context extension: switch", asked, lambda: run_in_worker(work, len(ids)))
    return Switch.from_arrays(answer)


@st.cache_data(max_entries=32, show_spinner=False, hash_funcs=BY_INSIDE)
def checks(choice: Choice) -> list[Check]:
    """The identities of scaling, on the first tokens of this text."""
    lm, ids = choice.lm, list(choice.inside)
    return run_in_worker(lambda: measure(positions_scaling, lm, lm.trace_ids(ids)), len(ids))


@st.cache_data(max_entries=32, show_spinner=False, hash_funcs=BY_SCHEMES)
def shipped_check(choice: Choice) -> list[Check]:
    """Where the curves were computed beforehand: one of them read again now. It takes one pass, as every curve did."""
    scheme = next((name for name in choice.schemes if name in STATIC), PLAIN)
    scale = 1.0 if scheme == PLAIN else choice.scale
    found = shipped.shipped(choice.lm, LOSSES, (choice.ids, scheme, scale))
    if found is None:
        return []
    again = _read(choice, scheme)
    return [shipped_equals_live(words.shipped_claim(scheme), found["loss"], again)]
