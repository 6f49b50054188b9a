"""What analysis, checks and decoding need of a model: the facades of tlmviz offer it, and any other model may."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from .config import EncoderConfig, ModelConfig, TranslatorConfig, WordsConfig
from .recording import Edit
from .tokens import Tokenizer
from .tokens.whole_words import Words
from .tracing.trace import Trace


class LanguageModelLike(Protocol):
    """A model that continues texts: `tlmviz.LanguageModel`, for one."""

    name: str
    network: Any  # blocks, positions, norm, head, specs(), tap_names(), device
    tokenizer: Tokenizer

    @property
    def config(self) -> ModelConfig:
        """The network's configuration."""

    @property
    def device(self) -> torch.device:
        """Where its weights are."""

    @property
    def on_cpu(self) -> LanguageModelLike:
        """The same model with its weights on the CPU."""

    @property
    def n_parameters(self) -> int:
        """Trained numbers, a tied head counted once."""

    def __call__(self, ids: Int[Tensor, "b t"], cache: Any = None, positions: Any = None) -> Float[Tensor, "b t v"]:
        """Next-token logits at every position."""

    def new_cache(self, rotated: bool = True) -> Any:
        """An empty key/value cache of the model's own kind."""

    def encode(self, text: str) -> list[int]:
        """Ids of a text. Raises BadText."""

    def trace(
        self,
        text: str,
        edit: Mapping[str, Edit] | None = None,
        keep: Callable[[str], bool] = ...,
        positions: Any = None,
    ) -> Trace:
        """One forward pass over a text, recorded. Raises BadText."""

    def trace_ids(
        self,
        ids: list[int],
        edit: Mapping[str, Edit] | None = None,
        keep: Callable[[str], bool] = ...,
        positions: Any = None,
    ) -> Trace:
        """`trace` for ids that are tokenised already."""

    def generate(self, text: str, max_new_tokens: int = 40, temperature: float = 0.8) -> str:
        """What it writes behind a text. Raises BadText."""


class TranslatorLike(Protocol):
    """A model that translates sentences: `tlmviz.Translator`, for one."""

    name: str
    network: Any  # start(), step(), map_names(), cross_maps(), tap_names(), device
    tokenizer: Tokenizer

    @property
    def config(self) -> TranslatorConfig:
        """The network's configuration."""

    @property
    def device(self) -> torch.device:
        """Where its weights are."""

    @property
    def on_cpu(self) -> TranslatorLike:
        """The same model with its weights on the CPU."""

    @property
    def maps(self) -> list[str]:
        """Names of the attention maps between target and source."""

    @property
    def align(self) -> int | None:
        """Which of `maps` counts as the alignment; None is their mean."""

    def encode(self, text: str) -> list[int]:
        """Ids of a source sentence. Raises BadText."""

    def encode_target(self, text: str) -> list[int]:
        """Ids of a (begun) translation."""

    def stepper(self, text: str, pins: dict[int, int] | None = None) -> Any:
        """The model with a source read and nothing written. Raises BadText."""

    def search(self, text: str, options: Any = None, pins: dict[int, int] | None = None) -> Any:
        """Beam search for a translation. Raises BadText and BadSearch."""

    def read(self, text: str, translation: list[int]) -> Any:
        """A given translation read in one pass. Raises BadText."""

    def text(self, ids: Any) -> str:
        """The sentence that some ids spell."""

    def names(self, ids: Any) -> list[str]:
        """Readable names of ids."""


class MixtureLike(Protocol):
    """What a mixture says of a text: `tlmviz.Mixture`, for one."""

    tokens: list[str]
    ids: Int[np.ndarray, " t"]
    words: list[str]
    size: int
    mixed: Float[np.ndarray, "t v"]


class MixtureModelLike(Protocol):
    """A model that writes words or copies them: `tlmviz.MixtureModel`, for one."""

    def encode(self, text: str) -> Words:
        """A text as words. Raises BadText."""

    def mixture(self, text: str, sentinel: float = 0.0) -> Any:
        """A `MixtureLike`. Raises BadText."""


class WordVectorsLike(Protocol):
    """A model of word vectors: `tlmviz.WordVectors`, for one."""

    counts: Int[np.ndarray, " v"]

    @property
    def config(self) -> WordsConfig:
        """How it was made."""

    @property
    def biases(self) -> tuple[Float[Tensor, " v"], Float[Tensor, " v"]]:
        """GloVe's biases of words and of context words. Raises UnknownName for others."""

    @property
    def vectors(self) -> Float[Tensor, "v c"]:
        """The vectors of all words."""

    @property
    def context_vectors(self) -> Float[Tensor, "v c"]:
        """The vectors of all words as context."""

    @property
    def node_vectors(self) -> Float[Tensor, "n c"]:
        """The vectors of a tree's inner nodes."""

    @property
    def tree(self) -> Any:
        """The tree of hierarchical softmax."""

    def index(self, word: str) -> int:
        """The row of a word. Raises UnknownName."""

    def vector(self, word: str) -> Float[Tensor, " c"]:
        """The vector of a word. Raises UnknownName."""

    def path(self, word: str) -> Any:
        """The inner nodes from the root to a word and the turn at each. Raises UnknownName."""


class EncoderModelLike(Protocol):
    """A model that reads texts from both sides: `tlmviz.EncoderModel`, for one."""

    network: Any  # read(), unembed(), belong(), parts()

    @property
    def config(self) -> EncoderConfig:
        """The network's configuration."""
