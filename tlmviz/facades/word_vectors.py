"""A trained word-vector model with its vocabulary: what `tlmviz.load("words-...")` returns."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from ..analysis.words import gradients, huffman, nearness
from ..analysis.words import pairs as windows
from ..analysis.words.glove import Meetings as Meetings
from ..analysis.words.huffman import Path, Tree
from ..analysis.words.ngrams import bucket, ngrams
from ..analysis.words.text import split_words
from ..config import WordsConfig
from ..errors import BadText, UnknownName
from ..networks.words import WordNetwork
from .base import Facade

SHOWN = 60  # characters of a word in a message


@dataclass(frozen=True)
class Snapshots:
    """The training as a film: S pictures of the N most frequent words, the last one the finished model.

    `coordinates` [S, N, A] on the finished vectors' A leading principal axes, about their mean; `axes` [A, C], `mean`
    [C] and `variance` [A], the share of all words' variance that each axis holds; `words_read` [S] before each picture.
    `curve` [P, 3]: words read, training loss since the last point, held-out loss, in nats per prediction (GloVe:
    weighted squared error a cell).
    """

    vocabulary: tuple[str, ...]
    coordinates: Float[np.ndarray, "s n a"]
    axes: Float[np.ndarray, "a c"]
    mean: Float[np.ndarray, " c"]
    variance: Float[np.ndarray, " a"]
    words_read: Float[np.ndarray, " s"]
    curve: Float[np.ndarray, "p 3"]


@dataclass(frozen=True)
class Part:
    """One of the rows whose mean is a FastText vector: the n-gram, or the marked word itself, its row and its vector
    [C]."""

    text: str
    row: int
    vector: Tensor
    whole: bool


class WordVectors(Facade[WordNetwork, WordsConfig]):
    """Vectors of words: look them up, compare them, ask what the model predicts around a word.

    `vectors` [V, C] are those of center words, and of CBOW's context words, which are what it reads; `context_vectors`
    [V, C] those of the words predicted. Rows are in the order of `vocabulary`, most frequent word first. Words are read
    as the training read them: lower case, marks dropped. A word that is not in the vocabulary raises UnknownName;
    FastText makes its vector from its letters.
    """

    task: ClassVar[str] = "words"
    default_text: ClassVar[str] = "Once upon a time there was a little girl named Lily. She had a red ball."

    def __init__(
        self,
        network: WordNetwork,
        vocabulary: Sequence[str],
        counts: Int[np.ndarray, " v"],
        snapshots: Snapshots | None = None,
        meetings: Meetings | None = None,
    ):
        super().__init__(network)
        self.vocabulary, self.counts = list(vocabulary), counts
        self.snapshots = snapshots
        self.meetings = meetings  # of the text it learned from; GloVe's alone are kept
        self._row = {word: row for row, word in enumerate(self.vocabulary)}

    @property
    def kind(self) -> str:
        """The method: skipgram, negative, cbow, fasttext, glove or hierarchical."""
        return self.config.method

    @property
    def sizes(self) -> str:
        """Its sizes in a line."""
        return f"{len(self.vocabulary):,} words, d {self.config.d_model}, {self.n_parameters / 1e6:.2f} M parameters"

    # Words and their vectors

    def __contains__(self, word: str) -> bool:
        """Whether a word is in the vocabulary, as the training spelled it."""
        return word in self._row

    def index(self, word: str) -> int:
        """The row of a word. Raises UnknownName, also for what is no single word."""
        spelled = self._one_word(word)
        if spelled not in self._row:
            raise UnknownName(self._unknown(spelled))
        return self._row[spelled]

    @cached_property
    def vectors(self) -> Float[Tensor, "v c"]:
        """The vectors of all words, [V, C]; FastText's are means of their parts."""
        own: Tensor = self.network.vectors.detach()
        if self.kind != "fasttext":
            return own
        members, there = self.part_rows
        return gradients.mean_of(self.part_vectors, members, there)

    @property
    def context_vectors(self) -> Float[Tensor, "v c"]:
        """The vectors of all words as context, [V, C]. Raises UnknownName for hierarchical softmax, which has
        `node_vectors`."""
        if self.kind == "hierarchical":
            raise UnknownName(
                f"{self.name} has no context vectors: it predicts by the nodes of a tree; take its node_vectors."
            )
        return self.network.context.detach()

    @property
    def node_vectors(self) -> Float[Tensor, "n c"]:
        """The vectors of the tree's inner nodes, [V-1, C]. Raises UnknownName for models without a tree."""
        self._only("hierarchical", "tree")
        return self.network.context.detach()

    @cached_property
    def space(self) -> Float[Tensor, "v c"]:
        """Where neighbours are looked for, [V, C]: `vectors`; GloVe's plus its context vectors (Pennington et al. 2014
        4.2)."""
        return self.vectors + self.context_vectors if self.kind == "glove" else self.vectors

    def vector(self, word: str) -> Float[Tensor, " c"]:
        """The vector of a word, [C]. Raises UnknownName; FastText only for what is no single word."""
        if self.kind == "fasttext" and self._one_word(word) not in self._row:
            return torch.stack([part.vector for part in self.parts(word)]).mean(0)
        return self.vectors[self.index(word)]

    def context_vector(self, word: str) -> Float[Tensor, " c"]:
        """The vector of a word as context, [C]. Raises UnknownName."""
        return self.context_vectors[self.index(word)]

    # Nearness

    def neighbours(self, word: str, n: int = 10) -> list[tuple[str, float]]:
        """The n words with the largest cosine to a word, and the cosines, nearest first. Raises UnknownName."""
        left_out = [row for row in [self._row.get(self._one_word(word))] if row is not None]
        return self.nearest(self._place(word), n, left_out)

    def analogy(self, a: str, b: str, c: str, n: int = 10) -> list[tuple[str, float]]:
        """a is to b as c is to ?: the n words nearest to b - a + c of unit vectors, the three given left out (004 Eq.
        1).

        Raises UnknownName.
        """
        places = [self._place(word) for word in (a, b, c)]
        given = {self._row[word] for word in map(self._one_word, (a, b, c)) if word in self._row}
        return self.nearest(nearness.analogy_vector(*places), n, given)

    def nearest(
        self, vector: Float[Tensor, " c"], n: int = 10, left_out: Iterable[int] = ()
    ) -> list[tuple[str, float]]:
        """The n words with the largest cosine to any vector of `space`, without the rows left out."""
        near = nearness.cosines(vector, self.space)
        near[list(left_out)] = -torch.inf
        best = near.topk(max(0, min(n, len(near) - len(set(left_out)))))
        return [(self.vocabulary[row], value) for value, row in zip(best.values.tolist(), best.indices.tolist())]

    # What it predicts

    def pairs(self, text: str, window: int | None = None) -> list[tuple[str, str]]:
        """(center, context) of every window of the text's words that are in the vocabulary; `window` words on each
        side.

        Words that it does not know are dropped before, as in training. `window` is the model's own unless given. Raises
        BadText for a window below 1.
        """
        reach = self.config.window if window is None else window
        if reach < 1:
            raise BadText(f"The window is {reach}; give a whole number of at least 1, the words on each side.")
        return windows.pairs([word for word in split_words(text) if word in self._row], reach)

    def input_vector(self, words: str | Sequence[str]) -> Float[Tensor, " c"]:
        """What predictions start from, [C]: a word's vector, or the mean of several, as CBOW reads them. Raises
        UnknownName."""
        given = [words] if isinstance(words, str) else list(words)
        if not given:
            raise UnknownName("No word was given to predict from; give at least one.")
        return torch.stack([self.vector(word) for word in given]).mean(0)

    def scores(self, words: str | Sequence[str]) -> Float[Tensor, " v"]:
        """u_o·v of every word o, [V]; v from `input_vector`. Raises UnknownName, also for hierarchical softmax."""
        return self.context_vectors @ self.input_vector(words)

    def pair_probabilities(self, words: str | Sequence[str]) -> Float[Tensor, " v"]:
        """Pr(D = 1 | o, c) = sigma(u_o·v) of every word o, [V]: is the pair real or drawn? (004 Eq. 13). They do not
        sum to 1.

        Raises UnknownName for models that were not trained with negative samples.
        """
        if self.kind not in ("negative", "cbow", "fasttext"):
            raise UnknownName(
                f"{self.name} never learned to tell real pairs from drawn ones; words-negative, words-cbow and "
                "words-fasttext did."
            )
        return self.scores(words).sigmoid()

    def probabilities(self, center: str) -> Float[Tensor, " v"]:
        """Pr(o | center) of every word, [V], sum 1: the softmax (004 Eq. 4) or the product of decisions (Eq. 24).

        Raises UnknownName for models that define no distribution over words.
        """
        if self.kind == "skipgram":
            return gradients.softmax(self.vector(center)[None], self.context_vectors)[0]
        if self.kind == "hierarchical":
            v = self.vector(center)[None]
            return huffman.log_probabilities(v, self.node_vectors, self.tree)[0].exp()
        raise UnknownName(
            f"{self.name} defines no probabilities that sum to 1 over words: words-skipgram and words-hierarchical do; "
            "of this one take scores."
        )

    # The tree of hierarchical softmax

    @cached_property
    def tree(self) -> Tree:
        """The Huffman tree of the counts. Raises UnknownName for models without one."""
        self._only("hierarchical", "tree")
        return huffman.huffman_tree(self.counts)

    def path(self, word: str) -> Path:
        """The inner nodes from the root to a word and the turn at each. Raises UnknownName."""
        return self.tree.paths[self.index(word)]

    # The parts of FastText

    def ngrams(self, word: str) -> list[str]:
        """The n-grams of any word, with boundary marks. Raises UnknownName for models without them, or for no single
        word."""
        self._only("fasttext", "n-grams")
        return ngrams(self._one_word(word), self.config.shortest, self.config.longest)

    def parts(self, word: str) -> list[Part]:
        """What the vector of any word is the mean of: its own row, if it is in the vocabulary, then its n-grams' rows.

        Rows count from the words' own: an n-gram's is V + its bucket. Raises UnknownName like `ngrams`.
        """
        spelled, size = self._one_word(word), len(self.vocabulary)
        rows = [(part, size + bucket(part, self.config.buckets), False) for part in self.ngrams(word)]
        if spelled in self._row:
            rows.insert(0, (f"<{spelled}>", self._row[spelled], True))
        return [Part(text, row, self.part_vectors[row], whole) for text, row, whole in rows]

    @cached_property
    def part_vectors(self) -> Float[Tensor, "r c"]:
        """FastText's rows, [V + buckets, C]. Raises UnknownName for others."""
        self._only("fasttext", "n-grams")
        return torch.cat([self.network.vectors.detach(), self.network.parts.detach()])

    @cached_property
    def part_rows(self) -> tuple[Int[Tensor, "v m"], Float[Tensor, "v m"]]:
        """The rows of `part_vectors` that each word of the vocabulary has, [V, M], and 1 for each, 0 behind the
        last."""
        self._only("fasttext", "n-grams")
        return member_rows(self.vocabulary, self.config)

    # Biases of GloVe

    @property
    def biases(self) -> tuple[Float[Tensor, " v"], Float[Tensor, " v"]]:
        """GloVe's b and b~, [V] each. Raises UnknownName for others."""
        self._only("glove", "biases")
        return self.network.bias.detach(), self.network.context_bias.detach()

    def _place(self, word: str) -> Tensor:
        """A word's vector in `space`."""
        spelled = self._one_word(word)
        return self.space[self._row[spelled]] if spelled in self._row else self.vector(word)

    def _one_word(self, word: str) -> str:
        found = split_words(word) if isinstance(word, str) else []
        if len(found) != 1:
            said = f"{len(found)} words" if found else "no word"
            raise UnknownName(
                f"{str(word)[:SHOWN]!r} is {said}; give exactly one word, such as {self.vocabulary[-1]!r}."
            )
        return found[0]

    def _unknown(self, word: str) -> str:
        close = difflib.get_close_matches(word, self.vocabulary, 3) if len(word) <= SHOWN else []
        hint = f" (near in spelling: {', '.join(close)})" if close else ""
        can = (
            "words-fasttext makes a vector for any word from its letters."
            if self.kind != "fasttext"
            else "from its letters it makes a vector, neighbours and n-grams, and nothing else."
        )
        return (
            f"{word[:SHOWN]!r} is not among the {len(self.vocabulary):,} words that {self.name} learned, those that "
            f"stand at least {self.config.least} times in its text{hint}; {can}"
        )

    def _only(self, method: str, what: str) -> None:
        if self.kind != method:
            raise UnknownName(f"{self.name} has no {what}; words-{method} has.")


def member_rows(vocabulary: Sequence[str], config: WordsConfig) -> tuple[Int[Tensor, "v m"], Float[Tensor, "v m"]]:
    """See `WordVectors.part_rows`; training reads the same."""
    size = len(vocabulary)
    rows = [
        [own, *(size + bucket(part, config.buckets) for part in ngrams(word, config.shortest, config.longest))]
        for own, word in enumerate(vocabulary)
    ]
    members = torch.zeros(size, max(map(len, rows)), dtype=torch.long)
    there = torch.zeros(members.shape)
    for own, given in enumerate(rows):
        members[own, : len(given)] = torch.tensor(given)
        there[own, : len(given)] = 1
    return members, there
