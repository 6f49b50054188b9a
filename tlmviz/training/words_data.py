"""What word vectors learn from: the stories and the English sentences, some of both held out by a hash."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from tlmviz.analysis.words.text import split_words

from .data import read_corpus
from .words import WordText

HELD_OUT = 0.05  # of the stories and of the sentences


@dataclass(frozen=True)
class WordData:
    """The text to learn from, the one to judge by, and how many stories and sentences the first has."""

    train: WordText
    held_out: WordText
    stories: int
    sentences: int


def read_words(folder: Path, least: int) -> WordData:
    """Both texts of a data folder, with one vocabulary of the first: words that stand in it `least` times. Raises
    BadText."""
    corpus = read_corpus(folder, HELD_OUT)
    kept = [sentence for sentence in corpus.sentences if not _is_held_out(sentence)]
    held_out = [sentence for sentence in corpus.sentences if _is_held_out(sentence)]
    train = WordText.of([split_words(text) for text in (*corpus.train, *kept)], least)
    other = train.other([split_words(text) for text in (*corpus.valid, *held_out)])
    return WordData(train, other, len(corpus.train), len(kept))


def _is_held_out(sentence: str) -> bool:
    return int.from_bytes(hashlib.sha256(sentence.encode()).digest()[:4], "big") / 2**32 < HELD_OUT
