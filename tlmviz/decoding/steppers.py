"""What a search advances: rows of half-written texts, whatever network writes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import torch
from jaxtyping import Float, Int
from torch import Tensor

from .. import kernels
from ..networks.encoder_decoder import EncoderDecoder
from ..networks.seq2seq import Seq2Seq
from ..networks.transformer import TransformerLM
from ..recording import Edit, recording


class Step(NamedTuple):
    """Log-probabilities of each row's next token [R, V], and what that prediction attended to [R, A, S].

    A counts the attention maps a network has between target and source (layers x heads, or one); None without a source.
    `hidden` are the vectors from which the output matrix makes logits (with a pointer those of p_vocab), one for each
    token just read: a prompt's, then one.
    """

    logp: Float[Tensor, "r v"]
    attention: Float[Tensor, "r a s"] | None
    hidden: Float[Tensor, "r t c"]


class Stepper(Protocol):
    """A network in the middle of writing several texts."""

    end: int  # the token that ends a text
    longest: int  # tokens that can be written

    def advance(self, rows: Int[Tensor, " r"], ids: Int[Tensor, " r"] | None) -> Step:
        """Row i becomes a copy of the former row `rows[i]`, continued by `ids[i]`. First call: rows [0] and ids
        None."""

    def fork(self) -> Stepper:
        """A second stepper of the same rows: advancing the one leaves the other where it is. After the first
        `advance`."""


class LanguageStepper:
    """A decoder language model behind a prompt."""

    def __init__(self, network: TransformerLM, prompt: list[int], end: int):
        self.network, self.prompt, self.end = network, prompt, end
        self.longest = network.config.context - len(prompt) + 1  # the last token is written, not read
        self.cache = network.new_cache()

    @torch.inference_mode()
    def advance(self, rows: Int[Tensor, " r"], ids: Int[Tensor, " r"] | None) -> Step:
        """See `Stepper`."""
        if ids is None:
            read = torch.tensor([self.prompt])
        else:
            self.cache.reorder(rows)
            read = ids[:, None]
        with recording("normed".__eq__) as record:
            logits = self.network(read, self.cache)
        return _step(logits[:, -1], None, record.values["normed"])

    def fork(self) -> LanguageStepper:
        """See `Stepper`."""
        twin = copy(self)
        twin.cache = self.cache.fork()
        return twin


class TransformerStepper:
    """An encoder-decoder that has read one source; `pins` force steps (from 0) to attend to one source token alone."""

    def __init__(self, network: EncoderDecoder, source: list[int], end: int, pins: dict[int, int] | None = None):
        self.network, self.end, self.pins = network, end, pins or {}
        self.longest = network.config.context
        with torch.inference_mode():
            self.writing = network.start(torch.tensor([source]))
        self.keys = torch.cat([k for k, _ in self.writing.memory], 1)  # [1, L H, S, D]
        self.scale = network.decoder[0].cross.spec().scale
        taps = [
            f"decoder.{layer}.cross.{name}" for layer in range(network.config.decoder_layers) for name in ("q", "lse")
        ]
        self.kept = frozenset(("normed", *taps))
        self.written = 0

    @torch.inference_mode()
    def advance(self, rows: Int[Tensor, " r"], ids: Int[Tensor, " r"] | None) -> Step:
        """See `Stepper`."""
        if ids is None:
            ids = torch.tensor([self.end])
        else:
            self.writing.cache.reorder(rows)
        pin = self.pins.get(self.written)
        edits = (
            {}
            if pin is None
            else {f"decoder.{layer}.cross.z": _value_alone(v, pin) for layer, (_, v) in enumerate(self.writing.memory)}
        )
        with recording(self.kept.__contains__, edits) as record:
            logits = self.network.step(ids, self.writing)
        self.written += 1
        if pin is not None:
            pinned = torch.zeros(len(ids), self.keys.shape[1], self.keys.shape[2])
            pinned[:, :, pin] = 1
            return _step(logits, pinned, record.values["normed"])
        layers = range(len(self.writing.memory))
        q, lse = (
            torch.cat([record.values[f"decoder.{layer}.cross.{name}"] for layer in layers], 1) for name in ("q", "lse")
        )
        # The rows' queries side by side as those of one text: they share the source. [1, L H, R, D] and [1, L H, R]
        q, lse = q.transpose(0, 2), lse.permute(2, 1, 0)
        maps = kernels.attention_map(q, self.keys, lse, causal=False, scale=self.scale)[0].transpose(0, 1)
        return _step(logits, maps, record.values["normed"])

    def fork(self) -> TransformerStepper:
        """See `Stepper`."""
        twin = copy(self)
        twin.writing = replace(self.writing, cache=self.writing.cache.fork())
        return twin


class RecurrentStepper:
    """A GRU encoder-decoder that has read one source; `pins` as in `TransformerStepper`."""

    def __init__(self, network: Seq2Seq, source: list[int], end: int, pins: dict[int, int] | None = None):
        self.network, self.end, self.pins = network, end, pins or {}
        self.longest = network.config.context
        with torch.inference_mode():
            self.state = network.start(torch.tensor([source]))
        self.written = 0

    @torch.inference_mode()
    def advance(self, rows: Int[Tensor, " r"], ids: Int[Tensor, " r"] | None) -> Step:
        """See `Stepper`."""
        ids = torch.tensor([self.end]) if ids is None else ids
        pin = self.pins.get(self.written)
        edits: Mapping[str, Edit] = (
            {} if pin is None else {"a": lambda a, _: torch.eye(a.shape[1], device=a.device)[pin].expand_as(a)}
        )
        with recording(_nothing, edits):
            logits, self.state = self.network.step(ids, self.state.pick(rows))
        self.written += 1
        assert self.state.weights is not None  # they are there from the first step on
        return _step(logits, self.state.weights[:, None], self.state.attentional_hidden[:, None])

    def fork(self) -> RecurrentStepper:
        """See `Stepper`."""
        return copy(self)  # a step makes a new state and leaves the old one as it was


# `kind` in a translation network's configuration -> its stepper.
STEPPERS: dict[str, Callable[[Any, list[int], int, dict[int, int] | None], Stepper]] = {
    "encoder-decoder": TransformerStepper,
    "seq2seq": RecurrentStepper,
}


def stepper_of(
    network: EncoderDecoder | Seq2Seq, source: list[int], end: int, pins: dict[int, int] | None = None
) -> Stepper:
    """The stepper of a translation network that has read `source`."""
    return STEPPERS[network.config.kind](network, source, end, pins)


def _step(logits: Tensor, attention: Tensor | None, hidden: Tensor) -> Step:
    """A step on the CPU, where searches count; the network stays where it is."""
    return Step(logits.log_softmax(-1).cpu(), None if attention is None else attention.cpu(), hidden.cpu())


def _value_alone(v: Tensor, pin: int) -> Edit:
    """The edit of a mixture that puts the value of one source token, of v [B, H, S, D], in its place."""
    return lambda z, _: v[:, :, pin : pin + 1].expand_as(z)


def _nothing(name: str) -> bool:
    return False
