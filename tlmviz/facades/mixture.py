"""A trained pointer-sentinel mixture: what `tlmviz.load("stories-sentinel")` returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import torch
from jaxtyping import Float, Int

from ..config import SentinelConfig
from ..errors import BadText
from ..networks.sentinel import SentinelLSTM, stand_ins
from ..tokens.whole_words import Words, WordTokenizer
from .base import Facade


@dataclass(frozen=True)
class Mixture:
    """What a model says of a text's words. Row t, having read words 0 to t, predicts word t + 1.

    `mixed` = `gate` * `vocabulary` + (1 - `gate`) * (`pointer` summed over equal words). Columns of `vocabulary` and
    `mixed` are `words`: the model's `size` words, then the text's own unknown words, each once, on which `vocabulary`
    is 0: they can only be copied. `ids` [T] are the columns of the text's words.
    """

    tokens: list[str]
    ids: Int[np.ndarray, " t"] = field(repr=False)
    words: list[str] = field(repr=False)
    size: int
    gate: Float[np.ndarray, " t"] = field(repr=False)
    pointer: Float[np.ndarray, "t t"] = field(repr=False)
    vocabulary: Float[np.ndarray, "t v"] = field(repr=False)
    mixed: Float[np.ndarray, "t v"] = field(repr=False)

    @property
    def unknown(self) -> list[str]:
        """The text's words that the vocabulary lacks, each once, in order."""
        return self.words[self.size :]

    def probabilities(self) -> Float[np.ndarray, " n"]:
        """p of each word after the first. An unknown word that nothing could be copied from counts as ⟨unknown⟩."""
        rows = np.arange(len(self.ids) - 1)
        p: np.ndarray = self.mixed[rows, self.ids[1:]]
        return np.where((self.ids[1:] >= self.size) & (p == 0), self.mixed[rows, WordTokenizer.UNKNOWN], p)


class MixtureModel(Facade[SentinelLSTM, SentinelConfig]):
    """A language model of whole words that writes or copies: g p_vocab + (1 - g) p_ptr (004 Eq. 53; Merity et al.
    2016).

    One without a pointer, its twin, has a gate of 1 and a pointer of zeros.
    """

    task: ClassVar[str] = "mixture"
    default_text: ClassVar[str] = (
        "Once upon a time there was a little girl named Zorbina. Zorbina had a red ball. One day, Zorbina lost the "
        "ball."
    )

    def __init__(self, network: SentinelLSTM, tokenizer: WordTokenizer):
        super().__init__(network)
        self.tokenizer = tokenizer

    @property
    def sizes(self) -> str:
        """Its sizes in a line."""
        return (
            f"{self.n_parameters / 1e6:.2f} M parameters, {self.tokenizer.vocab_size:,} words, reads "
            f"{self.config.context:,}"
        )

    def encode(self, text: str) -> Words:
        """A text as words. Raises BadText when it has none, or more than the model reads."""
        words = self.tokenizer.encode(text)
        if not words.tokens:
            raise BadText("The text has no words; type at least one.")
        if len(words.tokens) > self.config.context:
            raise BadText(
                f"This text has {len(words.tokens):,} words and marks, and {self.name} reads at most "
                f"{self.config.context:,}; shorten it."
            )
        return words

    @torch.inference_mode()
    def mixture(self, text: str, sentinel: float = 0.0) -> Mixture:
        """Gate, pointer, vocabulary and their mixture at each word of a text; `sentinel` is added to the sentinel's
        score.

        Words outside of the vocabulary are read as stand-ins, in order of appearance, so that the pointer can tell them
        apart and copy any of them by its place. Raises BadText.
        """
        words = self.encode(text)
        columns, size = np.array(words.columns), self.tokenizer.vocab_size
        scores = self.network(torch.from_numpy(stand_ins(columns, size, self.config.stand_ins))[None], sentinel)
        attention = scores.attention[0].cpu()
        gate = attention[:, -1].exp()
        # From logs, so that the pointer's rows sum to 1 also where the gate leaves them next to nothing.
        pointer = attention[:, :-1].softmax(-1) if self.config.pointer else attention[:, :-1].exp()
        vocabulary = torch.zeros(len(columns), size + len(words.new))
        vocabulary[:, :size] = scores.vocabulary[0].exp().cpu()
        mixed = gate[:, None] * vocabulary
        mixed.index_add_(1, torch.from_numpy(columns), (1 - gate)[:, None] * pointer)
        return Mixture(
            tokens=words.tokens,
            ids=columns,
            words=[*self.tokenizer.words, *words.new],
            size=size,
            gate=gate.numpy(),
            pointer=pointer.numpy(),
            vocabulary=vocabulary.numpy(),
            mixed=mixed.numpy(),
        )
