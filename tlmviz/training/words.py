"""Training word vectors: windows of a text, and the step of each method, by the gradients of tlmviz.analysis.words.

Plain gradient descent as in word2vec.c, in batches of text positions whose gradients are added up; GloVe by AdaGrad.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np
import torch
from jaxtyping import Float, Int
from scipy.sparse import coo_matrix
from torch import Tensor

from tlmviz.analysis.words import gradients, huffman
from tlmviz.analysis.words import pairs as windows
from tlmviz.analysis.words.text import count_words, split_words

from ..config import WordsConfig
from ..errors import BadText
from ..facades.word_vectors import member_rows
from ..networks.words import WordNetwork


@dataclass(frozen=True)
class WordSchedule:
    """How a model learns: passes over the text, text positions a step, the rate at the start, which falls to `last` of
    it.

    With `shuffle` every pass takes the windows in another drawn order, else in that of the text, as word2vec.c and
    gensim do.
    """

    epochs: int
    rate: float = 0.05
    batch: int = 128
    last: float = 0.004
    shuffle: bool = False
    seed: int = 0


@dataclass(frozen=True)
class WordText:
    """Words as ids [T] in the order of the text, and the number of the document [T] that each stands in; others are
    dropped.

    `vocabulary` holds the words by frequency and `counts` [V] how often each stands in the text that it was made from.
    """

    vocabulary: tuple[str, ...]
    counts: Int[np.ndarray, " v"]
    ids: Int[np.ndarray, " t"]
    document: Int[np.ndarray, " t"]

    @classmethod
    def of(cls, documents: list[list[str]], least: int = 1) -> WordText:
        """The text of some documents, with the words that stand in it `least` times or more. Raises BadText for under
        two."""
        counts = count_words(documents, least)
        if len(counts) < 2:
            raise BadText(
                f"The text has {len(counts)} different words that stand in it at least {least} times, and vectors need "
                "two; give a longer text."
            )
        return cls._read(documents, tuple(counts), np.array(list(counts.values())))

    @classmethod
    def of_text(cls, text: str, least: int = 1) -> WordText:
        """The text of one document. Raises BadText."""
        return cls.of([split_words(text)], least)

    def other(self, documents: list[list[str]]) -> WordText:
        """Other documents read with the same vocabulary."""
        return self._read(documents, self.vocabulary, self.counts)

    @classmethod
    def _read(cls, documents: list[list[str]], vocabulary: tuple[str, ...], counts: np.ndarray) -> WordText:
        row = {word: number for number, word in enumerate(vocabulary)}
        kept = [[row[word] for word in words if word in row] for words in documents]
        ids = np.array([number for words in kept for number in words], np.int64)
        return cls(vocabulary, counts, ids, np.repeat(np.arange(len(kept)), [len(words) for words in kept]))


class Windows(NamedTuple):
    """P windows: the center words [P], the words around each [P, 2m], and 1 where there is one, 0 where there is
    none."""

    centers: Tensor
    contexts: Tensor
    there: Tensor

    # An index of a tuple is one of its parts to mypy, whatever stands here: hence the ignores where windows are chosen.
    def __getitem__(self, chosen: Tensor | slice) -> Windows:  # type: ignore[override]
        """Some of the windows."""
        return Windows(*(part[chosen] for part in tuple(self)))

    @property
    def pairs(self) -> tuple[Tensor, Tensor]:
        """All pairs: the window each belongs to, and its context word."""
        window, column = self.there.nonzero(as_tuple=True)
        return window, self.contexts[window, column]


def draw_windows(text: WordText, config: WordsConfig, rng: np.random.Generator, whole: bool = False) -> Windows:
    """The windows of one pass in the order of the text: words dropped by their frequency, radii drawn from 1 to m.

    With `whole` no word is dropped and every radius is m. Windows of one word are left out.
    """
    ids, document = text.ids, text.document
    if not whole:
        kept = rng.random(len(ids)) < windows.keep_probability(text.counts, config.subsample)[ids]
        ids, document = ids[kept], document[kept]
    reach, length = config.window, len(ids)
    radius = np.full(length, reach) if whole else rng.integers(1, reach + 1, length)
    offsets = np.concatenate([np.arange(-reach, 0), np.arange(1, reach + 1)])
    places = np.arange(length)[:, None] + offsets
    there = (places >= 0) & (places < length) & (np.abs(offsets) <= radius[:, None])
    places = places.clip(0, max(0, length - 1))
    there &= document[places] == document[:, None]
    some = there.any(1)
    return Windows(
        torch.from_numpy(ids[some]),
        torch.from_numpy(np.where(there, ids[places], 0)[some]),
        torch.from_numpy(there[some].astype(np.float32)),
    )


class Method(Protocol):
    """How one method learns from windows."""

    def learn(self, given: Windows, rate: float) -> tuple[float, int]:
        """One step; returns the summed loss before it and the number of predictions."""

    def loss(self, given: Windows) -> tuple[float, int]:
        """The summed loss, and the number of predictions."""


class Softmax:
    """Skip-gram with the full softmax: every step moves all context vectors."""

    def __init__(self, network: WordNetwork, text: WordText, seed: int):
        self.v, self.u = network.vectors.data, network.context.data

    def learn(self, given: Windows, rate: float) -> tuple[float, int]:
        centers, step = self._gradients(given)
        self.v.index_add_(0, centers, step.center, alpha=-rate)
        self.u.sub_(step.context, alpha=rate)
        return float(step.loss.sum()), int(given.there.sum())

    def loss(self, given: Windows) -> tuple[float, int]:
        return float(self._gradients(given)[1].loss.sum()), int(given.there.sum())

    def _gradients(self, given: Windows) -> tuple[Tensor, gradients.Gradients]:
        """The different centers, and their gradients: windows of one word share its softmax, so it is computed once."""
        centers, place = given.centers.unique(return_inverse=True)
        seen = self.v.new_zeros(len(centers) * len(self.u))
        cells = place[:, None] * len(self.u) + given.contexts
        seen.index_add_(0, cells.reshape(-1), given.there.reshape(-1))
        return centers, gradients.softmax_gradients(self.v[centers], self.u, seen.view(len(centers), -1))


class Noise:
    """Draws words from counts^power: as in word2vec.c, from a long table that holds each word by its share, once at
    least."""

    LENGTH = 1 << 20

    def __init__(self, text: WordText, config: WordsConfig, seed: int):
        shares = windows.noise_distribution(text.counts, config.power)
        slots = np.maximum(1, np.rint(shares * self.LENGTH)).astype(np.int64)
        self.table = torch.from_numpy(np.repeat(np.arange(len(shares)), slots))
        self.generator = torch.Generator().manual_seed(seed)

    def draw(self, rows: int, columns: int) -> Int[Tensor, "r k"]:
        """Independent draws."""
        slots = torch.randint(len(self.table), (rows * columns,), generator=self.generator)
        return self.table.index_select(0, slots).view(rows, columns)


class Sampled:
    """Skip-gram with negative sampling: a pair moves its center, its context word and the words drawn."""

    def __init__(self, network: WordNetwork, text: WordText, seed: int):
        self.v, self.u = network.vectors.data, network.context.data
        self.negatives = network.config.negatives
        self.noise = Noise(text, network.config, seed)

    def learn(self, given: Windows, rate: float) -> tuple[float, int]:
        window, outputs, step = self._step(given)
        centers = self.v.new_zeros(len(given.centers), self.v.shape[1]).index_add_(0, window, step.center)
        self.move(given.centers, centers, rate)
        self.u.index_add_(0, outputs.reshape(-1), step.context.flatten(0, 1), alpha=-rate)
        return float(step.loss.sum()), len(window)

    def loss(self, given: Windows) -> tuple[float, int]:
        window, _, step = self._step(given)
        return float(step.loss.sum()), len(window)

    def _step(self, given: Windows) -> tuple[Tensor, Tensor, gradients.Gradients]:
        window, targets = given.pairs
        outputs, signs = self.decisions(targets)
        v = self.inputs(given.centers).index_select(0, window)
        u = self.u.index_select(0, outputs.reshape(-1)).view(*outputs.shape, -1)
        return window, outputs, gradients.logistic_gradients(v, u, signs)

    def decisions(self, targets: Int[Tensor, " b"]) -> tuple[Int[Tensor, "b j"], Float[Tensor, "b j"]]:
        """The rows that each target is decided by, and the signs: itself +1, draws -1, 0 for a draw of the target
        itself."""
        drawn = self.noise.draw(len(targets), self.negatives)
        drawn_signs = -(drawn != targets[:, None]).to(self.v.dtype)
        signs = torch.cat([self.v.new_ones(len(targets), 1), drawn_signs], 1)
        return torch.cat([targets[:, None], drawn], 1), signs

    def inputs(self, centers: Int[Tensor, " b"]) -> Float[Tensor, "b c"]:
        """The vectors that predict."""
        return self.v.index_select(0, centers)

    def move(self, centers: Int[Tensor, " b"], gradient: Float[Tensor, "b c"], rate: float) -> None:
        """Descend with the vectors that predict."""
        self.v.index_add_(0, centers, gradient, alpha=-rate)


class Subwords(Sampled):
    """FastText: a center's vector is the mean of its parts. As in fastText, each part moves by the mean's whole
    gradient."""

    def __init__(self, network: WordNetwork, text: WordText, seed: int):
        super().__init__(network, text, seed)
        self.parts, self.size = network.parts.data, len(self.v)
        self.members, self.there = member_rows(text.vocabulary, network.config)

    def inputs(self, centers: Int[Tensor, " b"]) -> Float[Tensor, "b c"]:
        members, there = self.members[centers], self.there[centers].to(self.v.dtype)
        parts = self.parts.index_select(0, (members[:, 1:] - self.size).clamp(min=0).reshape(-1))
        own = self.v.index_select(0, centers)[:, None]
        rows = torch.cat([own, parts.view(len(centers), -1, own.shape[-1])], 1)
        return torch.bmm(gradients.share(there)[:, None], rows)[:, 0]

    def move(self, centers: Int[Tensor, " b"], gradient: Float[Tensor, "b c"], rate: float) -> None:
        self.v.index_add_(0, centers, gradient, alpha=-rate)
        row, column = self.there[centers][:, 1:].nonzero(as_tuple=True)
        rows = self.members[centers[row], column + 1] - self.size
        self.parts.index_add_(0, rows, gradient.index_select(0, row), alpha=-rate)


class Bag(Sampled):
    """CBOW: the mean of the context predicts the center. Each word read moves by the mean's whole gradient, as in
    word2vec.c."""

    def learn(self, given: Windows, rate: float) -> tuple[float, int]:
        outputs, step = self._bag(given)
        row, _ = given.there.nonzero(as_tuple=True)
        members = given.contexts[given.there > 0]
        self.v.index_add_(0, members, step.center.index_select(0, row), alpha=-rate)
        self.u.index_add_(0, outputs.reshape(-1), step.context.flatten(0, 1), alpha=-rate)
        return float(step.loss.sum()), len(given.centers)

    def loss(self, given: Windows) -> tuple[float, int]:
        return float(self._bag(given)[1].loss.sum()), len(given.centers)

    def _bag(self, given: Windows) -> tuple[Tensor, gradients.Gradients]:
        outputs, signs = self.decisions(given.centers)
        mean = gradients.mean_of(self.v, given.contexts, given.there)
        u = self.u.index_select(0, outputs.reshape(-1)).view(*outputs.shape, -1)
        return outputs, gradients.logistic_gradients(mean, u, signs)


class Turns(Sampled):
    """Skip-gram with hierarchical softmax: a pair moves its center and the nodes on the way to its context word."""

    def __init__(self, network: WordNetwork, text: WordText, seed: int):
        self.v, self.u = network.vectors.data, network.context.data
        self.nodes, self.turns = huffman.huffman_tree(text.counts).padded

    def decisions(self, targets: Int[Tensor, " b"]) -> tuple[Int[Tensor, "b j"], Float[Tensor, "b j"]]:
        return self.nodes[targets], self.turns[targets].to(self.v.dtype)


METHODS: dict[str, type[Method]] = {
    "skipgram": Softmax,
    "negative": Sampled,
    "cbow": Bag,
    "fasttext": Subwords,
    "hierarchical": Turns,
}


@dataclass
class Progress:
    """Where a training stands: passes done, words of the text read, the mean loss per prediction of the last step."""

    epochs: float
    words_read: float
    loss: float
    predictions: int


@dataclass
class Trainer:
    """A model that learns, step by step: `for progress in trainer.passes(): ...`, stopped by leaving the loop.

    The same seed gives the same model, also when training goes on from `epoch`. `seconds` are of CPU time: other
    work on the machine does not count.
    """

    config: WordsConfig
    text: WordText
    schedule: WordSchedule
    epoch: int = 0
    seconds: float = 0.0
    network: WordNetwork = field(init=False)

    def __post_init__(self) -> None:
        torch.manual_seed(self.schedule.seed)
        self.network = WordNetwork(self.config).requires_grad_(False)

    def passes(self) -> Iterator[Progress]:
        """All passes that are left. Each yield is a step done."""
        while self.epoch < self.schedule.epochs:
            began = time.thread_time()
            for progress in self._one_pass():
                self.seconds += time.thread_time() - began
                yield progress
                began = time.thread_time()
            self.epoch += 1

    def rate(self, epochs: float) -> float:
        """The rate after so many passes: a straight line down to `last` of it."""
        done = min(1.0, epochs / self.schedule.epochs)
        return self.schedule.rate * (1 - done * (1 - self.schedule.last))

    def held_out_loss(self, text: WordText, positions: int = 2000) -> float:
        """The mean loss per prediction on another text, on the same windows and draws at each call."""
        if self.config.method == "glove":
            return self.cells(text).loss(self.network)
        given = draw_windows(text, self.config, np.random.default_rng(1), whole=True)
        chosen = torch.linspace(0, len(given.centers) - 1, min(positions, len(given.centers))).long()
        method = self._method(1)
        results = [method.loss(given[part]) for part in chosen.split(256)]  # type: ignore[arg-type]
        return sum(loss for loss, _ in results) / max(1, sum(count for _, count in results))

    def cells(self, text: WordText) -> Cells:
        """GloVe's cells of a text, counted up to the length of the text it learns from: a shorter one has fewer
        meetings."""
        matrix = windows.cooccurrence(text.ids, self.config.window, len(text.vocabulary), text.document)
        return Cells((matrix * (len(self.text.ids) / max(1, len(text.ids)))).tocoo(), self.config)

    @property
    def squares(self) -> list[Tensor]:
        """AdaGrad's squared gradients, which a resumed run needs; none for methods without."""
        return self._glove.squares if self.config.method == "glove" else []

    @cached_property
    def _glove(self) -> GloveSteps:
        return GloveSteps(self.network, self.cells(self.text))

    def _one_pass(self) -> Iterator[Progress]:
        seed = self.schedule.seed * 1000 + self.epoch
        rng, size = np.random.default_rng(seed), self.schedule.batch
        if self.config.method == "glove":
            steps: Iterator[tuple[float, int, float]] = self._glove.one_pass(rng, size, self.rate(self.epoch))
        else:
            steps = self._windows_pass(rng, seed, size)
        for loss, predictions, share in steps:
            epochs = self.epoch + share
            yield Progress(epochs, epochs * len(self.text.ids), loss / max(1, predictions), predictions)

    def _windows_pass(self, rng: np.random.Generator, seed: int, size: int) -> Iterator[tuple[float, int, float]]:
        given = draw_windows(self.text, self.config, rng)
        method, total = self._method(seed), len(given.centers)
        order = torch.from_numpy(rng.permutation(total)) if self.schedule.shuffle else torch.arange(total)
        for start in range(0, total, size):
            share = start / total
            some = given[order[start : start + size]]
            loss, predictions = method.learn(some, self.rate(self.epoch + share))  # type: ignore[arg-type]
            yield loss, predictions, min(1.0, (start + size) / total)

    def _method(self, seed: int) -> Method:
        return METHODS[self.config.method](self.network, self.text, seed)  # type: ignore[call-arg]


