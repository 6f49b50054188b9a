"""Names that nobody saw: found in sentence pairs, and replaced on both sides by invented ones, so that copying is
learned."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable

import numpy as np

from ..tokens import Tokenizer
from .pairs import PairBatches

WORD = re.compile(r"[^\W\d_]+")
CAPITAL = re.compile(r"[A-Z][a-z]{2,}")
ELIDED = re.compile(r"\b(?:[dDlLjJmMtTsSnNcC]|[qQ]u|[lL]orsqu|[pP]uisqu|[jJ]usqu)'$")  # before a vowel
ELIDES = re.compile(r"\b(?:de|le|la|je|me|te|se|ne|ce|si|que|lorsque|puisque|jusque)\s$", re.IGNORECASE)
SEEN_SMALL = 0.02  # of a name's places, at most, that begin with a small letter
ALIKE = 0.5  # of the pairs with it in English, at least, that have it in French too
HELD_OUT = 0.1  # of invented names, chosen by hash, that no training draws

ONSETS = (
    "b",
    "br",
    "c",
    "ch",
    "cl",
    "d",
    "dr",
    "f",
    "fl",
    "g",
    "gr",
    "j",
    "k",
    "kr",
    "l",
    "m",
    "n",
    "p",
    "pr",
    "qu",
    "r",
    "s",
    "sh",
    "st",
    "t",
    "th",
    "tr",
    "v",
    "w",
    "y",
    "z",
)
VOWELS = ("a", "e", "i", "o", "u", "ai", "ee", "ia", "io", "oo", "ou")
CODAS = ("", "", "", "b", "ck", "d", "g", "k", "l", "ll", "m", "n", "nd", "nk", "r", "rt", "s", "sh", "t", "x", "z")


def find_names(pairs: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Words of the English sentences that are names spelled alike in French: with a capital nearly everywhere, and
    mostly in the French sentence too."""
    words: Counter[str] = Counter()
    english_with: Counter[str] = Counter()
    both: Counter[str] = Counter()
    for english, french in pairs:
        words.update(WORD.findall(english))
        capital = set(CAPITAL.findall(english))
        english_with.update(capital)
        both.update(capital & set(WORD.findall(french)))
    return frozenset(
        word
        for word, count in both.items()
        if words[word.lower()] <= SEEN_SMALL * words[word] and count >= ALIKE * english_with[word]
    )


def invent(rng: np.random.Generator, held_out: bool = False, vowel: bool = False) -> str:
    """A name of two or three syllables, or of letters without any order; `vowel`: it may begin with one.

    Training draws those of one part of all names, what is measured those of the other (`held_out`).
    """
    while True:
        if rng.random() < 0.2:
            letters = "".join(chr(97 + i) for i in rng.integers(0, 26, rng.integers(3, 7)))
            name = letters if vowel else ONSETS[rng.integers(len(ONSETS))] + letters
        else:
            parts = [
                ONSETS[rng.integers(len(ONSETS))] + VOWELS[rng.integers(len(VOWELS))]
                for _ in range(2 + (rng.random() < 0.25))
            ]
            name = "".join(parts)[bool(vowel and rng.random() < 0.3) :] + CODAS[rng.integers(len(CODAS))]
        name = name.capitalize()
        share = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big") / 2**32
        if 4 <= len(name) <= 12 and (share < HELD_OUT) == held_out:
            return name


def replaceable(english: str, french: str, names: frozenset[str]) -> list[str]:
    """The names that stand in both sentences equally often, and nowhere behind an apostrophe of elision."""
    found = []
    for name in dict.fromkeys(CAPITAL.findall(english)):
        places = places_of(name, french)
        alike = len(places) == len(places_of(name, english)) > 0
        if name in names and alike and not any(ELIDED.search(french[:at]) for at in places):
            found.append(name)
    return found


def rename(
    english: str, french: str, found: list[str], rng: np.random.Generator, held_out: bool = False
) -> tuple[str, str, list[str]]:
    """Both sentences with an invented name in the place of each of `found`, and these names."""
    given = []
    for name in found:
        free = not any(ELIDES.search(french[:at]) for at in places_of(name, french))
        given.append(invent(rng, held_out, vowel=free))
        english, french = (re.sub(rf"\b{name}\b", given[-1], text) for text in (english, french))
    return english, french, given


def places_of(name: str, text: str) -> list[int]:
    """Where a name stands in a text as a whole word."""
    return [match.start() for match in re.finditer(rf"\b{name}\b", text)]


class RenamedBatches(PairBatches):
    """Batches of pairs in which, drawn anew for every pass, a `share` of those with names have invented ones
    instead."""

    def __init__(self, pairs: list[tuple[str, str]], tokenizer: Tokenizer, seed: int, longest: int, share: float):
        super().__init__(pairs, tokenizer, seed, longest)
        self.share, self.plain = share, list(self.pairs)
        names = find_names(self.texts)
        found = ((i, replaceable(*pair, names)) for i, pair in enumerate(self.texts))
        self.named = {i: here for i, here in found if here}

    def one_pass(self, tokens: int) -> list[list[int]]:
        """See `PairBatches`. A pair that its new names would make too long keeps its own."""
        self.pairs = list(self.plain)
        chosen = [i for i in self.named if self.rng.random() < self.share]
        renamed = {rename(*self.texts[i], self.named[i], self.rng)[:2]: i for i in chosen}
        for pair, ids in zip(*self.encoded(list(renamed))):
            self.pairs[renamed[pair]] = ids
        return super().one_pass(tokens)
