"""Traces from what a watched model left: one stack of layers, one row of the batch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from ..errors import BadModel, BadShape
from ..kernels import AttentionMask, DistanceBias
from ..patches import Patches, from_channels
from ..tracing.trace import Trace
from .biases import bias_of
from .capture import Layer, Recorder, Stack
from .masks import RowMask, recognised
from .names import patch_grid, place_names, token_names


def make_trace(recorder: Recorder, name: str, row: int, tokenizer: Any, model: str = "") -> Trace:
    """The trace of one stack and one row of the batch, padding left out. Raises BadModel for a row of padding alone."""
    stack = recorder.stacks[name]
    _check_even(stack)
    queries, keys = places(recorder, stack, row)
    tokens, ids = _names(recorder, stack, row, queries, tokenizer)
    source = recorder.stacks.get("encoder", stack)
    other = _names(recorder, source, row, keys, tokenizer, of_keys=True)[0] if stack.crosses else None
    picked: dict[str, Any] = {
        part: [
            _rows(layer.joined(part)[row], queries if part in ("q", "lse") else keys)
            for layer in stack.layers
        ]
        for part in ("q", "k", "v", "lse")
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
            patches=_patches(recorder, stack, row, len(queries)),
        )
    except BadShape as error:
        raise BadModel(
            f"The maps of {name!r} cannot be made of what its attention was handed, so they are not shown: "
            f"{str(error).partition(';')[0]}. Watch another input, or see with attn_implementation='eager' what the model does."
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


def grid(recorder: Recorder, config: Any) -> tuple[int, int] | None:
    """Rows and columns of patches of the last image; None where there was no image."""
    for module, inputs in recorder.inputs.items():
        if "pixel_values" in inputs:
            return patch_grid(tuple(inputs["pixel_values"].shape), getattr(module, "config", config))
    return None


def _patches(recorder: Recorder, stack: Stack, row: int, count: int) -> Patches | None:
    """The image that a stack's places are patches of; None for text, sound, and patches that were put together."""
    cut = grid(recorder, None) if stack.name in ("vision", "encoder") and stack.ids is None else None
    if cut is None or not 0 < cut[0] * cut[1] <= count or stack.crosses:
        return None
    pixels = next(inputs["pixel_values"] for inputs in recorder.inputs.values() if "pixel_values" in inputs)
    return from_channels(pixels[row].float().cpu().numpy(), *cut) if pixels.ndim == 4 else None


# --- parts ---------------------------------------------------------------------------------------


def _check_even(stack: Stack) -> None:
    """Raises BadModel where the layers cut the input into different pieces, as windows of an image do."""
    last = max(layer.passed for layer in stack.layers)
    ran = [layer.passed == last for layer in stack.layers]
    if not all(ran):
        raise BadModel(
            f"The last call ran {sum(ran)} of the {len(ran)} layers of {stack.name!r}: an error or an early exit ended it, or "
            "layers were skipped. Call the model once more, on the whole text."
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
        bias = None
        if any(part.adds for part in layer.bias):
            same = tuple(id(part) for part in layer.bias)
            bias = biases[same] = biases[same] if same in biases else bias_of(layer.bias, row, queries, keys)
        masks.append(replace(made[key], softcap=layer.softcap, sinks=layer.sinks, bias=bias))
    return masks


def _names(
    recorder: Recorder, stack: Stack, row: int, where: Tensor, tokenizer: Any, of_keys: bool = False
) -> tuple[list[str], list[int] | None]:
    """Names of the tokens at these places, and their ids where they have any."""
    if stack.crosses and not of_keys:
        stack = recorder.stacks.get("decoder", stack)
    last = int(where.max())
    if stack.ids is not None and stack.ids.shape[1] > last:
        ids = stack.ids[row, where.to(stack.ids.device)].tolist()
        return token_names(ids, tokenizer), ids
    patches = grid(recorder, None) if stack.name in ("vision", "encoder") else None
    names = place_names(last + 1, patches)
    return [names[place] for place in where.tolist()], None


def _unpadded(layer: Layer, row: int, count: int) -> Tensor:
    """Positions below `count` that hold tokens. Raises BadModel for a row of padding alone."""
    device, padding = layer.q[0].device, layer.rules[-1].padding
    if padding is None or not layer.rules:
        return torch.arange(count, device=device)
    real = padding[row, :count].to(device)
    places = real.nonzero()[:, 0]
    behind = torch.arange(padding.shape[1], count, device=device)  # read since this mask was made
    places = torch.cat([places, behind])
    if not len(places):
        raise BadModel(f"Row {row} of the batch is all padding; give it at least one token.")
    return places


def _rows(part: Tensor, places: Tensor) -> Tensor:
    """The places of [H, T, D] or [H, T]; the tensor itself where that is all of them."""
    return part if len(places) == part.shape[1] else part[:, places]
