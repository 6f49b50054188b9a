"""Faults that are put into a copy of a model on purpose: nothing of the rules that name them is known here."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn

from tlmviz.kernels import AttentionMask
from tlmviz.layers import Attention, LayerNorm, PartlyBiased, Positions, RMSNorm
from tlmviz.layers.positions import PerLayer, RoPE
from tlmviz.networks.transformer import TransformerLM
from tlmviz.tracing.trace import AttentionSpec


class Moved(RoPE):
    """RoPE that counts positions from another number."""

    def __init__(self, honest: RoPE, offset: int):
        super().__init__(honest.head_dim, honest.base, honest.layout)
        self.offset = offset

    def cos_sin(self, position_ids: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Angles `offset` positions further."""
        return super().cos_sin(position_ids + self.offset)


def _positions(network: TransformerLM, layer: int, other: Positions) -> None:
    """Positions of which one layer has others than all the rest."""
    network.positions = PerLayer([network.positions, other], [int(i == layer) for i in range(len(network.blocks))])


def _base(network: TransformerLM, layer: int, base: float) -> None:
    own = network.positions
    assert isinstance(own, RoPE)
    _positions(network, layer, RoPE(own.head_dim, base, own.layout))


def _moved(network: TransformerLM, layer: int, offset: float) -> None:
    own = network.positions
    assert isinstance(own, RoPE)
    _positions(network, layer, Moved(own, int(offset)))


def _scale(network: TransformerLM, layer: int, factor: float) -> None:
    network.blocks[layer].attn.scale *= factor


def _softcap(network: TransformerLM, layer: int, cap: float) -> None:
    network.blocks[layer].attn.softcap = cap


def _window(network: TransformerLM, layer: int, size: float) -> None:
    network.blocks[layer].attn.window = int(size)


def _uncausal(network: TransformerLM, layer: int, value: float) -> None:
    attn = network.blocks[layer].attn
    assert isinstance(attn, Attention)
    attn.causal = False


def _masked(network: TransformerLM, layer: int, change: Callable[[AttentionMask], AttentionMask]) -> None:
    """A layer with another mask, in attending and in what its trace says."""
    attn = network.blocks[layer].attn
    honest = attn.spec

    def spec(positions: Positions) -> AttentionSpec:
        own = honest(positions)
        return replace(own, mask=change(own.mask))

    attn.spec = spec  # type: ignore[method-assign]  # of this copy's layer alone


def _hidden(network: TransformerLM, layer: int, count: float) -> None:
    def visible(rows: torch.Tensor, cols: torch.Tensor) -> torch.Tensor:
        return (cols >= count)[None].expand(len(rows), -1)

    _masked(network, layer, lambda mask: replace(mask, visible=visible))


def _sink(network: TransformerLM, layer: int, logit: float) -> None:
    sinks = torch.full((network.blocks[layer].attn.heads,), logit)
    _masked(network, layer, lambda mask: replace(mask, sinks=sinks))


def _eps(network: TransformerLM, layer: int, eps: float) -> None:
    norm = network.blocks[layer].norm1
    assert isinstance(norm, LayerNorm | RMSNorm)
    norm.eps = eps


def _keys(network: TransformerLM, layer: int, percent: float) -> None:
    attn = network.blocks[layer].attn
    assert isinstance(attn, Attention)
    rows = slice(attn.heads * attn.head_dim, (attn.heads + attn.groups) * attn.head_dim)
    _noisy(attn.qkv, rows, percent)


def _output(network: TransformerLM, layer: int, percent: float) -> None:
    _noisy(network.blocks[layer].attn.proj, slice(None), percent)


def _noisy(linear: nn.Linear | PartlyBiased, rows: slice, percent: float) -> None:
    """Gaussian noise on some rows of a matrix, as a share of their size."""
    weight = linear.weight.detach().clone()
    drawn = torch.randn(weight[rows].shape, generator=torch.Generator().manual_seed(0))
    weight[rows] += percent / 100 * weight[rows].std() * drawn
    linear.weight = nn.Parameter(weight, requires_grad=False)


@dataclass(frozen=True)
class Fault:
    """One kind of fault: the sizes that it has, at first `start`, and how it is put in; one of a single size has no
    number.

    `code` is the same as Python, of `bad`, `layer` and `value`; `fits` says whether a network has such a part.
    """

    stops: tuple[float, ...]
    start: float
    inject: Callable[[TransformerLM, int, float], None]
    code: str
    fits: Callable[[TransformerLM], bool] = lambda network: True

    @property
    def sized(self) -> bool:
        """Whether its number can be chosen."""
        return len(self.stops) > 1


