"""Which part of the block a formula leaves out, found by trying: the model's tensor is made again without each part it
has."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from .block import SAME, compare
from .running import Result
from .tensors import Table

ROPE, SCALE, ROPE_AND_SCALE, ALIBI, MASK = "RoPE", "scale", "RoPE and scale", "ALiBi", "mask"
BIAS, NORM, STREAM, SUBLAYER, GATE, ACTIVATION = "bias", "norm", "stream", "sublayer", "gate", "activation"
BIASES = {"Q": "bQ", "K": "bK", "V": "bV", "Aout": "bO", "U": "b1", "F": "b2"}  # tensor -> what is added last


def missing(result: Result, table: Table) -> str | None:
    """The part without which the model's tensor would be what the formula makes; None where there is no such one."""
    left = result.checked.line.left
    if left is None or result.value is None or compare(result, table) is None:
        return None
    seen = _seen(left.name, result.value)
    for part, value in _without(left.name, table):
        off = (result.value - value).abs()[seen].max()
        if off <= SAME * value[seen].abs().max().clamp(min=1e-9):
            return part
    return None


def _seen(name: str, value: Tensor) -> Tensor:
    """The cells that are compared: scores of later keys are no tensor of the model's."""
    shape = value.shape
    if name != "L":
        return torch.ones(shape, dtype=torch.bool)
    return torch.ones(shape[:2], dtype=torch.bool).tril()[..., None].expand(shape)


def _without(name: str, table: Table) -> Iterator[tuple[str, Tensor]]:
    """The model's tensor of a name without each of its parts."""
    known = {each: named.value for each, named in table.tensors.items()}
    bias = BIASES.get(name)
    if bias in known:
        yield BIAS, known[name] - known[bias]
    if name == "L":
        yield from _scores(known, table)
    elif name == "A":
        yield MASK, known["L"].softmax(1)
        for part, scores in _scores(known, table):
            yield part, _weights(scores)
    elif name in ("Htilde", "H''"):
        yield NORM, known["H" if name == "Htilde" else "H'"]
    elif name in ("H'", "Hout"):
        yield STREAM, known["Aout" if name == "H'" else "F"]
        yield SUBLAYER, known["H" if name == "H'" else "H'"]
    elif name == "Z" and "G" in known:
        yield GATE, known["H''"] @ known["W1"]
        yield ACTIVATION, known["G"] * (known["H''"] @ known["W1"])
    elif name == "Z":
        yield ACTIVATION, known["U"]


def _scores(known: dict[str, Tensor], table: Table) -> Iterator[tuple[str, Tensor]]:
    """Scores [T, S, H] without rotations, without the scale, and without what distance takes off them."""

    def products(query: str, key: str) -> Tensor:
        return torch.einsum("thd,shd->tsh", known[query], known[key][:, table.head_of])

    plain = products("Q", "K")
    if table.rotates:
        yield ROPE, table.scale * plain
        yield SCALE, products("Qhat", "Khat")
        yield ROPE_AND_SCALE, plain
        return
    distances = known["L"] - table.scale * plain
    if "m" in known:
        yield ALIBI, table.scale * plain
    yield SCALE, plain + distances


def _weights(scores: Tensor) -> Tensor:
    later = torch.ones(scores.shape[:2], dtype=torch.bool).triu(1)
    return scores.masked_fill(later[..., None], -torch.inf).softmax(1)
