"""What RoPE scalings do to a trained model: its loss along a long text, and a scale that changes while the cache is
full.

Letters: T tokens, P planes, V vocabulary.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from tlmviz.analysis.kernels.long_context import loss_along
from tlmviz.caches import KVCache
from tlmviz.config import ModelConfig
from tlmviz.errors import BadShape, BadText
from tlmviz.layers.positions import Positions
from tlmviz.layers.scaling import SCALINGS, DynamicNTK, scaled_rope
from tlmviz.protocols import LanguageModelLike

BLOCK = 64  # tokens read at once while a dynamic scale grows
WAYS = RECOMPUTED, TURNED, STORED = "Recomputed", "Unrotated keys", "Rotated keys"


def losses(
    lm: LanguageModelLike, ids: list[int], positions: Positions | None = None
) -> Float[np.ndarray, " t_minus_1"]:
    """-log p of each next token in nats, [T - 1], in one pass, which may go beyond the training length.

    `positions` stand in for the model's own. A dynamic scale follows the text: it is read as `losses_growing` does.
    """
    if isinstance(positions, DynamicNTK):
        return losses_growing(lm, ids, positions)
    trace = lm.trace_ids(ids, keep="normed".__eq__, positions=positions)
    return loss_along(lm, trace).numpy()


def losses_growing(
    lm: LanguageModelLike, ids: list[int], positions: Positions, rotated: bool = False, block: int = BLOCK
) -> Float[np.ndarray, " t_minus_1"]:
    """`losses` read through a cache, first up to the training length and then `block` tokens at a time, as a chat
    grows.

    Each block is read under the scale of its end. Unrotated keys follow it, rotated ones keep the turn they came with.
    """
    x, cache, found = torch.tensor([ids]), lm.new_cache(rotated), []
    edges = [0, *range(min(lm.config.context, len(ids)), len(ids), block), len(ids)]
    for start, stop in zip(edges, edges[1:]):
        logits, targets = lm(x[:, start:stop], cache, positions)[0], x[0, start + 1 : stop + 1]
        found.append(F.cross_entropy(logits[: len(targets)], targets, reduction="none"))
    return torch.cat(found).cpu().numpy()


def inside_and_beyond(loss: np.ndarray, context: int) -> tuple[float, float]:
    """Mean of [T - 1] losses within the training length and beyond it; NaN where there is nothing."""
    inside, beyond = (
        float(part.mean()) if len(part) else float("nan") for part in (loss[: context - 1], loss[context - 1 :])
    )
    return inside, beyond


def frequency_ratios(config: ModelConfig, scale: float, length: int) -> dict[str, Float[np.ndarray, " p"]]:
    """Each scheme's frequencies over the unscaled ones, plane by plane, once `length` tokens are read."""
    schemes = {name: scaled_rope(config, name, scale) for name in SCALINGS}
    return {name: (scheme.frequencies(length) / scheme.unscaled()).numpy() for name, scheme in schemes.items()}


@dataclass(frozen=True)
class Switch:
    """The tokens after a change of scale, read in three ways, by name: RECOMPUTED, TURNED, STORED."""

    at: int  # tokens read before the change
    losses: dict[str, np.ndarray]  # [N], nats, of tokens at, at + 1, ...
    divergence: dict[str, np.ndarray]  # [N], KL(recomputed || this) of the distributions that predict them, nats
    texts: dict[str, str]  # what the model writes after the first `at` tokens, greedily

    def to_arrays(self) -> dict[str, np.ndarray]:
        """All of it as arrays, texts as the bytes of UTF-8, for a file."""
        found = {"at": np.array(self.at)}
        for way, text in self.texts.items():
            found[f"{way} losses"], found[f"{way} divergence"] = self.losses[way], self.divergence[way]
            found[f"{way} text"] = np.frombuffer(text.encode(), np.uint8)
        return found

    @classmethod
    def from_arrays(cls, arrays: dict[str, np.ndarray]) -> Switch:
        """What `to_arrays` wrote."""
        losses, divergence = ({way: arrays[f"{way} {part}"] for way in WAYS} for part in ("losses", "divergence"))
        texts = {way: arrays[f"{way} text"].tobytes().decode() for way in WAYS}
        return cls(int(arrays["at"]), losses, divergence, texts)


@torch.inference_mode()
def switch(lm: LanguageModelLike, ids: list[int], at: int, positions: Positions, count: int = 32) -> Switch:
    """Read `at` - 1 tokens with the model's own RoPE, everything after with `positions`; also write `count` tokens from
    there.

    RECOMPUTED reads all of it under the new scale. The others keep the cache of the first tokens: TURNED unrotated, so
    that its keys are turned anew, STORED as the old scale turned them. Raises BadText for fewer than 3 tokens, BadShape
    for `at`.
    """
    if len(ids) < 3:
        raise BadText("A change in the middle needs three tokens or more; give a longer text.")
    if not 2 <= at < len(ids):
        raise BadShape(f"The scale would change after {at} of {len(ids)} tokens; choose 2 to {len(ids) - 1}.")
    before, after, targets = (torch.tensor(part) for part in ([ids[: at - 1]], [ids[at - 1 : -1]], ids[at:]))
    logits, texts = {}, {}
    for name, rotated in ((RECOMPUTED, True), (TURNED, False), (STORED, True)):
        cache = lm.new_cache(rotated)
        lm(before, cache, positions if name == RECOMPUTED else None)
        texts[name] = _continue(lm, after[:, :1], copy.deepcopy(cache), positions, count)
        logits[name] = lm(after, cache, positions)[0]
    right = logits[RECOMPUTED].log_softmax(-1)
    divergence = {name: _divergence(right, each) for name, each in logits.items()}
    losses = {name: F.cross_entropy(each, targets, reduction="none").numpy() for name, each in logits.items()}
    return Switch(at, losses, divergence, texts)


def _divergence(right: Float[Tensor, "t v"], logits: Float[Tensor, "t v"]) -> np.ndarray:
    return (right.exp() * (right - logits.log_softmax(-1))).sum(-1).clamp(min=0).numpy()


def _continue(lm: LanguageModelLike, last: Int[Tensor, "1 1"], cache: KVCache, positions: Positions, count: int) -> str:
    new: list[int] = []
    while len(new) < count:
        last = lm(last, cache, positions)[:, -1:].argmax(-1)
        token = int(last)
        if token in lm.tokenizer.ends:
            break
        new.append(token)
    return lm.tokenizer.decode(new)
