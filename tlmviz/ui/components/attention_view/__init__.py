"""The attention view: a small canvas program in plain JavaScript, mounted as a custom component.

An attention map is a view, not a tensor. What travels to the browser is a pooled overview
(one byte per cell) and q, k and lse of the chosen head, with relative positions also q times each
distance's vector; the browser computes p = exp(q.k * scale + bias - lse) itself, so that hovering,
zooming, changing the stage or pinning a query needs no server.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tlmviz.ui.components.scripts import component

if TYPE_CHECKING:
    from tlmviz.trace import Trace

STATISTICS = ("entropy", "previous", "induction", "sink", "distance", "peak")
STATE = {
    "layer": 0,
    "head": 0,
    "query": None,
    "key": None,
    "stage": "softmax",
    "log": False,
    "mode": "map",
    "order": "position",
    "overlay": [],
}

_component = component("tlmviz_attention_view", Path(__file__).parent)


def pack(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """One byte string of a JSON header and arrays (uint8 or float32), as the browser's `decode` reads it.

    uint32 length N, N bytes of JSON padded so that 4 + N is a multiple of 8, then each array
    in C order, little endian, padded to 8 bytes. Offsets count from the end of the header.
    """
    index, parts, offset = {}, [], 0
    for name, array in arrays.items():
        dtype = "uint8" if array.dtype == np.uint8 else "float32"
        raw = np.ascontiguousarray(array, dtype="<u1" if dtype == "uint8" else "<f4").tobytes()
        index[name] = {"dtype": dtype, "shape": list(array.shape), "offset": offset}
        parts.append(raw + bytes(-len(raw) % 8))
        offset += len(parts[-1])
    text = json.dumps({**header, "arrays": index}, allow_nan=False).encode()
    return b"".join([_frame(text), *parts])


def build_payload(
    trace: Trace,
    state: Mapping[str, Any],
    *,
    model: str,
    origin: str,
    palette: Mapping[str, Any],
    overview: np.ndarray | None = None,
    overview_size: int = 48,
    picture: int = 1,
) -> bytes:
    """Everything the component shows of one trace: the overview of all heads, and the head that `state` chooses.

    `state` holds any of the keys of STATE, and the `seq` that came with it. A new `origin`
    makes the browser take over this state; with the same origin the browser keeps its own.
    `overview` can be handed in, made once per text by `encode_overview`. `picture` numbers the pictures of a session.
    """
    state = clean_state(state, trace)
    layer, head = state["layer"], state["head"]
    spec = trace.specs[layer]
    overview = encode_overview(trace, overview_size) if overview is None else overview
    table = trace.statistics()
    q, k, lse = (tensor.float().numpy() for tensor in trace.qk(layer, head))
    header = {
        "tokens": list(trace.tokens),
        "layers": trace.n_layers,
        "heads": trace.n_heads,
        "model": model,
        "overview_size": overview.shape[-1],
        "stats": {name: [_number(value) for value in table[name]] for name in STATISTICS},
        "chosen": {"layer": layer, "head": head},
        "scale": float(spec.scale),
        "window": spec.mask.window,
        "slope": 0.0 if spec.mask.slopes is None else float(spec.mask.slopes[head]),
        "causal": spec.mask.causal,
        "colors": palette,
        "state": state,
        "origin": origin,
        "picture": picture,
    }
    arrays = {"overview": overview, "q": q, "k": k, "lse": lse}
    if spec.mask.relative is not None:
        arrays["relative"] = q @ spec.mask.relative.float().numpy().T  # [T, R]
    if state["query"] is not None:
        arrays["rows"] = trace.row(state["query"]).float().flatten(0, 1).numpy()
    return pack(header, arrays)


def encode_overview(trace: Trace, size: int = 48) -> np.ndarray:
    """Every head's pooled map as bytes, [L * H, n, n] with n = min(size, T): round(255 sqrt(p))."""
    pooled = trace.overview(min(size, len(trace))).float().flatten(0, 1).numpy()
    return np.rint(255 * np.sqrt(pooled.clip(0, 1))).astype(np.uint8)


def clean_state(state: Mapping[str, Any], trace: Trace) -> dict[str, Any]:
    """`state` with every key present and every index inside this trace; a pin outside the text is dropped."""
    full = {**STATE, **state}
    full["layer"] = min(max(int(full["layer"]), 0), trace.n_layers - 1)
    full["head"] = min(max(int(full["head"]), 0), trace.n_heads - 1)
    for pin in ("query", "key"):
        if full[pin] is not None and not 0 <= full[pin] < len(trace):
            full[pin] = None
    if full["query"] is None:
        full["key"] = None
    full["overlay"] = [
        [layer, head]
        for layer, head in full["overlay"]
        if 0 <= layer < trace.n_layers and 0 <= head < trace.n_heads
    ]
    return full


def attention_view(
    payload: bytes, *, key: str, height: int = 460, on_change: Callable[[], None] | None = None
) -> dict[str, Any] | None:
    """Show the component; returns the latest state the browser sent, or None before the user did anything.

    With a fixed `key` a new payload updates the picture in place. `height` in pixels holds
    for wide layouts; below 700 pixels of width the two parts stack and take what they need.
    """
    result = _component(key=key, data=_with_height(payload, height), on_view_change=on_change or _ignore)
    return result.get("view")


# --- parts ---------------------------------------------------------------------------------------


def _frame(text: bytes) -> bytes:
    text += b" " * (-(4 + len(text)) % 8)
    return len(text).to_bytes(4, "little") + text


def _with_height(payload: bytes, height: int) -> bytes:
    """The same payload with one more header field, without parsing it."""
    end = 4 + int.from_bytes(payload[:4], "little")
    return _frame(b'{"height": %d, ' % height + payload[5:end].rstrip()) + payload[end:]


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _ignore() -> None:
    pass
