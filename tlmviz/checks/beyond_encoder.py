"""Identities of encoders: what a token reads without a causal mask, and with one put on (002 section 7.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from .registry import identity
from .result import Measured, worst

if TYPE_CHECKING:
    from ..facades.encoder import EncoderModel
    from ..tracing.trace import Trace


def encodes(model: Any) -> bool:
    """Whether the model reads texts from both sides."""
    return bool(model.task == "encoder")


def read(model: EncoderModel, text: str) -> tuple[EncoderModel, str, None, Trace]:
    """(model, text, no second text, trace). Raises BadText."""
    return model, text, None, model.trace(text)


def _maps(trace: Trace) -> torch.Tensor:
    return torch.stack(
        [
            torch.stack([trace.attention(layer, head) for head in range(trace.n_heads)])
            for layer in range(trace.n_layers)
        ]
    )


@identity(
    "Both sides, rows sum to 1",
    "each row sums to 1, over all places, none of them forbidden",
    1e-4,
    when=encodes,
    inputs=read,
)
def rows_over_all_places(model: EncoderModel, text: str, second: str | None, trace: Trace) -> float | Measured:
    maps = _maps(trace)
    forbidden = any(
        not torch.isfinite(trace.scores(layer, head, "masked")).all()
        for layer in range(trace.n_layers)
        for head in range(trace.n_heads)
    )
    ahead = float(maps.triu(1).sum(-1).mean())
    return Measured(
        float("inf") if forbidden else worst(maps.sum(-1) - 1), f"{100 * ahead:.0f} % of the weight lies ahead"
    )


@identity(
    "Causal maps: nothing ahead",
    "with a causal mask put on, no weight on any later token",
    0.0,
    when=encodes,
    inputs=read,
)
def masked_maps_look_back(model: EncoderModel, text: str, second: str | None, trace: Trace) -> float:
    return worst(_maps(model.causal.trace(text, second)).triu(1))


@torch.inference_mode()
def _moved(model: EncoderModel, text: str, second: str | None) -> torch.Tensor:
    """How far what is said at each place but the last two moves when the last word becomes another, [T - 2]."""
    ids = model.encode(text, second)
    others = [*ids[:-2], (ids[-2] + 1) % model.config.cls, ids[-1]]
    one, two = model.probabilities(torch.tensor([ids, others]))[:, :-2]
    moved: torch.Tensor = (one - two).abs().amax(-1)
    return moved


@identity(
    "Hidden places read the right",
    "places where another last word changes nothing",
    0.0,
    "places",
    when=encodes,
    inputs=read,
)
def a_later_word_counts(model: EncoderModel, text: str, second: str | None, trace: Trace) -> float:
    return float((_moved(model, text, second) == 0).sum())


@identity(
    "Causal guesses: right ignored",
    "with a causal mask put on, another last word changes nothing before it",
    1e-6,
    when=encodes,
    inputs=read,
)
def a_later_word_counts_nothing_when_masked(model: EncoderModel, text: str, second: str | None, trace: Trace) -> float:
    return worst(_moved(model.causal, text, second))


@identity(
    "Exchanged words are told from [CLS]",
    "the answer in float64 from the vector at place 0 alone",
    1e-5,
    when=encodes,
    inputs=read,
)
@torch.inference_mode()
def verdict_from_the_first_vector(model: EncoderModel, text: str, second: str | None, trace: Trace) -> float:
    """sigmoid(w h + c)."""
    network, first = model.network, trace["normed"][0, 0].double()
    logit = network.exchanged.weight.cpu().double()[0] @ first + network.exchanged.bias.cpu().double()[0]
    said = network.misplaced(trace["normed"].to(model.device)).sigmoid()[0, 0]
    return abs(float(logit.sigmoid()) - float(said))
