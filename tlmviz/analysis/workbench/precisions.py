"""One model in few bits beside itself: its weights rounded, or the keys and values that a cache keeps, of all heads or of one.

Simulated: float32 arithmetic on numbers that were rounded, each row (an output of a matrix, a token's key in one head) under a
scale of its own. Sources: LLM notes, section 6; Hooper et al. 2024 (KVQuant) for keys with outlier channels.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from torch import Tensor

from tlmviz.protocols import LanguageModelLike
from tlmviz.recording import Edit, Recording
from tlmviz.trace import Trace

from ..attention.heads import kl_divergence
from ..numbers.rounded_model import WEIGHTS, Setting, Simulator
from ..numbers.scaling import CHANNEL, Scheme, scaled


@dataclass(frozen=True)
class Cost:
    """What it costs to keep one head's keys and values in few bits: the mean KL of the predictions along the text, in nats.

    `outlier` is the largest |k| of its loudest channel beside that of the median channel. `head` counts key/value heads.
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
    """The trace of a pass with keys and values rounded to a format: of the given (layer, key/value head), else of all."""
    scheme = Scheme(key, CHANNEL)
    chosen: dict[int, list[int] | None] = dict.fromkeys(range(lm.config.n_layers))
    if heads is not None:
        chosen = {}
        for layer, head in heads:
            chosen[layer] = [*(chosen.get(layer) or ()), head]

    def rounding(which: list[int] | None) -> Edit:
        def edit(value: Tensor, record: Recording) -> Tensor:  # [B, G, T, D]
            kept = scaled(value.reshape(-1, value.shape[-1]), scheme).restored.view(value.shape)
            if which is None:
                return kept
            value = value.clone()
            value[:, which] = kept[:, which]
            return value

        return edit

    edits = {
        f"blocks.{layer}.attn.{part}": rounding(which) for layer, which in chosen.items() for part in "kv"
    }
    return lm.trace_ids(ids, edit=edits)


def cache_costs(lm: LanguageModelLike, ids: list[int], key: str) -> list[Cost]:
    """What each key/value head costs when it alone is kept in a format: a pass for each of them."""
    plain = lm.trace_ids(ids)
    found = []
    for layer in range(plain.n_layers):
        channels = plain[f"blocks.{layer}.attn.k"][0].abs().amax(1)  # [G, D]
        loud = channels.amax(-1) / channels.median(-1).values.clamp(min=1e-30)
        for head, outlier in enumerate(loud.tolist()):
            kept = cache_rounded(lm, ids, key, [(layer, head)])
            kl = kl_divergence(plain.logits, kept.logits).mean()
            found.append(Cost(layer, head, float(kl), outlier))
    return found
