"""A whole translation given to a translation network, as in training: what it says of each token, and where it looks."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz.recording import recording

from .encoder_decoder import EncoderDecoder, attention_maps
from .seq2seq import Seq2Seq

__all__ = ["Given", "attention_maps", "read_given"]


@dataclass(frozen=True)
class Given:
    """One pass: nats of each token of the translation, what its taps kept, and a recurrent network's weights."""

    logp: Float[Tensor, " y"]
    values: dict[str, Tensor]
    paid: Float[Tensor, "1 t s"] | None  # a row for each token read, the end-of-text token at the start first


def read_given(
    network: EncoderDecoder | Seq2Seq,
    source: list[int],
    translation: list[int],
    start: int,
    keep: tuple[str, ...] = (),
) -> Given:
    """Read a translation in one pass after `start`; taps whose names end as `keep` says are kept."""
    shifted = torch.tensor([[start, *translation[:-1]]])
    with recording(lambda name: name.endswith(keep)) as record:
        out = network(torch.tensor([source]), shifted)
    logits, paid = out if isinstance(out, tuple) else (out, None)
    written = torch.tensor(translation, dtype=torch.long, device=logits.device)  # an empty one too
    return Given(logits[0].log_softmax(-1).gather(-1, written[:, None])[:, 0], record.values, paid)
