"""Cached equals full, for every kind of cache that fits a model, in the manner of `identities`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..caches import ContiguousCache, KVCache, LatentCache, PagedCache, PagePool, Sequence, SlidingCache
from ..tracing.trace import Trace
from .cases import is_language_model, reading
from .registry import identity
from .result import OF_LARGEST, ROUNDING, Measured, beside_largest, worst

if TYPE_CHECKING:
    from ..facades.language_model import LanguageModel

READ, PAGE = 24, 5  # tokens of the text that a check looks at: its first; an odd page


def kinds(lm: LanguageModel, length: int) -> dict[str, KVCache]:
    """An empty cache of every kind that should give a full pass's logits for a text of `length` tokens."""
    config = lm.config
    made: dict[str, KVCache] = {"paged": PagedCache(Sequence(PagePool.of(config, PAGE, -(-length // PAGE))))}
    for rotated in (True, False):
        keys = "rotated" if rotated else "unrotated"
        made[f"contiguous, {keys}"] = ContiguousCache(config.n_layers, reserve=4, rotated=rotated)
        # A ring replaces the model's own window; without one, a ring of the whole text drops nothing.
        windows = {config.layer(layer).window for layer in range(config.n_layers)}
        if len(windows) > 1 and config.attention.latent_dim is None:
            made[f"layered, {keys}"] = lm.new_cache(rotated)
        if len(windows) == 1:
            ring = next(iter(windows)) or length
            made[f"sliding, {keys}"] = SlidingCache(config.n_layers, ring, rotated=rotated)
        if config.attention.latent_dim is not None:
            for absorbed in (True, False):
                name = f"latent, {'absorbed' if absorbed else 'naive'}, {keys}"
                made[name] = LatentCache(config.n_layers, rotated=rotated, absorbed=absorbed)
        # Sinks would be seen beside the window, and leave a gap in distances.
        if windows == {None} and config.positions.kind not in ("alibi", "relative"):
            made[f"sinks, {keys}"] = SlidingCache(config.n_layers, length, sinks=2, rotated=rotated)
    return made


@identity(
    "Every cache = full pass",
    "every kind of cache that fits the model gives its logits",
    ROUNDING,
    OF_LARGEST,
    when=is_language_model,
    inputs=reading,
)
def every_cache_equals_full(lm: LanguageModel, trace: Trace) -> Measured:
    """Reading half the text at once and the rest token by token gives the full pass's logits, whatever keeps the
    past."""
    ids = torch.tensor([trace.ids[:READ]])
    pieces = [ids[:, : ids.shape[1] // 2], *ids[:, ids.shape[1] // 2 :].split(1, 1)]
    errors = []
    for cache in kinds(lm, ids.shape[1]).values():
        stepped = torch.cat([lm(piece, cache) for piece in pieces if piece.shape[1]], 1)[0]
        errors.append(beside_largest(stepped, trace.logits[: ids.shape[1]]))
    return Measured(worst(torch.tensor(errors)), f"{len(errors)} kinds")
