"""BPE-dropout from a seed: the same text spelled in other pieces, and the same again wherever the seed is the same."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from heapq import heapify, heappop, heappush
from random import Random

from tokenizers.pre_tokenizers import ByteLevel

from ..tokens import Tokenizer


class RandomSpelling:
    """Byte-level BPE that skips merges at random (Provilkov et al. 2020). For training only.

    Every merge that comes up is skipped with probability `dropout` and comes up again behind the next that is not; a
    word is finished when all that are left were skipped. Spellings are as likely as with the `tokenizers` library,
    whose chance takes no seed: there, too, a merge whose pieces are gone ends the wait of those skipped, so that a few
    more merges are made than by the paper's algorithm.
    """

    def __init__(self, tokenizer: Tokenizer, dropout: float):
        model = json.loads(tokenizer.to_json())["model"]
        self.dropout, self._entries = dropout, model["vocab"]
        self._words = ByteLevel(add_prefix_space=False)
        # (left, right) -> (rank, joined), as ids.
        self._merges = {
            (self._entries[left], self._entries[right]): (rank, self._entries[left + right])
            for rank, (left, right) in enumerate(model["merges"])
        }

    def encode_many(self, texts: Iterable[str], seed: int) -> list[list[int]]:
        """Token ids of texts, without special tokens; one stream of chance runs through all of them."""
        random = Random(seed).random
        return [
            [i for word, _ in self._words.pre_tokenize_str(text) for i in self._spell(word, random)] for text in texts
        ]

    def _spell(self, word: str, random: Callable[[], float]) -> list[int]:
        """The pieces of one word. A piece stands at the place of its first character, the others' places are empty."""
        pieces: list[int | None] = [self._entries[character] for character in word]
        before, after = list(range(-1, len(word) - 1)), list(range(1, len(word) + 1))
        found = ((self._merges.get(pair), place) for place, pair in enumerate(zip(pieces, pieces[1:])))
        heap = [(*merge, place) for merge, place in found if merge is not None]
        heapify(heap)
        skipped = []
        while heap:
            top = heappop(heap)
            if random() < self.dropout:
                skipped.append(top)
                continue
            for merge in skipped:
                heappush(heap, merge)
            skipped.clear()
            rank, joined, place = top
            right = after[place]
            if right == len(word) or self._merges.get((pieces[place], pieces[right])) != (rank, joined):
                continue  # one of its pieces has become part of another
            pieces[place], pieces[right] = joined, None
            after[place] = after[right]
            if after[right] < len(word):
                before[after[right]] = place
            for left in (before[place], place):
                if left >= 0 and after[left] < len(word):
                    new = self._merges.get((pieces[left], pieces[after[left]]))
                    if new is not None:
                        heappush(heap, (*new, left))
        return [piece for piece in pieces if piece is not None]
