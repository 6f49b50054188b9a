"""The state of the page RoPE planes: a query and a key of one head, and what each part does with them."""

from __future__ import annotations

from typing import Any

from tlmviz.ui import state
from tlmviz.ui.language import N_

Pair = tuple[int, int]
CLOCKS, STEPS, LAYOUTS, HEADS = PARTS = ("Clocks", "Step by step", "Layouts", "Heads")
BOTH, QUERY, KEY = "both", "query", "key"
# Passes of the model, see `rope_runs.variants`.
OWN, HALF, PERMUTED, OFF, BASE = ("own", "half", "permuted", "off", "base")


def _box(key: str, label: str) -> Any:
    """A base of the frequencies. None, until one is chosen: what it is then the model decides."""
    return state.number(
        label, -1e300, 1e300, None, key=key, step=1000.0, more={"format": "%g"}, ends=(1.0, 1.001, 1e15)
    )


class Choice(state.State):
    """A text, a head, a query and a key, and what the chosen part does with them."""

    model: str
    text: str
    head: Pair  # layer, head
    pair: Pair  # positions of query and key
    part = state.parts(
        N_("Part"),
        {CLOCKS: N_("Clocks"), STEPS: N_("Step by step"), LAYOUTS: N_("Layouts"), HEADS: N_("Heads")},
        key="rpart",
    )
    moves = state.menu(
        N_("Moves"),
        {BOTH: N_("Move both"), QUERY: N_("Move the query"), KEY: N_("Move the key")},
        key="rmove",
        default=QUERY,
        segments=True,
        label_visibility="collapsed",
        spelled={BOTH: "Move both", QUERY: "Move the query", KEY: "Move the key"},
    )
    stride = state.menu(
        N_("Step"),
        {1: N_("1 token a step"), **{n: f"{n} tokens a step" for n in (4, 16, 64, 256)}},
        key="rstep",
        spelled={1: "1 token a step", **{n: f"{n} tokens a step" for n in (4, 16, 64, 256)}},
    )
    layout = state.menu(
        N_("Layout"),
        {"interleaved": N_("Interleaved"), HALF: N_("Half-split")},
        key="rlay",
        segments=True,
        spelled={"interleaved": "Interleaved", HALF: "Half-split"},
        label_visibility="collapsed",
    )
    everywhere = state.menu(
        N_("Scope"),
        {False: N_("In this head"), True: N_("In every layer")},
        key="rscope",
        segments=True,
        spelled={False: "In this head", True: "In every layer"},
        label_visibility="collapsed",
        help=N_("Where the rotation is exchanged"),
    )
    base = _box("rbase", "θ")
    other = _box("rother", N_("Other θ"))
    at = state.live("rat", 0, int, ends=(-32, 32))  # steps that the clocks are moved by
