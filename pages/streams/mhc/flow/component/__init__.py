"""The streams of a family's models on their way through all sublayers, as bands as wide as the matrices of a token say.

The matrices of every token are sent once, as float32, so that tokens, sublayers, models and widths change without the server.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tlmviz import figures
from tlmviz.figures.streams.depth import NAMES
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

if TYPE_CHECKING:
    from pages.streams.mhc.flow.compute import Member

ALL = "all"  # in place of one kind of connection: every model of the family, side by side
WIDTHS = ("carried", "step")  # what is left of the embedding, or each matrix by itself

_component = component("tlmviz_stream_flow", Path(__file__).parent)


def payload(
    members: Sequence[Member],
    tokens: Sequence[str],
    names: Sequence[str],
    window: range,
    state: Mapping[str, Any],
) -> bytes:
    """Everything the view shows of the tokens in `window`: P sublayers called `names`, and each member's matrices.

    `state` holds token, sublayer, show, widths and the `seq` that came with it; the browser's own stands where its seq is newer.
    """
    inside = slice(window.start, window.stop)
    header = {
        "tokens": list(tokens[inside]),
        "first": window.start,
        "names": list(names),
        "members": [
            {
                "kind": member.kind,
                "title": NAMES[member.kind],
                "model": member.model,
                "streams": member.mixing.res.shape[-1],
            }
            for member in members
        ],
        "colors": figures.palette(),
        "warm": {name: theme.warm for name, theme in figures.THEMES.items()},
        "state": dict(state),
    }
    arrays = {
        f"{part}.{member.kind}": getattr(member.mixing, part)[:, inside].float().numpy()
        for member in members
        for part in ("pre", "post", "res")
    }
    return pack(header, arrays)


def flow_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends {"token", "sublayer", "show", "widths", "seq"} as `place`, debounced."""
    _component(key=key, data=data, on_place_change=on_change)
