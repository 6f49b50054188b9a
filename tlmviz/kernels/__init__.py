"""The public operations, and which backend runs them.

Every operation has a readable torch reference in `reference.py`, which is the specification
and the CPU path. A Triton kernel of the same name may stand beside it; `backend="auto"`
picks Triton on CUDA when it is there and torch otherwise. Asking for a backend that cannot
run raises BadBackend: nothing falls back silently.

Letters: B batch, H query heads, G key/value heads (H is a multiple of G), T queries,
S keys, D head dimension. Queries are the last T of the S positions.
"""

from __future__ import annotations

from importlib import util

from jaxtyping import Float, Int
from torch import Tensor

from ..errors import BadBackend, BadShape, UnknownName
from . import reference

BACKENDS = ("auto", "torch", "triton")
REDUCTIONS = ("max", "mean", "sum")
LAYOUTS = ("interleaved", "half")


def backend_for(tensor: Tensor, backend: str = "auto") -> str:
    """The backend that will run on this tensor: "torch" or "triton". Raises BadBackend."""
    if backend not in BACKENDS:
        raise BadBackend(f"There is no backend {backend!r}; choose one of {', '.join(BACKENDS)}.")
    if backend == "triton":
        if not tensor.is_cuda:
            raise BadBackend(f"backend='triton' needs a CUDA tensor, this one is on {tensor.device}; use 'auto' or 'torch'.")
        if util.find_spec("tlmviz.kernels.attention_triton") is None:
            raise BadBackend("This version of tlmviz has no Triton kernels yet; use backend='auto' or 'torch'.")
        return "triton"
    return "torch"


def attention(
    q: Float[Tensor, "b h t d"],
    k: Float[Tensor, "b g s d"],
    v: Float[Tensor, "b g s e"],
    *,
    causal: bool = True,
    window: int | None = None,
    slopes: Float[Tensor, " h"] | None = None,
    scale: float | None = None,
    backend: str = "auto",
) -> tuple[Float[Tensor, "b h t e"], Float[Tensor, "b h t"]]:
    """Softmax attention and each row's natural log-sum-exp, without a T x S temporary beyond a tile.

    `window` counts the positions a query sees, itself included. `slopes` adds ALiBi's
    -slope * distance to the scaled scores. A row that sees nothing gives zeros and lse = -inf.
    Raises BadShape and BadBackend. Source: 000 section 1.2 and 4; ALiBi: Press et al. 2022.
    """
    _check_qkv(q, k, v, slopes, window)
    backend_for(q, backend)
    return reference.attention(q, k, v, causal=causal, window=window, slopes=slopes, scale=scale)


def attention_scores(
    q: Float[Tensor, "b h t d"],
    k: Float[Tensor, "b g s d"],
    *,
    rows: slice = slice(None),
    cols: slice = slice(None),
    causal: bool = True,
    window: int | None = None,
    slopes: Float[Tensor, " h"] | None = None,
    scale: float | None = None,
    backend: str = "auto",
) -> Float[Tensor, "b h r c"]:
    """A tile of the scores q.k * scale + bias; hidden cells are -inf. Same options as `attention`."""
    _check_qkv(q, k, None, slopes, window)
    backend_for(q, backend)
    return reference.attention_scores(
        q, k, rows=rows, cols=cols, causal=causal, window=window, slopes=slopes, scale=scale
    )


def attention_map(
    q: Float[Tensor, "b h t d"],
    k: Float[Tensor, "b g s d"],
    lse: Float[Tensor, "b h t"],
    *,
    rows: slice = slice(None),
    cols: slice = slice(None),
    causal: bool = True,
    window: int | None = None,
    slopes: Float[Tensor, " h"] | None = None,
    scale: float | None = None,
    backend: str = "auto",
) -> Float[Tensor, "b h r c"]:
    """A tile of the attention probabilities, exact: exp(score - lse). Same options as `attention`."""
    _check_qkv(q, k, None, slopes, window)
    _check_lse(q, lse)
    backend_for(q, backend)
    return reference.attention_map(
        q, k, lse, rows=rows, cols=cols, causal=causal, window=window, slopes=slopes, scale=scale
    )


