"""The identities behind the three attentions of a Transformer that translates, in the manner of `translation`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from tlmviz.analysis.translation import masks

from ..recording import recording
from .registry import identity
from .result import worst
from .translation_cases import Attentions, is_encoder_decoder, masked

if TYPE_CHECKING:
    from ..facades.translator import Translator


@identity(
    "Three maps sum to 1", "all three attentions spread a weight of 1", 1e-5, when=is_encoder_decoder, inputs=masked
)
def rows_sum_to_one(mt: Translator, given: Attentions) -> float:
    """Every row of the encoder's, the decoder's and the cross maps sums to 1."""
    errors = [torch.from_numpy(part.sum(-1) - 1) for part in (given.maps.encoder, given.maps.decoder, given.maps.cross)]
    return max(map(worst, errors))


@identity(
    "Forbidden = 0",
    "masked self-attention gives later positions exactly nothing",
    0.0,
    when=is_encoder_decoder,
    inputs=masked,
)
def forbidden_is_zero(mt: Translator, given: Attentions) -> float:
    """Right of the diagonal the decoder's self-attention is exactly 0."""
    return worst(torch.from_numpy(np.triu(given.maps.decoder, 1)))


@identity(
    "K, V = source alone",
    "another target leaves keys and values of the memory as they are",
    0.0,
    when=is_encoder_decoder,
    inputs=masked,
)
@torch.inference_mode()
def memory_is_the_source_s(mt: Translator, given: Attentions) -> float:
    """K and V of cross-attention are the same numbers whatever is being written."""
    source, start = torch.tensor([mt.encode(given.text)]), mt.tokenizer.end_of_text
    seen = []
    for target in ([start, *given.translation[:-1]], [start]):
        with recording(lambda name: name.endswith((".cross.k", ".cross.v"))) as record:
            mt.network(source, torch.tensor([target]))
        seen.append(record.values)
    return max(worst(seen[0][name] - seen[1][name]) for name in seen[0])


@identity(
    "Writing needs no mask",
    "token by token, the model without its mask writes the same",
    2e-4,
    "nats",
    when=is_encoder_decoder,
    inputs=masked,
)
@torch.inference_mode()
def writing_needs_no_mask(mt: Translator, given: Attentions) -> float:
    """Token by token, with a cache, there is no future to look at: without the mask the losses are the same."""
    network = masks.unmasked(mt).network
    writing = network.start(torch.tensor([mt.encode(given.text)]))
    written, losses = [mt.tokenizer.end_of_text, *given.translation[:-1]], []
    for token, following in zip(written, given.translation):
        losses.append(network.step(torch.tensor([token]), writing)[0].log_softmax(-1)[following].cpu())
    return worst(torch.stack(losses) - torch.from_numpy(given.maps.logp))
