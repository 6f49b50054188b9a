"""Teacher forcing: a given translation read in one pass, as in training, with each token's log-probability and
attention."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz.recording import recording

from .encoder_decoder import EncoderDecoder, attention_maps
from .seq2seq import Seq2Seq

__all__ = ["TeacherForced", "attention_maps", "teacher_forced_pass"]


@dataclass(frozen=True)
class TeacherForced:
    """One pass: nats of each token of the translation, what its taps kept, and a recurrent network's weights."""

    logp: Float[Tensor, " y"]
    values: dict[str, Tensor]
    attention: Float[Tensor, "1 t s"] | None  # a row for each token read, the end-of-text token at the start first


def teacher_forced_pass(
    network: EncoderDecoder | Seq2Seq, source: list[int], translation: list[int], start: int, keep: tuple[str, ...] = ()
) -> TeacherForced:
    """Read a translation in one pass after `start`; taps whose names end as `keep` says are kept."""
    shifted = torch.tensor([[start, *translation[:-1]]])
    with recording(lambda name: name.endswith(keep)) as record:
        out = network(torch.tensor([source]), shifted)
    logits, attention = out if isinstance(out, tuple) else (out, None)
    target = torch.tensor(translation, dtype=torch.long, device=logits.device)  # an empty one too
    logp = logits[0].log_softmax(-1).gather(-1, target[:, None])[:, 0]
    return TeacherForced(logp, record.values, attention)
