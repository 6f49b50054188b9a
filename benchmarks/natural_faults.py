"""Faults as they happen in a model written by hand: hidden in what a module computes, while its declaration stays
right.

Nothing of the rules that name them is known here, and nothing of the faults can be read off a trace's masks and scales.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tlmviz.layers import Attention
from tlmviz.layers.positions import RoPE

Seen = Callable[[Tensor, Tensor], Tensor]
DROPPED = 0.1  # dropout's share
WINDOW = 8
PLACE = 12  # the position whose key or value is stale


def _attend(
    network: nn.Module,
    layers: list[int],
    change: Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor, Tensor]] = lambda q, k, v: (q, k, v),
    seen: Seen = lambda rows, cols: cols <= rows,
    scale: Callable[[int], float] = lambda d: d**-0.5,
    weigh: Callable[[Tensor], Tensor] = lambda weights: weights,
) -> None:
    """Attention written plainly in some layers, of changed queries, keys and values."""
    for layer in layers:
        attn = network.blocks[layer].attn

        def attend(q, k, v, positions, cache, attn=attn):
            q, k, v = change(q, k, v)
            k, v = (part.repeat_interleave(q.shape[1] // part.shape[1], 1) for part in (k, v))
            rows = torch.arange(q.shape[2])
            scores = (q @ k.transpose(-1, -2) * scale(q.shape[3])).float()
            scores = scores.masked_fill(~seen(rows[:, None], rows[None, :]), -torch.inf)
            attn.lse(scores.logsumexp(-1))
            return (weigh(scores.softmax(-1)).to(v) @ v).float()

        attn.attend = attend


def _strict(network: nn.Module, layers: list[int]) -> None:
    _attend(network, layers, seen=lambda rows, cols: (cols < rows) | (rows == 0) & (cols == 0))


def _loose(network: nn.Module, layers: list[int]) -> None:
    _attend(network, layers, seen=lambda rows, cols: cols <= rows + 1)


def _open(network: nn.Module, layers: list[int]) -> None:
    _attend(network, layers, seen=lambda rows, cols: cols >= 0)


def _window(network: nn.Module, layers: list[int]) -> None:
    _attend(network, layers, seen=lambda rows, cols: (cols <= rows) & (rows - cols < WINDOW))


def _key_hidden(network: nn.Module, layers: list[int]) -> None:
    _attend(network, layers, seen=lambda rows, cols: (cols <= rows) & ((cols != PLACE) | (rows == PLACE)))


def _first_hidden(network: nn.Module, layers: list[int]) -> None:
    _attend(network, layers, seen=lambda rows, cols: (cols <= rows) & ((cols > 3) | (cols == rows)))


def _exchanged_rows(network: nn.Module, layers: list[int]) -> None:
    """Rows of W_K stand where those of W_V should, and the other way round."""
    for layer in layers:
        attn = network.blocks[layer].attn
        widths = [count * attn.head_dim for count in (attn.heads, attn.groups, attn.groups)]

        def swapped(module, given, made, widths=widths):
            q, k, v = made.split(widths, -1)
            return torch.cat((q, v, k), -1)

        attn.qkv.register_forward_hook(swapped)


def _scale(network: nn.Module, layers: list[int]) -> None:
    _attend(network, layers, scale=lambda d: 1 / d)


def _unscaled(network: nn.Module, layers: list[int]) -> None:
    _attend(network, layers, scale=lambda d: 1.0)


def _groups(network: nn.Module, layers: list[int]) -> None:
    """Query head h reads group h mod G, as `repeat` in place of `repeat_interleave` has it."""
    _attend(network, layers, lambda q, k, v: (q, *(part.repeat(1, q.shape[1] // k.shape[1], 1, 1) for part in (k, v))))


def _value_heads(network: nn.Module, layers: list[int]) -> None:
    _attend(network, layers, lambda q, k, v: (q, k, v[:, [1, 0, *range(2, v.shape[1])]]))


def _stale(part: Tensor) -> Tensor:
    """One position's entry is that which its slot held before."""
    return torch.cat((part[:, :, :PLACE], part[:, :, PLACE - 7 : PLACE - 6], part[:, :, PLACE + 1 :]), 2)


def _stale_key(network: nn.Module, layers: list[int]) -> None:
    _attend(network, layers, lambda q, k, v: (q, _stale(k), v))


