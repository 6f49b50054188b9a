"""The matrices of every sublayer at every token of a text, to step through in the browser.

All of them are sent once, as float32, and their eigenvalues: 48 sublayers, 256 tokens and 4 streams are 1.4 MB. Sums,
distances, singular values and permutations of the one looked at are computed in the browser, so no step needs the server.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Complex, Float, UInt8

from tlmviz import figures
from tlmviz.analysis.streams.mixing import Mixing, eigenvalues
from tlmviz.ui.components.attention_view import pack
from tlmviz.ui.components.scripts import component

COLORS = ("value", "change")  # H_res itself, or what differs from the identity

_component = component("tlmviz_stream_matrices", Path(__file__).parent)


def payload(
    mixing: Mixing,
    tokens: Sequence[str],
    names: Sequence[str],
    state: Mapping[str, Any],
    *,
    kind: str,
    model: str,
    tolerance: float,
    maths: bool = False,
) -> bytes:
    """Everything the view shows: P sublayers called `names`, T tokens, N streams, joined by connections of a `kind`.

    `state` holds token, sublayer, row, col, colors and the `seq` that came with it; the browser's own stands where its
    seq is newer. Within `tolerance` of sums of 1 a matrix is taken apart into permutations. With `maths`
    its measures are named by their symbols, else in words.
    """
    header = {
        "tokens": list(tokens),
        "names": list(names),
        "streams": mixing.res.shape[-1],
        "kind": kind,
        "model": model,
        "tolerance": tolerance,
        "maths": maths,
        "colors": figures.palette(),
        "warm": {name: theme.warm for name, theme in figures.THEMES.items()},
        "state": dict(state),
    }
    arrays = {name: getattr(mixing, name).float().numpy() for name in ("pre", "post", "res")}
    arrays["roots"], arrays["pairs"] = pack_roots(eigenvalues(mixing.res))
    return pack(header, arrays)


def pack_roots(
    roots: Complex[np.ndarray, "*b n"],
) -> tuple[Float[np.ndarray, "*b n"], UInt8[np.ndarray, "*b n"]]:
    """The eigenvalues of real matrices in as many real numbers, and which of these belong to conjugate pairs (1, else 0).

    A pair is its real part and the size of its imaginary part: `roots` in the order of `eigenvalues`.
    """
    return np.where(roots.imag < 0, -roots.imag, roots.real), (roots.imag != 0).astype(np.uint8)


def matrices_view(data: bytes, *, key: str, on_change: Callable[[], None]) -> None:
    """Show the view; the browser sends {"token", "sublayer", "row", "col", "colors", "seq"} as `place`, debounced."""
    _component(key=key, data=data, on_place_change=on_change)
