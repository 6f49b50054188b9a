"""Attention maps shared by neighbouring layers: what a model loses when a layer reads by the maps of the one below."""

from __future__ import annotations

import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz import kernels
from tlmviz.errors import BadText
from tlmviz.protocols import LanguageModelLike
from tlmviz.recording import Edit, Recording


def reused_maps(lm: LanguageModelLike, ids: list[int]) -> Float[Tensor, " l_minus_1"]:
    """What it adds to the loss, in nats per token, when one layer's heads weigh their own values by the maps of the
    layer below.

    Entry i is layer i + 1 with the maps of layer i, head by head; that layer then needs no queries and keys of its own
    (001, "parameter sharing ... across heads or layers"). Raises BadText for a text of one token, which predicts
    nothing.
    """
    if len(ids) < 2:
        raise BadText("The text has one token, so there is no next token to predict; type at least one more.")
    whole = lm.trace_ids(ids).loss_per_token().mean()
    layers = range(1, lm.config.n_layers)
    losses = [lm.trace_ids(ids, edit=_reuse(lm, layer)).loss_per_token().mean() for layer in layers]
    return torch.stack(losses) - whole if losses else torch.zeros(0)


def _reuse(lm: LanguageModelLike, layer: int) -> dict[str, Edit]:
    """The edit by which a layer weighs its values as the layer below does."""
    below, spec = f"blocks.{layer - 1}.attn.", lm.network.specs()[layer - 1]
    held: dict[str, Tensor] = {}

    def hold(name: str) -> Edit:
        def edit(value: Tensor, record: Recording) -> Tensor:
            held[name] = value
            return value

        return edit

    def weigh(z: Tensor, record: Recording) -> Tensor:  # [B, H, T, E]
        return kernels.attention(held["q"], held["k"], held["v"], spec.mask, scale=spec.scale)[0]

    taps = {f"{below}q": hold("q"), f"{below}k": hold("k"), f"blocks.{layer}.attn.v": hold("v")}
    return {**taps, f"blocks.{layer}.attn.z": weigh}