def _stale_value(network: nn.Module, layers: list[int]) -> None:
    _attend(network, layers, lambda q, k, v: (q, k, _stale(v)))


def _stale_both(network: nn.Module, layers: list[int]) -> None:
    _attend(network, layers, lambda q, k, v: (q, _stale(k), _stale(v)))


def _late(part: Tensor) -> Tensor:
    return torch.cat((part[:, :, :1], part[:, :, :-1]), 2)


def _late_keys(network: nn.Module, layers: list[int]) -> None:
    _attend(network, layers, lambda q, k, v: (q, _late(k), v))


def _late_both(network: nn.Module, layers: list[int]) -> None:
    _attend(network, layers, lambda q, k, v: (q, _late(k), _late(v)))


def _sixteen(network: nn.Module, layers: list[int]) -> None:
    _attend(network, layers, lambda q, k, v: tuple(part.bfloat16() for part in (q, k, v)))


def _weights_dropped(network: nn.Module, layers: list[int]) -> None:
    _attend(network, layers, weigh=lambda weights: F.dropout(weights, DROPPED, training=True))


def _dropped(network: nn.Module, layers: list[int]) -> None:
    for layer in layers:
        network.blocks[layer].attn.proj.register_forward_hook(
            lambda module, given, made: F.dropout(made, DROPPED, training=True)
        )


def _hidden_dropped(network: nn.Module, layers: list[int]) -> None:
    for layer in layers:
        network.blocks[layer].mlp.down.register_forward_hook(
            lambda module, given, made: F.dropout(made, DROPPED, training=True)
        )


def _unmerged(network: nn.Module, layers: list[int]) -> None:
    """[B, H, T, D] is read as [B, T, H D] without its heads being brought behind the positions."""
    for layer in layers:
        attn = network.blocks[layer].attn

        def merged(joined, tap=attn.concat, heads=attn.heads):
            return tap(joined.unflatten(-1, (heads, -1)).transpose(1, 2).reshape(joined.shape))

        del attn.concat  # a module's place takes no function
        attn.concat = merged


def _dimensions_first(network: nn.Module, layers: list[int]) -> None:
    """Heads are merged as [D, H] and not as [H, D]."""
    for layer in layers:
        attn = network.blocks[layer].attn

        def merged(module, given, heads=attn.heads):
            return (given[0].unflatten(-1, (heads, -1)).transpose(-1, -2).flatten(-2),)

        attn.proj.register_forward_pre_hook(merged)


def _norms(change: Callable[[nn.Module, Tensor, Tensor], Tensor]) -> Callable[[nn.Module, list[int]], None]:
    """The norms before attention."""

    def inject(network: nn.Module, layers: list[int]) -> None:
        for layer in layers:
            network.blocks[layer].norm1.register_forward_hook(
                lambda module, given, made: change(module, given[0], made)
            )

    return inject


def _last_norm(network: nn.Module, layers: list[int]) -> None:
    network.norm.register_forward_hook(lambda module, given, made: given[0])


def _other_norm(norm: nn.Module, given: Tensor, made: Tensor) -> Tensor:
    """LayerNorm in RMSNorm's place, and the other way round."""
    if getattr(norm, "bias", None) is None:
        return F.layer_norm(given, given.shape[-1:], norm.weight, None, norm.eps)
    return F.rms_norm(given, given.shape[-1:], norm.weight, norm.eps)


def _skipped(network: nn.Module, layers: list[int]) -> None:
    for layer in layers:
        network.blocks[layer].register_forward_hook(lambda module, given, made: given[0])


def _unrun(network: nn.Module, layers: list[int]) -> None:
    for layer in layers:
        network.blocks[layer].forward = lambda x, *others: x


def _pair(network: nn.Module, layers: list[int]) -> list[int]:
    """A layer and the next, or of the last the first, in order."""
    return sorted((layers[0], (layers[0] + 1) % len(network.blocks)))


def _exchanged(network: nn.Module, layers: list[int]) -> None:
    """A layer has the weights of the next, which has its own."""
    first, second = (network.blocks[i] for i in _pair(network, layers))
    mine, other = ({name: value.clone() for name, value in block.state_dict().items()} for block in (first, second))
    first.load_state_dict(other)
    second.load_state_dict(mine)


def _parallel(network: nn.Module, layers: list[int]) -> None:
    """The MLP reads what attention reads, and not what attention has been added to."""
    for layer in layers:
        block, held = network.blocks[layer], {}
        block.register_forward_pre_hook(lambda module, given, held=held: held.update(x=given[0]))
        block.norm2.register_forward_pre_hook(lambda module, given, held=held: (held["x"],))