def _plain(network: TransformerLM) -> bool:
    return type(network.blocks[0].attn) is Attention


def _turned(network: TransformerLM) -> bool:
    return _plain(network) and type(network.positions) is RoPE


def _normed(network: TransformerLM) -> bool:
    return hasattr(getattr(network.blocks[0], "norm1", None), "eps")


def _biasless(network: TransformerLM) -> bool:
    attn = network.blocks[0].attn
    return isinstance(attn, Attention) and _plain(network) and attn.qkv.weight.ndim == 2


SPEC = """\
honest = bad.blocks[layer].attn.spec
def spec(positions):
    own = honest(positions)
    return replace(own, mask=replace(own.mask, {part}))
bad.blocks[layer].attn.spec = spec"""
NOISE = """\
rows, drawn = {rows}, torch.Generator().manual_seed(0)
weight = bad.blocks[layer].attn.{name}.weight.detach().clone()
weight[rows] += value / 100 * weight[rows].std() * torch.randn(weight[rows].shape, generator=drawn)
bad.blocks[layer].attn.{name}.weight = torch.nn.Parameter(weight, requires_grad=False)"""
TURNED = """\
other = {other}
bad.positions = PerLayer([bad.positions, other], [int(i == layer) for i in range(len(bad.blocks))])"""
KEY_ROWS = "slice(attn.heads * attn.head_dim, (attn.heads + attn.groups) * attn.head_dim)"

FAULTS: dict[str, Fault] = {
    "RoPE base": Fault(
        (100, 500, 1000, 2500, 5000, 20000, 50000, 100000, 500000),
        2500,
        _base,
        TURNED.format(other="RoPE(bad.positions.head_dim, value, bad.positions.layout)"),
        _turned,
    ),
    "Positions moved": Fault(
        (1, 2, 3, 5, 8, 13, 21, 30),
        5,
        _moved,
        TURNED.format(other="RoPE(bad.positions.head_dim, bad.positions.base, bad.positions.layout)")
        + "\nturn = other.cos_sin\nother.cos_sin = lambda position_ids: turn(position_ids + int(value))",
        _turned,
    ),
    "Score scale": Fault(
        (0.25, 0.5, 0.7, 0.9, 1.1, 1.41, 2.0, 4.0), 1.41, _scale, "bad.blocks[layer].attn.scale *= value"
    ),
    "Soft-cap": Fault((2, 3, 5, 8, 12, 20), 5, _softcap, "bad.blocks[layer].attn.softcap = value"),
    "Window": Fault((2, 3, 4, 6, 8, 12, 16), 6, _window, "bad.blocks[layer].attn.window = int(value)"),
    "Causal mask lost": Fault((0,), 0, _uncausal, "bad.blocks[layer].attn.causal = False", _plain),
    "First keys hidden": Fault(
        (1, 2, 3, 4, 6, 8),
        3,
        _hidden,
        "visible = lambda rows, cols: (cols >= value)[None].expand(len(rows), -1)\n"
        + SPEC.format(part="visible=visible"),
    ),
    "Sink": Fault(
        (-2.0, -1.0, 0.0, 1.0, 2.0, 3.0),
        1.0,
        _sink,
        "sinks = torch.full((bad.blocks[layer].attn.heads,), float(value))\n" + SPEC.format(part="sinks=sinks"),
    ),
    "Norm eps": Fault(
        (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0), 0.1, _eps, "bad.blocks[layer].norm1.eps = value", _normed
    ),
    "W_K noise": Fault(
        (1, 2, 5, 10, 20, 50),
        10,
        _keys,
        "attn = bad.blocks[layer].attn\n" + NOISE.format(rows=KEY_ROWS, name="qkv"),
        _biasless,
    ),
    "W_O noise": Fault((1, 2, 5, 10, 20, 50), 10, _output, NOISE.format(rows="slice(None)", name="proj")),
}


def fitting(lm: Any) -> list[str]:
    """The kinds of fault that a language model has the parts for."""
    return [name for name, fault in FAULTS.items() if fault.fits(lm.network)]


def injected(lm: Any, name: str, layer: int, value: float) -> Any:
    """A copy of a language model with the fault in it; weights that are not changed are shared."""
    shared = {id(part): part for part in (*lm.network.parameters(), *lm.network.buffers())}
    network = copy.deepcopy(lm.network, shared)
    FAULTS[name].inject(network, layer, value)
    return type(lm)(network, lm.tokenizer)