def pooled_attention_map(
    q: Float[Tensor, "b h t d"],
    k: Float[Tensor, "b g s d"],
    lse: Float[Tensor, "b h t"],
    *,
    size: int = 64,
    reduce: str = "max",
    causal: bool = True,
    window: int | None = None,
    slopes: Float[Tensor, " h"] | None = None,
    scale: float | None = None,
    backend: str = "auto",
) -> Float[Tensor, "b h n n"]:
    """A size x size picture of the map: cell (i, j) reduces rows floor(iT/n) to ceil((i+1)T/n), columns likewise.

    `reduce` is "max", "mean" or "sum" over the cells of a bin; below T = size, bins repeat cells.
    Memory is one strip of rows, never T x S.
    """
    _check_qkv(q, k, None, slopes, window)
    _check_lse(q, lse)
    if reduce not in REDUCTIONS:
        raise UnknownName(f"There is no reduction {reduce!r}; choose one of {', '.join(REDUCTIONS)}.")
    if size < 1:
        raise BadShape(f"size is {size}; a pooled map needs at least 1 row.")
    backend_for(q, backend)
    return reference.pooled_attention_map(
        q, k, lse, size=size, reduce=reduce, causal=causal, window=window, slopes=slopes, scale=scale
    )


def head_statistics(
    q: Float[Tensor, "b h t d"],
    k: Float[Tensor, "b g s d"],
    lse: Float[Tensor, "b h t"],
    *,
    ids: Int[Tensor, " s"] | None = None,
    causal: bool = True,
    window: int | None = None,
    slopes: Float[Tensor, " h"] | None = None,
    scale: float | None = None,
    backend: str = "auto",
) -> dict[str, Float[Tensor, "b h t"]]:
    """Per head and row: entropy (nats), peak, sink, self, previous, distance (tokens), and with `ids` induction.

    induction is the mass on positions whose predecessor equals the query's token, NaN where there is none.
    """
    _check_qkv(q, k, None, slopes, window)
    _check_lse(q, lse)
    backend_for(q, backend)
    return reference.head_statistics(
        q, k, lse, ids=ids, causal=causal, window=window, slopes=slopes, scale=scale
    )


def rope(
    x: Float[Tensor, "*b t d"],
    positions: Int[Tensor, " t"],
    base: float = 10000.0,
    layout: str = "interleaved",
    backend: str = "auto",
) -> Float[Tensor, "*b t d"]:
    """Rotate plane j of the vector at position t by t * base^(-2j/D) radians.

    Layout "interleaved" pairs dimensions (2j, 2j+1), "half" pairs (j, j + D/2).
    Source: 000 section 3.3 with the exponent written in full (the notes shorten it to theta^j).
    """
    if x.shape[-1] % 2:
        raise BadShape(f"RoPE rotates pairs of dimensions; {x.shape[-1]} is odd.")
    if layout not in LAYOUTS:
        raise UnknownName(f"There is no layout {layout!r}; choose one of {', '.join(LAYOUTS)}.")
    if positions.shape != x.shape[-2:-1]:
        raise BadShape(f"positions has shape {list(positions.shape)}, x has {x.shape[-2]} positions; give one each.")
    backend_for(x, backend)
    return reference.rotate(x, *reference.angle_table(positions, x.shape[-1], base), layout=layout)


def rotate(
    x: Float[Tensor, "*b t d"], cos: Float[Tensor, "t p"], sin: Float[Tensor, "t p"], layout: str = "interleaved"
) -> Float[Tensor, "*b t d"]:
    """Rotate each plane by angles given as cos and sin tables: `rope` for a table made once per pass."""
    return reference.rotate(x, cos, sin, layout=layout)


def angle_table(
    positions: Int[Tensor, " t"], dim: int, base: float = 10000.0
) -> tuple[Float[Tensor, "t p"], Float[Tensor, "t p"]]:
    """cos and sin of t * base^(-2j/dim), each [T, dim/2]."""
    return reference.angle_table(positions, dim, base)


def _check_qkv(q: Tensor, k: Tensor, v: Tensor | None, slopes: Tensor | None, window: int | None) -> None:
    if q.ndim != 4 or k.ndim != 4:
        raise BadShape(f"q and k must be [B, heads, positions, D]; q is {list(q.shape)}, k is {list(k.shape)}.")
    if q.shape[0] != k.shape[0] or q.shape[3] != k.shape[3] or q.shape[1] % k.shape[1]:
        raise BadShape(
            f"q {list(q.shape)} and k {list(k.shape)} do not fit: batch and D must be equal, "
            "and the query heads a multiple of the key heads."
        )
    if v is not None and v.shape[:3] != k.shape[:3]:
        raise BadShape(f"k {list(k.shape)} and v {list(v.shape)} must agree in batch, heads and positions.")
    if slopes is not None and slopes.shape != q.shape[1:2]:
        raise BadShape(f"slopes {list(slopes.shape)} must hold one number per query head, of which q has {q.shape[1]}.")
    if window is not None and window < 1:
        raise BadShape(f"window is {window}; a query must see at least itself, so give 1 or more.")


def _check_lse(q: Tensor, lse: Tensor) -> None:
    if lse.shape != q.shape[:3]:
        raise BadShape(f"lse {list(lse.shape)} must match q's batch, heads and positions {list(q.shape[:3])}.")
