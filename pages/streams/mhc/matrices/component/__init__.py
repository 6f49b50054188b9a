"""The matrices of every sublayer at every token of a text, to step through in the browser.

All of them travel once, as float32: 48 sublayers, 256 tokens and 4 streams are 1.2 MB. Margins, distances, eigenvalues,
singular values and permutations of the one looked at are computed there (math.js), so no step needs the server. The
scripts beside this file are joined with the pens and colours of the attention view at import.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tlmviz import figures
from tlmviz.analysis.streams.mixing import Mixing
from tlmviz.ui.components import attention_view
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

VIEW = Path(attention_view.__file__).parent
SHARED = tuple(VIEW / name for name in ("decode.js", "theme.js", "export.js"))
SCRIPTS = ("math.js", "numbers.js", "panels.js", "wirings.js", "pointer.js", "view.js")
COLORS = ("value", "change")  # H_res itself, or what differs from the identity

_component = component("tlmviz_stream_matrices", Path(__file__).parent, (*SHARED, *SCRIPTS))


def payload(
    mixing: Mixing,
    tokens: Sequence[str],
    names: Sequence[str],
    state: Mapping[str, Any],
    *,
    kind: str,
    model: str,
    tolerance: float,
) -> bytes:
    """Everything the view shows: P sublayers called `names`, T tokens, N streams, joined by connections of a `kind`.

    `state` holds token, sublayer, row, col, colors and the `seq` that came with it; the browser's own stands where its
    seq is newer. Within `tolerance` of sums of 1 a matrix is taken apart into permutations.
    """
    header = {
        "tokens": list(tokens),
        "names": list(names),
        "streams": mixing.res.shape[-1],
        "kind": kind,
        "model": model,
        "tolerance": tolerance,
        "colors": figures.palette(),
        "warm": {name: theme.warm for name, theme in figures.THEMES.items()},
        "state": dict(state),
    }
    arrays = {name: getattr(mixing, name).float().numpy() for name in ("pre", "post", "res")}
    return pack(header, arrays)


def matrices_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends {"token", "sublayer", "row", "col", "colors", "seq"} as `place` when the hands rest."""
    _component(key=key, data=data, on_place_change=on_change)
