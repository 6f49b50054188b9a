"""A pointer-sentinel mixture: a language model that can also copy what it has read (004 Eq. 53; Merity et al. 2016)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from ..config import SentinelConfig
from ..layers import ListOf
from ..tracing.trace import Tap
from .base import Network


@dataclass(frozen=True)
class Scores:
    """Logs of what the mixture is made of, for each position.

    `vocabulary` [B, T, V] is log p_vocab; `attention` [B, T, T + 1] is the log-softmax over the words read so far and,
    last, the sentinel, whose share is the gate g. Without a pointer all of it is the sentinel's.
    """

    vocabulary: Tensor
    attention: Tensor

    @property
    def gate(self) -> Float[Tensor, "b t"]:
        """log g."""
        return self.attention[..., -1]


class SentinelLSTM(Network):
    """An LSTM over whole words. h_t after word t predicts word t + 1:

    p(w) = g p_vocab(w) + (1 - g) p_ptr(w), with a = softmax([q.h_0 ... q.h_t; q.s]) for q = tanh(W h_t), g = a's share
    of the sentinel s, p_ptr(w) = the rest's on places where w stands. p_vocab is a softmax over the embedding's rows.
    """

    def __init__(self, config: SentinelConfig):
        super().__init__()
        self.config = config
        width = config.d_model
        self.token_emb = nn.Embedding(config.vocab_size + config.stand_ins, width)
        self.drop = nn.Dropout(config.dropout)
        self.layers = ListOf(nn.LSTM(width, width, batch_first=True) for _ in range(config.n_layers))
        self.bias = nn.Parameter(torch.zeros(config.vocab_size))
        nn.init.normal_(self.token_emb.weight, std=width**-0.5)
        # What the twin without a pointer lacks comes last: all else begins with the same numbers in both.
        self.query = nn.Linear(width, width) if config.pointer else None
        self.sentinel = nn.Parameter(torch.zeros(width)) if config.pointer else None
        self.h, self.scores = Tap(), Tap()
        self.finish()

    def forward(self, inputs: Int[Tensor, "b t"], shift: float = 0.0) -> Scores:
        """Words, as ids or from V on as stand-ins, to the parts of the mixture; `shift` is added to the sentinel's
        score."""
        h = self.drop(self.token_emb(inputs.to(self.device)) * self.config.d_model**0.5)
        for layer in self.layers:
            h = self.drop(layer(h)[0])
        h = self.h(h)  # [B, T, C]
        rows = self.token_emb.weight[: self.config.vocab_size]
        return Scores(nn.functional.linear(h, rows, self.bias).log_softmax(-1), self._attention(h, shift))

    def _attention(self, h: Float[Tensor, "b t c"], shift: float) -> Float[Tensor, "b t s"]:
        words = h.shape[1]
        if self.query is None or self.sentinel is None:
            scores = h.new_full((*h.shape[:2], words + 1), -torch.inf)
            scores[..., -1] = 0
            return scores
        q = self.query(h).tanh()
        ahead = torch.ones(words, words, dtype=torch.bool, device=h.device).triu(1)
        pointed = (q @ h.mT).masked_fill(ahead, -torch.inf)
        scores = self.scores(torch.cat((pointed, (q @ self.sentinel)[..., None] + shift), -1))
        return scores.log_softmax(-1)


def likelihood(
    scores: Scores, read: Int[Tensor, "b t"], following: Int[Tensor, "b t"], size: int
) -> Float[Tensor, "b t"]:
    """p of each following word. `read` and `following` are columns: from `size`, the vocabulary's, on for unknown
    words.

    An unknown word that stands in the text can only be copied. One that does not, and in a network without a pointer
    any, is the vocabulary's entry for unknown words (1).
    """
    same = read[:, None, :] == following[:, :, None]  # [B, T, T]
    copied = (scores.attention[..., :-1].exp() * same).sum(-1)
    unknown = following >= size
    written = scores.vocabulary.gather(-1, following.masked_fill(unknown, 1)[..., None])[..., 0]
    return copied + (written + scores.gate).exp().masked_fill(unknown & (copied > 0), 0.0)


def stand_ins(columns: Int[np.ndarray, "*t"], size: int, number: int) -> Int[np.ndarray, "*t"]:
    """What the network reads for each column: words of the vocabulary as they are, unknown ones by turns as a
    stand-in."""
    return np.where(columns < size, columns, size + (columns - size) % number)
