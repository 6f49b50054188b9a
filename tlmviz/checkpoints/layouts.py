"""Between RoPE's half-split layout and the interleaved one that tlmviz shows: the same model with its rows in another
order.

Released checkpoints pair dimensions (j, j + R/2) of each head; the notes and every page here pair (2j, 2j + 1). A score
is a sum over dimensions, so queries and keys may be reordered alike: no map, no value and no output changes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from tlmviz.config import ModelConfig
from tlmviz.kernels.rotary import half_order
from tlmviz.networks.transformer import TransformerLM

from .stored import Stored

# The end of a tensor's name -> how many heads of queries and keys its leading rows belong to.
TURNED: dict[str, Callable[[ModelConfig], int]] = {
    "attn.qkv.weight": lambda c: c.n_heads + c.n_kv_heads,
    "attn.qkv.bias": lambda c: c.n_heads + c.n_kv_heads,
    "attn.qkv.partial_bias": lambda c: c.n_heads * c.attention.q_bias + c.n_kv_heads * c.attention.k_bias,
    "attn.qk_norm.q.weight": lambda c: 1 if c.attention.qk_norm == "head" else c.n_heads,
    "attn.qk_norm.k.weight": lambda c: 1 if c.attention.qk_norm == "head" else c.n_kv_heads,
}


def applies(config: ModelConfig) -> bool:
    """Whether a model has the two layouts: RoPE that turns heads, not a vector beside them as in latent attention."""
    return config.positions.kind == "rope" and config.attention.latent_dim is None


def interleaved(config: ModelConfig) -> ModelConfig:
    """The configuration after `interleave`; itself where no half-split RoPE turns whole heads."""
    return config.with_(positions={"layout": "interleaved"}) if applies(config) else config


def half_split(config: ModelConfig) -> ModelConfig:
    """The configuration of the tensors that `in_half_split` gives; itself where no RoPE turns whole heads."""
    return config.with_(positions={"layout": "half"}) if applies(config) else config


@torch.no_grad()
def interleave(network: TransformerLM) -> TransformerLM:
    """The network whose rows of W_Q and W_K came in the half-split layout, with these rows, their biases and gains in
    order.

    Its configuration says "interleaved" already: nothing else is changed. A network without such a RoPE is left as it
    is.
    """
    order = to_half(network.config).argsort()
    for name, value in network.named_parameters():
        heads = _heads(network.config, name)
        if heads:
            rows = value.kept if isinstance(value, Stored) else value
            rows.copy_(_reordered(rows, heads, order))  # in place: tensors may be large
    return network


def in_half_split(config: ModelConfig, state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors of an interleaved model by name, as a half-split one has them: what `interleave` undoes."""
    order = to_half(config)
    counts = {name: _heads(config, name) for name in state}
    return {name: _reordered(value, counts[name], order) if counts[name] else value for name, value in state.items()}


def to_half(config: ModelConfig) -> Tensor:
    """Which dimension of an interleaved head stands where in the half-split one, [D]: those behind the turned ones
    stay."""
    turned = config.rotary_dim
    return torch.cat((half_order(turned), torch.arange(turned, config.head_dim)))


def _heads(config: ModelConfig, name: str) -> int:
    """How many heads' rows are reordered at the front of a tensor; 0 where none are."""
    if not applies(config):
        return 0
    return next((heads(config) for end, heads in TURNED.items() if name.endswith(end)), 0)


def _reordered(rows: Tensor, heads: int, order: Tensor) -> Tensor:
    """A matrix or vector with each head's part of the leading `heads` times D rows in `order`."""
    part, rest = rows.split((heads * len(order), len(rows) - heads * len(order)))
    return torch.cat((part.unflatten(0, (heads, -1))[:, order].flatten(0, 1), rest))
