"""Text to batches: stories, plain sentences, splits and packing."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from ..errors import BadText
from ..tokens import END_OF_TEXT, Tokenizer
from .spelling import RandomSpelling

STORIES = "stories.txt"
PAIRS = "eng-fra.tsv.gz"


@dataclass(frozen=True)
class Corpus:
    """Documents to learn from, documents to judge by, and extra sentences."""

    train: list[str]
    valid: list[str]
    sentences: list[str]


def read_corpus(folder: Path, valid_share: float = 0.05) -> Corpus:
    """Stories split by a hash of their text (so the split never depends on order), and unique English sentences."""
    path = folder / STORIES
    if not path.is_file():
        raise BadText(f"{folder} has no {STORIES}; give the folder with the training data as --data.")
    stories = split_documents(path.read_text(encoding="utf-8"))
    stories = list(dict.fromkeys(stories))
    train: list[str] = []
    valid: list[str] = []
    for story in stories:
        share = int.from_bytes(hashlib.sha256(story.encode()).digest()[:4], "big") / 2**32
        (valid if share < valid_share else train).append(story)
    if not train or not valid:
        raise BadText(
            f"{path} has {len(stories)} different stories, too few to learn from some and judge by others; add more."
        )
    return Corpus(train, valid, _english_sentences(folder / PAIRS))


def split_documents(text: str) -> list[str]:
    """The documents of a text in which a line <|endoftext|> ends each."""
    return [part.strip() for part in text.split(END_OF_TEXT) if part.strip()]


def _english_sentences(path: Path) -> list[str]:
    if not path.is_file():
        return []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return list(dict.fromkeys(line.split("\t", 1)[0] for line in lines))


class Packer:
    """Endless batches of packed documents, shuffled and re-tokenised for every pass over the data.

    Each stories pass is cut into windows of `length` tokens that start with a document boundary
    wherever the shuffle puts one. Extra sentences are grouped into documents of a story's length.
    With BPE-dropout the same story is spelled differently each time, which slows memorising. Batches follow from the
    seed alone, to the token.
    """

    def __init__(self, corpus: Corpus, tokenizer: Tokenizer, seed: int, bpe_dropout: float = 0.0):
        self.corpus, self.tokenizer = corpus, tokenizer
        self.spelling = RandomSpelling(tokenizer, bpe_dropout) if bpe_dropout else None
        self.rng = np.random.default_rng(seed)
        self.passes = 0
        self._stream = {"stories": np.zeros(0, np.int64), "sentences": np.zeros(0, np.int64)}

    def batch(self, rows: int, length: int, sentence_share: float, repeat_share: float = 0.0) -> tuple[Tensor, Tensor]:
        """Inputs and next-token targets, each [rows, length]; targets that teach nothing are -100.

        `repeat_share` of the rows hold one random span over and over, which only induction heads can predict.
        """
        kinds = self.rng.random(rows) < (sentence_share if self.corpus.sentences else 0)
        windows = np.stack([self._window("sentences" if kind else "stories", length + 1) for kind in kinds])
        targets = windows[:, 1:].copy()
        for row in np.flatnonzero(self.rng.random(rows) < repeat_share):
            windows[row], targets[row] = self._repeat(windows[row])
        return torch.from_numpy(windows[:, :-1]), torch.from_numpy(targets)

    def _repeat(self, window: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A window of one span repeated, 3 tokens to a third of a window long; its first copy is no target.

        The span's tokens are drawn one by one from the stories, so that common words are common, or in
        three of ten cases from the whole vocabulary, so that none is left out. No separator starts the
        window: few story windows begin with one, and the model would take it as a sign of noise to come.
        """
        longest = max(4, (len(window) - 1) // 3)
        span = round(3 * (longest / 3) ** self.rng.random())  # short ones as often as long ones
        anything = self.rng.random() < 0.3
        piece = self.rng.choice(self.tokenizer.vocab_size if anything else self._stream["stories"], span)
        repeated = np.resize(piece, len(window))
        targets = repeated[1:].copy()
        targets[: span - 1] = -100
        return repeated, targets

    def _window(self, kind: str, length: int) -> np.ndarray:
        while len(self._stream[kind]) < length:
            self._stream[kind] = np.concatenate([self._stream[kind], self._one_pass(kind)])
        window, rest = np.split(self._stream[kind], [length])
        # the last token starts the next window as its first input
        self._stream[kind] = np.concatenate([window[-1:], rest])
        return window

    def _one_pass(self, kind: str) -> np.ndarray:
        if kind == "stories":
            self.passes += 1
            documents = [self.corpus.train[i] for i in self.rng.permutation(len(self.corpus.train))]
        else:
            order = self.rng.permutation(len(self.corpus.sentences))[:12000]
            documents = [" ".join(self.corpus.sentences[i] for i in group) for group in np.array_split(order, 600)]
        # Half the documents keep the spelling used at inference.
        plain = self.rng.random(len(documents)) < 0.5
        ids = self.tokenizer.encode_many(documents)
        if self.spelling is not None:
            where = np.flatnonzero(~plain)
            seed = int(self.rng.integers(2**63))
            for i, spelled in zip(where, self.spelling.encode_many([documents[i] for i in where], seed)):
                ids[i] = spelled
        end = self.tokenizer.end_of_text
        return np.concatenate([np.array([end, *document], np.int64) for document in ids])
