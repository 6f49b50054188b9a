"""The weights of a word-vector model. There is nothing to run: what is computed from them is in
tlmviz.analysis.words."""

from __future__ import annotations

import torch
from torch import nn

from ..config import WordsConfig
from .base import Network


class WordNetwork(Network):
    """Vectors of words [V, C], of FastText's n-grams [buckets, C], and of context words [V, C] or tree nodes [V-1, C].

    A word of FastText has the mean of its own row and its n-grams' rows for a vector.
    """

    def __init__(self, config: WordsConfig):
        super().__init__()
        self.config = config
        outputs = config.vocab_size - (config.method == "hierarchical")
        self.vectors = nn.Parameter(self._fresh(config.vocab_size))
        self.context = nn.Parameter(torch.zeros(outputs, config.d_model))
        if config.method == "fasttext":
            self.parts = nn.Parameter(self._fresh(config.buckets))
        if config.method == "glove":
            self.context.data = self._fresh(outputs)
            self.bias, self.context_bias = (nn.Parameter(torch.zeros(outputs)) for _ in range(2))
        self.finish()

    def _fresh(self, rows: int) -> torch.Tensor:
        """Even draws from ±1 / (2 C), as word2vec.c begins."""
        return (torch.rand(rows, self.config.d_model) - 0.5) / self.config.d_model
