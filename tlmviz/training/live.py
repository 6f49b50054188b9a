"""Word vectors that are trained while somebody watches: in slices of a fraction of a second, with pictures on the
way."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
import torch
from jaxtyping import Float

from ..config import WordsConfig
from ..facades.word_vectors import WordVectors
from .words import Trainer, WordSchedule, WordText

WIDTH = 32
SLICE = 0.1  # seconds of work at a time
PICTURES = 40  # over the whole training
SHOWN = 300  # most frequent words that the pictures hold
PASSES = 1_000_000  # more than anybody watches: the rate stays what it is
LONG = 2000  # words from which frequent ones are dropped, as in word2vec


def least_count(words: int) -> int:
    """How often a word has to stand in a text of so many words: rare ones learn nothing, and cost time."""
    return 1 if words < 300 else 2 if words < 3000 else 3


def batch_size(vocabulary: int) -> int:
    """Text positions a step. Their gradients are added up, so in a step each word may stand a few times at most."""
    return max(1, min(32, vocabulary // 12))


@dataclass
class Live:
    """A training by skip-gram with negative sampling, `seconds` long by the clock, which is done `work` by `work`.

    `pictures` are the vectors [N, C] of the SHOWN most frequent words, most of them early, when most happens; each has
    the second `at` and the mean loss per pair since the one before. The first is of the untrained vectors and has no
    loss. `begun` says that somebody does the work, `broken` that the numbers ran away.
    """

    text: WordText
    window: int
    rate: float
    seconds: float = 20.0
    seed: int = 0
    begun: bool = False
    stopped: bool = False
    broken: bool = False
    pictures: list[Float[np.ndarray, "n c"]] = field(default_factory=list)
    at: list[float] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    words_read: float = 0.0
    elapsed: float = 0.0

    def __post_init__(self) -> None:
        config = WordsConfig.of(
            "live",
            method="negative",
            vocab_size=len(self.text.vocabulary),
            d_model=WIDTH,
            window=self.window,
            subsample=1e-3 if len(self.text.ids) >= LONG else 0.0,
            least=1,
        )
        schedule = WordSchedule(
            epochs=PASSES, rate=self.rate, batch=batch_size(len(self.text.vocabulary)), last=1.0, seed=self.seed
        )
        self.trainer = Trainer(config, self.text, schedule)
        self._steps = self.trainer.passes()
        self._recent: list[tuple[float, int]] = []
        self._start: float | None = None
        self._picture()

    @property
    def running(self) -> bool:
        """Whether there is work left."""
        return not (self.stopped or self.broken or self.elapsed >= self.seconds)

    def work(self) -> None:
        """One slice of the training; the clock starts with the first."""
        now = time.perf_counter()
        if self._start is None:
            self._start = now
        until = now + SLICE
        while self.running and time.perf_counter() < until:
            progress = next(self._steps)
            self.words_read = progress.words_read
            self._recent.append((progress.loss, progress.predictions))
            self.broken = not np.isfinite(progress.loss)
            self.elapsed = time.perf_counter() - self._start
            due = self.seconds * (len(self.pictures) / PICTURES) ** 2
            if not self.broken and (self.elapsed >= due or not self.running):
                self._picture()

    def stop(self) -> None:
        """No more work."""
        if self.running:
            self.stopped = True

    def vectors(self) -> WordVectors:
        """What it has learned so far."""
        return WordVectors(self.trainer.network, self.text.vocabulary, self.text.counts)

    def _picture(self) -> None:
        total = sum(count for _, count in self._recent)
        learned = sum(loss * count for loss, count in self._recent) / total if total else float("nan")
        self.losses.append(learned)
        self.at.append(self.elapsed)
        self._recent.clear()
        with torch.inference_mode():
            self.pictures.append(self.trainer.network.vectors[:SHOWN].numpy().copy())
