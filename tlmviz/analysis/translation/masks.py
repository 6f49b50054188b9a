"""The three attentions of an encoder-decoder, and its copies: without the causal mask, and with RoPE in
cross-attention."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from safetensors import SafetensorError
from safetensors.torch import load_file

from tlmviz.checkpoints.native import check_weights
from tlmviz.checkpoints.registry import checkpoint_folder
from tlmviz.errors import BadCheckpoint
from tlmviz.networks.encoder_decoder import EncoderDecoder
from tlmviz.networks.teacher_forcing import attention_maps, teacher_forced_pass
from tlmviz.protocols import TranslatorLike

UNMASKED = "unmasked.safetensors"


@dataclass(frozen=True)
class Maps:
    """Every map of one sentence and one translation: encoder [L, H, S, S], decoder [L, H, T, T], cross [L, H, T, S].

    Decoder rows are the positions of the shifted target: the end-of-text token, then the translation but its last
    token.
    """

    encoder: Float[np.ndarray, "l h s s"]
    decoder: Float[np.ndarray, "l h t t"]
    cross: Float[np.ndarray, "l h t s"]
    logp: Float[np.ndarray, " t"]  # nats of each translated token


@torch.inference_mode()
def read(mt: TranslatorLike, text: str, translation: list[int]) -> Maps:
    """All attention of one pass in which the whole translation is given, as in training. `mt` must be a Transformer.

    Raises BadText.
    """
    network: EncoderDecoder = mt.network
    forced = teacher_forced_pass(network, mt.encode(text), translation, mt.tokenizer.end_of_text, (".q", ".k", ".lse"))
    parts = (("encoder", "attn"), ("decoder", "attn"), ("decoder", "cross"))
    encoder, decoder, cross = (attention_maps(network, forced.values, *part).cpu().numpy() for part in parts)
    return Maps(encoder, decoder, cross, forced.logp.cpu().numpy())


def look_ahead(maps: Float[np.ndarray, "l h t t"]) -> Float[np.ndarray, "l h"]:
    """The mean weight that each position's next one gets, of every map: there the answer is, where no mask hides it."""
    return np.diagonal(maps, 1, -2, -1).mean(-1) if maps.shape[-1] > 1 else np.zeros(maps.shape[:2])


def look_back(maps: Float[np.ndarray, "l h t t"]) -> Float[np.ndarray, "l h"]:
    """The mean weight that each position's previous one gets, of every map."""
    return look_ahead(maps.swapaxes(-2, -1))


def unmasked(mt: TranslatorLike, weights: dict[str, torch.Tensor] | None = None) -> TranslatorLike:
    """A copy of a Transformer translator whose decoder sees all of the target it is given, the future too.

    `weights` replace those of its self-attention: the copy's own, after it was trained without the mask.
    """
    changed = _copy(mt)
    for block in changed.network.decoder:
        block.attn.causal = False
    if weights is not None:
        changed.network.load_state_dict(weights, strict=False)
    return changed


def rotated(mt: TranslatorLike) -> TranslatorLike:
    """A copy of a Transformer translator whose cross-attention has RoPE too: scores see the distance of target and
    source places.

    The weights are those that were trained without it.
    """
    changed = _copy(mt)
    for block in changed.network.decoder:
        block.cross.rotary = changed.network.positions
    return changed


def _copy(mt: TranslatorLike) -> TranslatorLike:
    """The same translator with a network of its own."""
    changed = copy.copy(mt)
    changed.network = copy.deepcopy(mt.network)
    changed.__dict__.pop("on_cpu", None)  # a copy of the former network
    return changed


def unmasked_weights(name_or_path: str | Path, network: EncoderDecoder) -> dict[str, torch.Tensor] | None:
    """The self-attention that a bundled model's copy learned without the mask; None where none was trained.

    Raises UnknownName, and BadCheckpoint where the file is damaged or of another model.
    """
    path = checkpoint_folder(name_or_path) / UNMASKED
    if not path.is_file():
        return None
    try:
        weights = {name: value.float() for name, value in load_file(path).items()}
    except (SafetensorError, OSError, ValueError) as error:
        raise BadCheckpoint(f"{path.parent.name}/{UNMASKED} cannot be read ({error}); copy it again.") from error
    check_weights(path.parent.name, self_attention(network), weights)
    return weights


def self_attention(network: EncoderDecoder) -> dict[str, torch.Tensor]:
    """The decoder's self-attention and the norm before it, by name: what a copy trains that may look ahead."""
    return {
        name: value
        for name, value in network.state_dict().items()
        if name.startswith("decoder.") and (".attn." in name or ".norm1." in name)
    }