def _low_table(network: nn.Module, layers: list[int]) -> None:
    for layer in layers:
        network.blocks[layer].attn.register_forward_pre_hook(
            lambda module, given: (*given[:2], tuple(part.bfloat16().float() for part in given[2]), *given[3:])
        )


def _low_angles(network: nn.Module, layers: list[int]) -> None:
    """Angles in bfloat16: the position times each plane's slope, of which both are."""
    rope = network.positions

    def turned(module, given):
        slopes = (rope.base ** (-2.0 * torch.arange(rope.head_dim // 2) / rope.head_dim)).bfloat16()
        angles = (torch.arange(given[0].shape[1]).bfloat16()[:, None] * slopes).float()
        cos, sin = (part.expand_as(whole) for part, whole in zip((angles.cos(), angles.sin()), given[2]))
        return *given[:2], (cos, sin), *given[3:]

    for layer in layers:
        network.blocks[layer].attn.register_forward_pre_hook(turned)


@dataclass(frozen=True)
class Natural:
    """One fault: how it is put into some layers, the cause that it is, and its number where it has one.

    `everywhere` says whether it can be in all layers at once; `fits` whether a network has such a part.
    """

    inject: Callable[[nn.Module, list[int]], None]
    cause: str
    value: Callable[[nn.Module, list[int]], float | str | None] = lambda network, layers: None
    everywhere: bool = True
    fits: Callable[[nn.Module], bool] = lambda network: True


def _first(network: nn.Module, layers: list[int]) -> float:
    return float(layers[0])


def _later(network: nn.Module, layers: list[int]) -> float:
    return float(_pair(network, layers)[1])


def _d(network: nn.Module) -> int:
    return network.blocks[0].attn.head_dim


def _grouped(network: nn.Module) -> bool:
    attn = network.blocks[0].attn
    return type(attn) is Attention and 1 < attn.groups < attn.heads


def _rotary(network: nn.Module) -> bool:
    return type(network.positions) is RoPE


NATURAL: dict[str, Natural] = {
    "causal mask one too strict": Natural(_strict, "mask offset", lambda network, layers: -1.0),
    "causal mask one too loose": Natural(_loose, "mask offset", lambda network, layers: 1.0),
    "causal mask forgotten": Natural(_open, "causal mask", lambda network, layers: "lost"),
    "window in the kernel": Natural(_window, "window", lambda network, layers: float(WINDOW)),
    "a key hidden": Natural(_key_hidden, "padding", lambda network, layers: 1.0),
    "the first keys hidden": Natural(_first_hidden, "padding", lambda network, layers: 4.0),
    "scale 1/d": Natural(_scale, "scale", lambda network, layers: _d(network) ** -0.5),
    "no scale": Natural(_unscaled, "scale", lambda network, layers: _d(network) ** 0.5),
    "groups h mod G": Natural(_groups, "key/value groups", fits=_grouped),
    "value heads exchanged": Natural(_value_heads, "value heads"),
    "stale key": Natural(_stale_key, "stale keys", lambda network, layers: float(PLACE)),
    "stale value": Natural(_stale_value, "stale values", lambda network, layers: float(PLACE)),
    "stale key and value": Natural(_stale_both, "stale keys and values", lambda network, layers: float(PLACE)),
    "keys one position late": Natural(_late_keys, "late keys", lambda network, layers: 1.0),
    "keys and values one position late": Natural(_late_both, "late keys and values", lambda network, layers: 1.0),
    "dropout on attention's output": Natural(_dropped, "dropout", lambda network, layers: DROPPED),
    "dropout on the MLP's output": Natural(_hidden_dropped, "dropout", lambda network, layers: DROPPED),
    "dropout on attention's weights": Natural(_weights_dropped, "dropout", lambda network, layers: DROPPED),
    "rows of W_K and W_V exchanged": Natural(_exchanged_rows, "weights", lambda network, layers: "W_K and W_V"),
    "heads not transposed before they are merged": Natural(_unmerged, "head order"),
    "heads merged dimension by dimension": Natural(_dimensions_first, "head order"),
    "last norm missing": Natural(_last_norm, "norm missing", everywhere=False),
    "norm before attention missing": Natural(_norms(lambda norm, given, made: given), "norm missing"),
    "LayerNorm for RMSNorm, or the other way round": Natural(_norms(_other_norm), "norm kind"),
    "layer skipped": Natural(_skipped, "layer skipped", _first, everywhere=False),
    "layer not run": Natural(_unrun, "layer skipped", _first, everywhere=False),
    "two layers exchanged": Natural(_exchanged, "layers exchanged", _later, everywhere=False),
    "MLP parallel to attention": Natural(_parallel, "parallel MLP"),
    "RoPE's table in bfloat16": Natural(_low_table, "rope precision", fits=_rotary),
    "RoPE's angles in bfloat16": Natural(_low_angles, "rope precision", fits=_rotary),
}


def _hooked(part: str, change: Callable[[Tensor], Tensor]) -> Callable[[nn.Module, list[int]], None]:
    """What a part of a layer makes, changed."""

    def inject(network: nn.Module, layers: list[int]) -> None:
        for layer in layers:
            network.blocks[layer].get_submodule(part).register_forward_hook(lambda module, given, made: change(made))

    return inject


def _changed(change: Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor, Tensor]]) -> Callable:
    """Queries, keys and values changed behind their taps."""
    return lambda network, layers: _attend(network, layers, change)


def _swapped(part: Tensor, first: int, second: int) -> Tensor:
    """Two positions exchanged."""
    order = list(range(part.shape[2]))
    order[first], order[second] = second, first
    return part[:, :, order]


NAMELESS: dict[str, Callable[[nn.Module, list[int]], None]] = {
    "keys of two positions stale": _changed(lambda q, k, v: (q, _swapped(k, 5, 12), v)),
    "values of two positions exchanged": _changed(lambda q, k, v: (q, k, _swapped(v, 4, 15))),
    "keys in another order": _changed(lambda q, k, v: (q, k[:, :, torch.randperm(k.shape[2])], v)),
    "dimensions of values in reverse": _changed(lambda q, k, v: (q, k, v.flip(-1))),
    "noise on keys": _changed(lambda q, k, v: (q, k + 0.2 * torch.randn_like(k), v)),
    "queries of one head longer": _changed(lambda q, k, v: (torch.cat((1.5 * q[:, :1], q[:, 1:]), 1), k, v)),
    "keys of unit length": _changed(lambda q, k, v: (q, F.normalize(k, dim=-1), v)),
    "every other key seen": lambda network, layers: _attend(
        network, layers, seen=lambda rows, cols: (cols <= rows) & ((rows - cols) % 2 == 0)
    ),
    "weights squared": lambda network, layers: _attend(
        network, layers, weigh=lambda weights: F.normalize(weights.square(), 1, -1)
    ),
    "largest weight alone": lambda network, layers: _attend(
        network, layers, weigh=lambda weights: F.one_hot(weights.argmax(-1), weights.shape[-1]).float()
    ),
    "attention's output one position late": _hooked(
        "attn.proj", lambda made: torch.cat((made[:, :1], made[:, :-1]), 1)
    ),
    "attention's last output 0": _hooked("attn.proj", lambda made: torch.cat((made[:, :-1], 0 * made[:, -1:]), 1)),
    "scale and window": lambda network, layers: _attend(
        network, layers, seen=lambda rows, cols: (cols <= rows) & (rows - cols < WINDOW), scale=lambda d: 1 / d
    ),
    "windows that do not overlap": lambda network, layers: _attend(
        network, layers, seen=lambda rows, cols: (cols <= rows) & (rows // WINDOW == cols // WINDOW)
    ),
    "queries one position late": _changed(lambda q, k, v: (_late(q), k, v)),
    "norm's output in 3 bits": _hooked("norm1", lambda made: (2 * made).round() / 2),
    "norm's output clipped": _hooked("norm2", lambda made: made.clamp(-0.5, 0.5)),
}  # faults that no cause of the doctor's means: it should say that it cannot tell

HEALTHY: dict[str, Callable[[nn.Module, list[int]], None]] = {
    "attention written anew": _attend,
    "attention in bfloat16": _sixteen,
}  # other arithmetic, and no fault


def injected(lm: Any, inject: Callable[[nn.Module, list[int]], None], layers: list[int]) -> Any:
    """A copy of a language model with a fault in some layers."""
    network = copy.deepcopy(lm.network)
    inject(network, layers)
    return type(lm)(network, lm.tokenizer)
