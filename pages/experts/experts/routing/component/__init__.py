"""Tokens x experts for every layer of a text, and beside them what the router says of one token.

All scores, choices and weights are sent once; walking through tokens and layers needs no server.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tlmviz import figures
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

SHOWN = ("chosen", "scores")  # what the cells are coloured by
INTEGERS = {"chosen": np.uint16, "plain": np.uint16, "kept": np.uint8}

_component = component("tlmviz_routing", Path(__file__).parent)


def payload(
    arrays: Mapping[str, np.ndarray],
    *,
    tokens: Sequence[str],
    layers: Sequence[int],
    state: Mapping[str, Any],
    picture: int,
    muted: Sequence[tuple[int, int]] = (),
    forced: Sequence[tuple[int, int]] = (),
    clicks: str = "",
    compared: bool = True,
    maths: bool = False,
) -> bytes:
    """What the view shows of L layers, T tokens, E experts and k choices.

    `arrays`: `scores` [L, T, E] before the bias, `bias` [L, E], `chosen` and `weights` [L, T, k], `plain` [L, T, k] (chosen
    without the bias), `mixed` and `notes` [L, T, k] (weights if the bias entered the mix: into the scores, or as the notes
    write it), `kept` [L, T, k] (0: dropped). `layers` numbers the L layers in their model; `muted` and `forced` are (place
    among them, expert). `state` holds token, layer, show and the `seq` that came with it. `clicks` says what a click on an
    expert does; without it none does anything. Where `compared`, what the bias changed is framed. With `maths` the weights of
    the notes are shown too.
    """
    header = {
        "tokens": list(tokens),
        "layers": list(layers),
        "experts": arrays["scores"].shape[-1],
        "chosen": arrays["chosen"].shape[-1],
        "biased": bool(np.any(arrays["bias"])),
        "compared": compared,
        "muted": [list(pair) for pair in muted],
        "forced": [list(pair) for pair in forced],
        "clicks": clicks,
        "maths": maths,
        "state": dict(state),
        "picture": picture,
        "colors": figures.palette(),
        "warm": {name: theme.warm for name, theme in figures.THEMES.items()},
    }
    return pack(
        header, {name: array.astype(INTEGERS.get(name, np.float32)) for name, array in arrays.items()}
    )


def routing_view(
    data: bytes,
    *,
    key: str,
    on_change: Callable[[], None],
    on_expert: Callable[[], None] | None = None,
) -> None:
    """Show the view; the browser sends token, layer, show and seq as `place`, a clicked [layer, expert] as `expert`."""
    _component(key=key, data=data, on_place_change=on_change, on_expert_change=on_expert or (lambda: None))
