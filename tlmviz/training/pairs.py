"""Sentence pairs to train translation on: read, tidied, split by English sentence, batched by length."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from ..errors import BadText
from ..facades.translator import tidy
from ..tokens import Tokenizer

PAIRS = "eng-fra.tsv.gz"
HELD_OUT = 0.01  # of the English sentences
MARKS = re.compile(r"(?<=[\w)»\"'])\s?([?!;»]|:(?=\s|$))|«\s?(?=\w)")


@dataclass(frozen=True)
class Pairs:
    """English sentences and their French ones: (English, French) to learn from, English -> all its French held out."""

    train: list[tuple[str, str]]
    valid: dict[str, list[str]] = field(repr=False)

    def held_out(self) -> list[tuple[str, str]]:
        """The held-out translations as pairs."""
        return [(english, one) for english, many in self.valid.items() for one in many]

    def references(self, fewest: int = 2, words: tuple[int, int] = (4, 12)) -> dict[str, list[str]]:
        """Held-out sentences of so many words with several translations: what BLEU is measured on."""
        return {
            english: french
            for english, french in self.valid.items()
            if len(french) >= fewest and words[0] <= len(english.split()) <= words[1]
        }


def read_pairs(folder: Path) -> Pairs:
    """Pairs of `eng-fra.tsv.gz`, tidied; 1 % of the English sentences, chosen by hash, are held out with all their
    French.

    Raises BadText when the file is missing or holds too few pairs.
    """
    path = folder / PAIRS
    if not path.is_file():
        raise BadText(
            f"{path} is not there; give --data a folder that holds {PAIRS} (English, tab, French on each line)."
        )
    translations: dict[str, list[str]] = defaultdict(list)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            english, _, french = line.rstrip("\n").partition("\t")
            if tidy(english) and tidy(french):
                translations[tidy(english)].append(french_marks(french))
    train: list[tuple[str, str]] = []
    valid: dict[str, list[str]] = {}
    for english, known in translations.items():
        share = int.from_bytes(hashlib.sha256(english.encode()).digest()[:4], "big") / 2**32
        if share < HELD_OUT:
            valid[english] = known
        else:
            train += [(english, one) for one in dict.fromkeys(known)]
    if not train or not valid:
        raise BadText(f"{path} has {len(translations)} English sentences, too few to learn and to judge by; add more.")
    return Pairs(train, valid)


def french_marks(text: str) -> str:
    """A French sentence with one space before ? ! ; : and inside guillemets, however it was typed: one spelling to
    learn."""
    return tidy(MARKS.sub(lambda match: f" {match[1]}" if match[1] else "« ", tidy(text)))


class PairBatches:
    """Endless batches of pairs, shuffled for every pass: one source length each, target lengths alike.

    Sources of one length need no padding, and so no mask; targets are padded behind their end. Pairs longer than
    `longest` tokens, the end token counted, are left out. Raises BadText when that leaves none.
    """

    def __init__(self, pairs: list[tuple[str, str]], tokenizer: Tokenizer, seed: int, longest: int):
        self.tokenizer, self.end, self.longest = tokenizer, tokenizer.end_of_text, longest
        self.texts, self.pairs = self.encoded(pairs)
        if not self.pairs:
            raise BadText(
                f"None of the {len(pairs):,} pairs fits into {longest} tokens; give more pairs, or shorter ones."
            )
        self.rng = np.random.default_rng(seed)
        self.passes = 0
        self._waiting: Iterator[list[int]] = iter(())

    def encoded(self, pairs: list[tuple[str, str]]) -> tuple[list[tuple[str, str]], list[tuple[list[int], list[int]]]]:
        """The pairs that are not too long, and their ids."""
        sources, targets = (self.tokenizer.encode_many(list(side)) for side in zip(*pairs)) if pairs else ((), ())
        both = [
            (pair, (source, target))
            for pair, source, target in zip(pairs, sources, targets)
            if max(len(source), len(target) + 1) <= self.longest
        ]
        return [pair for pair, _ in both], [ids for _, ids in both]

    def batch(self, tokens: int) -> tuple[Tensor, Tensor, Tensor]:
        """Sources [B, S], targets behind an end-of-text token [B, T], and what follows each [B, T], -100 after the
        end."""
        chosen = next(self._waiting, None)
        if chosen is None:
            self.passes += 1
            self._waiting = iter(self.one_pass(tokens))
            chosen = next(self._waiting)
        return self.gather(chosen)

    def gather(self, chosen: list[int]) -> tuple[Tensor, Tensor, Tensor]:
        """These pairs as a batch; see `batch`."""
        source = torch.tensor([self.pairs[i][0] for i in chosen])
        width = 1 + max(len(self.pairs[i][1]) for i in chosen)
        target, following = torch.full((len(chosen), width), self.end), torch.full((len(chosen), width), -100)
        for row, i in enumerate(chosen):
            ids = torch.tensor([*self.pairs[i][1], self.end])
            target[row, 1 : len(ids)] = ids[:-1]
            following[row, : len(ids)] = ids
        return source, target, following

    def one_pass(self, tokens: int) -> list[list[int]]:
        """Which pairs make up each batch of one shuffled pass over all."""
        by_length: dict[int, list[int]] = defaultdict(list)
        for i in self.rng.permutation(len(self.pairs)):
            by_length[len(self.pairs[i][0])].append(int(i))
        batches = []
        for length, members in by_length.items():
            rows = max(1, tokens // (length + 2))
            # Pools of eight batches are sorted by target length: little padding, and still other company every pass.
            for start in range(0, len(members), 8 * rows):
                pool = sorted(members[start : start + 8 * rows], key=lambda i: len(self.pairs[i][1]))
                batches += [pool[at : at + rows] for at in range(0, len(pool), rows)]
        return [batches[i] for i in self.rng.permutation(len(batches))]
