"""The attention view: a small canvas program in plain JavaScript, mounted as a custom component.

An attention map is a view, not a tensor. What travels to the browser is a pooled overview
(one byte per cell) and q, k and lse of the chosen head, with relative positions also q times each
distance's vector; the browser computes p = exp(q.k * scale + bias - lse) itself, so that hovering,
zooming, changing the stage or pinning a query needs no server. Where it cannot (a mask that it does not know, weights
without q and k) the chosen head's weights travel. Streamlit is needed to show the view in the app alone:
notebooks and pages of their own use the rest.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tlmviz.analysis.attention.tags import TAGS, tag_heads
from tlmviz.errors import BadShape
from tlmviz.kernels import AttentionMask
from tlmviz.ui import texts
from tlmviz.ui.components.scripts import component

if TYPE_CHECKING:
    from tlmviz.tracing.trace import Trace

STATISTICS = ("entropy", "previous", "induction", "sink", "distance", "peak")
STATE: dict[str, Any] = {
    "layer": 0,
    "head": 0,
    "query": None,
    "key": None,
    "stage": "softmax",
    "log": False,
    "mode": "map",
    "order": "position",
    "overlay": [],
    "find": "",
    "mute": [],
}
TAG_TABLE = [
    {name: getattr(tag, name) for name in ("name", "label", "short", "meaning", "least", "fewest")} for tag in TAGS
]

FOLDER = Path(__file__).parent
IN_BROWSER = ("causal", "window", "slopes", "relative")  # what the browser knows of a mask
TYPES = {"uint8": "<u1", "uint16": "<u2"}  # of arrays; all others travel as float32
OVERVIEW_BYTES = 640_000  # of all tiles: 48 x 48 cells of 270 heads, 25 x 25 of 1,024


def pack(header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """One byte string of a JSON header and arrays (uint8, uint16 or float32), as the browser's `decode` reads it.

    uint32 length N, N bytes of JSON padded so that 4 + N is a multiple of 8, then each array
    in C order, little endian, padded to 8 bytes. Offsets count from the end of the header.
    """
    index, parts, offset = {}, [], 0
    for name, array in arrays.items():
        dtype = array.dtype.name if array.dtype.name in TYPES else "float32"
        raw = np.ascontiguousarray(array, dtype=TYPES.get(dtype, "<f4")).tobytes()
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
    groups: Mapping[str, Any] | None = None,
    mutable: bool = False,
    written: Mapping[str, Any] | None = None,
    over_image: bool = False,
    engine: Mapping[str, Any] | None = None,
) -> bytes:
    """Everything the component shows of one trace: the overview of all heads, and the head that `state` chooses.

    `state` holds any of the keys of STATE, and the `seq` that came with it. A new `origin`
    makes the browser take over this state; with the same origin the browser keeps its own.
    `overview` can be handed in, made once per text by `encode_overview`. `picture` numbers the pictures of a session.
    `groups` colours tokens that belong together: "names" and "colors" of the groups, and "of", each token's group.
    `mutable`: heads can be muted in it. `written` says what each part adds to a word's logit: "word", "logit", "heads"
    [L * H], "mlps" [L], "embedding" and "rest". `over_image`: where the tokens are patches of an image, it is shown
    too, with weights over it. `engine` says what a browser reads further texts with (tlmviz/ui/engine.py). Raises
    BadShape for cross attention.
    """
    state = clean_state(state, trace)
    overview = encode_overview(trace, overview_size) if overview is None else overview
    header = describe(trace, state, model=model, origin=origin, palette=palette, picture=picture)
    header["overview_size"] = overview.shape[-1]
    header["mutable"] = mutable
    for name, given in (("groups", groups), ("written", written), ("engine", engine)):
        if given is not None:
            header[name] = dict(given)
    arrays = {"overview": overview, **_chosen(trace, state["layer"], state["head"])}
    if over_image:
        part, image = image_of(trace)
        header, arrays = header | part, arrays | image
    if state["query"] is not None:
        arrays["rows"] = trace.row(state["query"]).float().flatten(0, 1).numpy()
    return pack(header, arrays)


def describe(
    trace: Trace, state: Mapping[str, Any], *, model: str, origin: str, palette: Mapping[str, Any], picture: int = 1
) -> dict[str, Any]:
    """The header of a payload, but the size of its overview: everything that is no array. Raises BadShape for cross
    attention."""
    if trace.crosses:
        raise BadShape(texts.crossing(len(trace), len(trace.key_tokens)))
    layer, head = state["layer"], state["head"]
    table = trace.statistics()
    tagged = tag_heads(trace)
    values = tagged.values.reshape(len(TAGS), -1).tolist()
    return {
        "tokens": list(trace.tokens),
        "layers": trace.n_layers,
        "heads": trace.n_heads,
        "model": model,
        "stats": {name: [_number(value) for value in table[name]] for name in STATISTICS},
        "chosen": {"layer": layer, "head": head},
        **arithmetic(trace, layer, head),
        "colors": palette,
        "state": state,
        "origin": origin,
        "picture": picture,
        "tags": {
            "table": TAG_TABLE,
            "values": [[_rounded(value) for value in row] for row in values],
            "counts": tagged.counts.tolist(),
        },
    }


def image_of(trace: Trace) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """What a payload's header and arrays have of the image that the tokens are patches of; nothing where there is
    none."""
    if trace.patches is None:
        return {}, {}
    height, width, _ = trace.patches.pixels.shape
    grid = {"rows": trace.patches.rows, "columns": trace.patches.columns, "height": height, "width": width}
    return {"patches": grid}, {"image": trace.patches.pixels}


def encode_overview(trace: Trace, size: int = 48) -> np.ndarray:
    """Every head's pooled map as bytes, [L * H, n, n]: round(255 sqrt(p)).

    n is `size`, or what the text has, or less for so many heads that all of them would be more than OVERVIEW_BYTES.
    """
    fits = math.isqrt(OVERVIEW_BYTES // (trace.n_layers * trace.n_heads))
    pooled = trace.overview(max(1, min(size, len(trace), fits))).float().flatten(0, 1).numpy()
    codes: np.ndarray = np.rint(255 * np.sqrt(pooled.clip(0, 1))).astype(np.uint8)
    return codes


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
    for several in ("overlay", "mute"):
        full[several] = [
            [layer, head] for layer, head in full[several] if 0 <= layer < trace.n_layers and 0 <= head < trace.n_heads
        ]
    return full


def with_height(payload: bytes, height: int) -> bytes:
    """The same payload with one more header field, without parsing it."""
    end = 4 + int.from_bytes(payload[:4], "little")
    return _frame(b'{"height": %d, ' % height + payload[5:end].rstrip()) + payload[end:]


def attention_view(
    payload: bytes, *, key: str, height: int = 460, on_change: Callable[[], None] | None = None
) -> dict[str, Any] | None:
    """Show the component; returns the latest state the browser sent, or None before the user did anything.

    With a fixed `key` a new payload updates the picture in place. `height` in pixels holds
    for wide layouts; below 700 pixels of width the two parts stack and take what they need.
    """
    result = _component()(key=key, data=with_height(payload, height), on_view_change=on_change or _ignore)
    said: dict[str, Any] | None = result.get("view")
    return said


def arithmetic(trace: Trace, layer: int, head: int) -> dict[str, Any]:
    """What the browser needs to know beside `head_arrays`: scale, window, ALiBi's slope, and whether the mask is
    causal."""
    spec = trace.specs[layer]
    return {
        "scale": float(spec.scale),
        "window": spec.mask.window,
        "slope": 0.0 if spec.mask.slopes is None else float(spec.mask.slopes[head]),
        "causal": spec.mask.causal,
    }


def head_arrays(trace: Trace, layer: int, head: int) -> dict[str, np.ndarray]:
    """What the browser computes one head's weights from, as head.js takes it: q and k [T, D], lse [T], with relative
    positions also `relative` [T, R]. Empty where that is not enough."""
    mask, default = trace.specs[layer].mask, AttentionMask()
    known = all(
        getattr(mask, field.name) is getattr(default, field.name)
        for field in fields(mask)
        if field.name not in IN_BROWSER
    )
    if trace.weights_only or not known or (layer, head) in trace.replaced_rows:
        return {}
    q, k, lse = (tensor.float().numpy() for tensor in trace.qk(layer, head))
    arrays = {"q": q, "k": k, "lse": lse}
    if mask.relative is not None:
        arrays["relative"] = q @ mask.relative.float().numpy().T  # [T, R]
    return arrays


# --- parts ---------------------------------------------------------------------------------------


@cache
def _component() -> Callable[..., Any]:
    return component("tlmviz_attention_view", FOLDER, entry="streamlit.js")


def _chosen(trace: Trace, layer: int, head: int) -> dict[str, np.ndarray]:
    """What the browser computes one head's map from; where it cannot, the weights [T, T]."""
    return head_arrays(trace, layer, head) or {"weights": trace.attention(layer, head).float().numpy()}


def _frame(text: bytes) -> bytes:
    text += b" " * (-(4 + len(text)) % 8)
    return len(text).to_bytes(4, "little") + text


def _number(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _rounded(value: float) -> float | None:
    return round(value, 3) if math.isfinite(value) else None


def _ignore() -> None:
    pass