class Cells:
    """The cells of a co-occurrence matrix that are not 0, as tensors."""

    def __init__(self, matrix: coo_matrix, config: WordsConfig):
        self.rows, self.columns = torch.from_numpy(matrix.row).long(), torch.from_numpy(matrix.col).long()
        self.x = torch.from_numpy(matrix.data).float()
        self.config = config

    def gradients(self, network: WordNetwork, chosen: Int[Tensor, " b"]) -> gradients.GloveGradients:
        """Of some cells."""
        rows, columns = self.rows[chosen], self.columns[chosen]
        return gradients.glove_gradients(
            network.vectors.data[rows],
            network.context.data[columns],
            network.bias.data[rows],
            network.context_bias.data[columns],
            self.x[chosen],
            self.config.x_max,
            self.config.alpha,
        )

    def loss(self, network: WordNetwork) -> float:
        """The mean loss per cell."""
        parts = torch.arange(len(self.x)).split(65536)
        return sum(float(self.gradients(network, part).loss.sum()) for part in parts) / max(1, len(self.x))


class GloveSteps:
    """GloVe by AdaGrad, which divides each number's step by the root of its squared gradients so far (Duchi et al.
    2011)."""

    def __init__(self, network: WordNetwork, cells: Cells):
        self.network, self.cells = network, cells
        weights = (network.vectors, network.context, network.bias, network.context_bias)
        self.weights = [weight.data for weight in weights]
        self.squares = [torch.ones_like(weight) for weight in self.weights]  # as GloVe's own code begins

    def one_pass(self, rng: np.random.Generator, size: int, rate: float) -> Iterator[tuple[float, int, float]]:
        """All cells in a drawn order, `size` a step."""
        total = len(self.cells.x)
        order = torch.from_numpy(rng.permutation(total))
        for start in range(0, total, size):
            chosen = order[start : start + size]
            step = self.cells.gradients(self.network, chosen)
            rows, columns = self.cells.rows[chosen], self.cells.columns[chosen]
            parts = ((rows, step.row), (columns, step.column), (rows, step.row_bias), (columns, step.column_bias))
            for weight, square, (place, part) in zip(self.weights, self.squares, parts):
                gradient = torch.zeros_like(weight).index_add_(0, place, part)
                square.addcmul_(gradient, gradient)
                weight.addcdiv_(gradient, square.sqrt(), value=-rate)
            yield float(step.loss.sum()), len(chosen), min(1.0, (start + size) / total)
