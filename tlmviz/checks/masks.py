"""The identities behind the three attentions of a Transformer that translates, in the manner of `translation`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from tlmviz.analysis.translation import masks

from ..recording import recording
from .result import Check, worst


@dataclass(frozen=True)
class Case:
    """A sentence, a translation in ids, and all maps of both."""

    text: str
    translation: tuple[int, ...]
    maps: masks.Maps


def case(mt, text: str, translation: tuple[int, ...]) -> Case:
    """A sentence and a translation, read in one pass. Raises BadText."""
    return Case(text, translation, masks.read(mt, text, list(translation)))


def rows_sum_to_one(mt, given: Case) -> Check:
    """Every row of the encoder's, the decoder's and the cross maps sums to 1."""
    errors = [
        torch.from_numpy(part.sum(-1) - 1)
        for part in (given.maps.encoder, given.maps.decoder, given.maps.cross)
    ]
    error = max(map(worst, errors))
    return Check("Rows sum to 1", "all three attentions spread a weight of 1", error, 1e-5)


def forbidden_is_zero(mt, given: Case) -> Check:
    """Right of the diagonal the decoder's self-attention is exactly 0."""
    error = worst(torch.from_numpy(np.triu(given.maps.decoder, 1)))
    return Check("Forbidden = 0", "masked self-attention gives later positions exactly nothing", error, 0.0)


@torch.inference_mode()
def memory_is_the_source_s(mt, given: Case) -> Check:
    """K and V of cross-attention are the same numbers whatever is being written."""
    source, start = torch.tensor([mt.encode(given.text)]), mt.tokenizer.end_of_text
    seen = []
    for target in ([start, *given.translation[:-1]], [start]):
        with recording(lambda name: name.endswith((".cross.k", ".cross.v"))) as record:
            mt.network(source, torch.tensor([target]))
        seen.append(record.values)
    error = max(worst(seen[0][name] - seen[1][name]) for name in seen[0])
    return Check(
        "K, V = source alone", "another target leaves keys and values of the memory as they are", error, 0.0
    )


@torch.inference_mode()
def writing_needs_no_mask(mt, given: Case) -> Check:
    """Token by token, with a cache, there is no future to look at: without the mask the losses are the same."""
    network = masks.unmasked(mt).network
    writing = network.start(torch.tensor([mt.encode(given.text)]))
    written, losses = [mt.tokenizer.end_of_text, *given.translation[:-1]], []
    for token, following in zip(written, given.translation):
        losses.append(network.step(torch.tensor([token]), writing)[0].log_softmax(-1)[following])
    error = worst(torch.stack(losses) - torch.from_numpy(given.maps.logp))
    return Check(
        "Writing needs no mask",
        "token by token, the model without its mask writes the same",
        error,
        2e-4,
        "nats",
    )


CHECKS_MASKS = (rows_sum_to_one, forbidden_is_zero, memory_is_the_source_s, writing_needs_no_mask)
