"""One model in few bits beside itself: its weights rounded, or the keys and values that a cache keeps, of all heads or
of one.

Simulated: float32 arithmetic on numbers that were rounded, each row (an output of a matrix, a token's key in one head)
under a scale of its own. Sources: LLM notes, section 6; Hooper et al. 2024 (KVQuant) for keys with outlier channels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch
from torch import Tensor

from tlmviz.protocols import LanguageModelLike
from tlmviz.recording import Edit, Recording
from tlmviz.tracing.trace import Trace

from ..attention.heads import kl_divergence
from ..numbers.rounded_model import WEIGHTS, Setting, Simulator
from ..numbers.scaling import CHANNEL, Scheme, scaled
from .patching import normed_from

ROWS_AT_ONCE = 192  # of a large vocabulary, predictions are compared for so many at a time


@dataclass(frozen=True)
class Cost:
    """What it costs to keep one head's keys and values in few bits: the mean KL of the predictions along the text, in
    nats.

    `outlier` is the largest |k| of its loudest channel beside that of the median channel. `head` counts key/value
    heads.
    """

    layer: int
    head: int
    kl: float
    outlier: float


def weights_rounded(lm: LanguageModelLike, ids: list[int], key: str) -> Trace:
    """The trace of a pass with all matrices rounded to a format, by its key; streams and logits are kept with it."""
    with Simulator(lm).rounding(Setting(Scheme(key, CHANNEL), WEIGHTS)):
        trace = lm.trace_ids(ids)
        streams = [f"blocks.{i}.resid_post" for i in range(trace.n_layers)]
        trace.tensors(["blocks.0.resid_pre", *streams, "logits"])  # a later pass would not round
    return trace


def cache_rounded(
    lm: LanguageModelLike, ids: list[int], key: str, heads: Iterable[tuple[int, int]] | None = None
) -> Trace:
    """The trace of a pass with what a cache keeps rounded to a format: of the given (layer, key/value head), else of
    all.

    That is keys and values; with multi-head latent attention, one latent and one rotated key per layer, which count as
    one head and from which all heads' keys and values are then made.
    """
    chosen: dict[int, list[int] | None] = dict.fromkeys(range(lm.config.n_layers))
    if heads is not None:
        chosen = {}
        for layer, head in heads:
            chosen[layer] = [*(chosen.get(layer) or ()), head]
    edits: dict[str, Edit] = {}
    for layer, which in chosen.items():
        for name in _kept_names(lm, layer):

            def edit(value: Tensor, record: Recording, which: list[int] | None = which) -> Tensor:
                rounded = _rounded(lm, value, key)
                if which is None:
                    return rounded
                value = value.clone()
                value[:, which] = rounded[:, which]
                return value

            edits[name] = edit
    return lm.trace_ids(ids, edit=edits)


def cache_costs(
    lm: LanguageModelLike, ids: list[int], key: str, tell: Callable[[float], None] = lambda share: None
) -> list[Cost]:
    """What each key/value head costs when it alone is kept in a format; `tell` hears the share that is done.

    A layer's heads are run side by side, from that layer on: what lies below is the same in all of them.
    """
    plain = lm.trace_ids(ids)
    streams = [f"blocks.{layer}.resid_pre" for layer in range(plain.n_layers)]
    plain.tensors([*streams, *(_kept_names(lm, layer)[0] for layer in range(plain.n_layers))])
    work = sum(range(1, plain.n_layers + 1))  # an early layer has more layers behind it
    found, done = [], 0
    for layer in range(plain.n_layers):
        tell(done / work)
        channels = plain[_kept_names(lm, layer)[0]][0].abs().amax(1)  # [G, D]
        loud = channels.amax(-1) / channels.median(-1).values.clamp(min=1e-30)
        for head, (kl, outlier) in enumerate(zip(_costs_of(lm, plain, layer, len(loud), key), loud.tolist())):
            found.append(Cost(layer, head, kl, outlier))
        done += plain.n_layers - layer
    return found


def _costs_of(lm: LanguageModelLike, plain: Trace, layer: int, heads: int, key: str) -> list[float]:
    """The mean KL along the text of each head of a layer, in runs side by side."""

    def edit(value: Tensor, record: Recording) -> Tensor:  # [G, G, T, D], all runs alike
        rounded, value = _rounded(lm, value[:1], key)[0], value.clone()
        for head in range(heads):
            value[head, head] = rounded[head]
        return value

    edits: dict[str, Edit] = dict.fromkeys(_kept_names(lm, layer), edit)
    normed = normed_from(lm, plain, layer, heads, edits)
    sums, step = torch.zeros(heads), max(1, ROWS_AT_ONCE // heads)
    for start in range(0, len(plain), step):
        part = range(len(plain))[start : start + step]
        with torch.inference_mode():
            after = lm.network.unembed(normed[:, part.start : part.stop]).cpu()  # [G, R, V]
        sums += kl_divergence(plain.logits_at(part), after).sum(-1)
    return (sums / len(plain)).tolist()


def _kept_names(lm: LanguageModelLike, layer: int) -> tuple[str, ...]:
    """The tensors of a layer that a cache keeps."""
    latent = f"blocks.{layer}.attn.latent"
    if latent in lm.network.tap_names():
        return (latent,)
    return f"blocks.{layer}.attn.k", f"blocks.{layer}.attn.v"


def _rounded(lm: LanguageModelLike, value: Tensor, key: str) -> Tensor:
    """[B, G, T, D] in a format, each row under a scale of its own; of a latent, its rotated key apart."""
    rank = lm.config.attention.latent_dim
    parts = [value] if rank is None else value.split((rank, value.shape[-1] - rank), -1)
    scheme = Scheme(key, CHANNEL)
    return torch.cat([scaled(part.flatten(0, -2), scheme).restored.view(part.shape) for part in parts], -1)
