"""Traces from what a watched model left: one stack of layers, one row of the batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from ..errors import BadModel, BadShape
from ..kernels import AttentionMask, DistanceBias
from ..places import Places
from ..tracing.trace import Trace
from .biases import bias_of
from .capture import Layer, Recorder, Stack
from .masks import RowMask, recognised
from .names import token_names

Pictured = Callable[[Stack], Places | None]  # what the tokens of a stack are of a picture


def make_trace(
    recorder: Recorder, name: str, row: int, tokenizer: Any, model: str = "", pictured: Pictured = lambda stack: None
) -> Trace:
    """The trace of one stack and one row of the batch, padding left out. Raises BadModel for a row of padding alone."""
    stack = recorder.stacks[name]
    _check_even(stack)
    queries, keys = places(recorder, stack, row)
    asks = recorder.stacks.get("decoder", stack) if stack.crosses else stack
    tokens, ids = _names(asks, row, queries, tokenizer, pictured)
    other = _names(_source(recorder, stack), row, keys, tokenizer, pictured)[0] if stack.crosses else None
    found = pictured(stack) if stack.ids is None else None
    kept = (("q", queries), ("k", keys), ("v", keys), ("lse", queries))
    picked: dict[str, Any] = {
        part: [_rows(layer.joined(part)[row], where) for layer in stack.layers] for part, where in kept
    }
    masks = _masks(stack, row, queries, keys)
    try:
        return Trace.from_arrays(
            **picked,
            tokens=tokens,
            scale=[layer.scale for layer in stack.layers],
            mask=masks,
            key_tokens=other,
            ids=ids,
            positions=(queries - queries[0]).tolist(),
            model=model,
            made_by="tlmviz.watch",
            patches=found.picture(row, queries) if found else None,
        )
    except BadShape as error:
        raise BadModel(
            f"The maps of {name!r} cannot be made of what its attention was handed, so they are not shown: "
            f"{str(error).partition(';')[0]}. Watch another input, or see with attn_implementation='eager' what the "
            "model does."
        ) from error


def places(recorder: Recorder, stack: Stack, row: int) -> tuple[Tensor, Tensor]:
    """The positions of the queries [T] and keys [S] that are no padding."""
    layer = stack.layers[0]
    keys = _unpadded(layer, row, layer.joined("k").shape[2])
    if not stack.crosses:
        return keys, keys
    own, count = recorder.stacks.get("decoder"), layer.length
    if own is None or own.layers[0].length != count:
        return torch.arange(count, device=keys.device), keys
    return _unpadded(own.layers[0], row, count), keys


# --- parts ---------------------------------------------------------------------------------------


def _check_even(stack: Stack) -> None:
    """Raises BadModel where the layers cut the input into different pieces, as windows of an image do."""
    last = max(layer.passed for layer in stack.layers)
    ran = [layer.passed == last for layer in stack.layers]
    if not all(ran):
        raise BadModel(
            f"The last call ran {sum(ran)} of the {len(ran)} layers of {stack.name!r}: an error or an early exit ended "
            "it, or layers were skipped. Call the model once more, on the whole text."
        )
    shapes = sorted({(len(layer.q[0]), layer.length, len(layer.k[0])) for layer in stack.layers})
    if len(shapes) > 1:
        found = " and ".join(f"{batch} x {length}" for batch, length, _ in shapes)
        raise BadModel(
            f"The layers of {stack.name!r} read different pieces ({found} positions), which have no common tokens; "
            "this model cannot be watched."
        )


def _masks(stack: Stack, row: int, queries: Tensor, keys: Tensor) -> list[AttentionMask]:
    """The mask of each layer; those that hide the same share one."""
    made: dict[object, AttentionMask] = {}
    biases: dict[object, Tensor | DistanceBias] = {}
    masks = []
    for layer in stack.layers:
        key = tuple((rule.answer, rule.first, rule.last) for rule in layer.rules)
        if key not in made:
            made[key] = recognised(RowMask(tuple(layer.rules), row, queries, keys, tuple(layer.starts)))
        bias, same = None, tuple(map(id, layer.bias))
        if any(part.adds for part in layer.bias):
            bias = biases[same] = biases[same] if same in biases else bias_of(layer.bias, row, queries, keys)
        masks.append(replace(made[key], softcap=layer.softcap, sinks=layer.sinks, bias=bias))
    return masks


def _source(recorder: Recorder, stack: Stack) -> Stack:
    """The stack whose tokens the keys of cross attention are, by their number; itself where it is not known."""
    layer = stack.layers[0]
    found = (recorder.stacks.get(name, stack) for name in ("encoder", "vision"))
    same = (one for one in found if one.layers[0].joined("q").shape[::2] == layer.joined("k").shape[::2])
    return next(same, stack)


def _names(
    stack: Stack, row: int, where: Tensor, tokenizer: Any, pictured: Pictured
) -> tuple[list[str], list[int] | None]:
    """Names of the tokens at these places, and their ids where they have any."""
    last = int(where.max())
    if stack.ids is not None and stack.ids.shape[1] > last:
        ids = stack.ids[row, where.to(stack.ids.device)].tolist()
        return token_names(ids, tokenizer), ids
    found = pictured(stack)
    names = found.names(row) if found else []
    if last >= len(names):
        names = [f"position {place}" for place in range(last + 1)]
    return [names[place] for place in where.tolist()], None


def _unpadded(layer: Layer, row: int, count: int) -> Tensor:
    """Positions below `count` that hold tokens. Raises BadModel for a row of padding alone."""
    device, padding = layer.q[0].device, layer.rules[-1].padding
    if padding is None:
        return torch.arange(count, device=device)
    behind = torch.arange(padding.shape[1], count, device=device)  # read since this mask was made
    places = torch.cat([padding[row, :count].to(device).nonzero()[:, 0], behind])
    if not len(places):
        raise BadModel(f"Row {row} of the batch is all padding; give it at least one token.")
    return places


def _rows(part: Tensor, places: Tensor) -> Tensor:
    """The places of [H, T, D] or [H, T]; the tensor itself where that is all of them."""
    return part if len(places) == part.shape[1] else part[:, places]
