"""Everything that the part Text shows: a text, a head's map, one query's row, and the heads that read far."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tlmviz.analysis.kernels.far_reading import farthest_look
from tlmviz.ui.components.attention_view import head_arrays

from .. import data as page
from ..data import OnePass, Passage, Text
from .state import Reading

OFFERED = 5  # heads that read far
HEAVIEST = 1_200_000  # bytes of q and k: 4,096 tokens of 32 numbers


@dataclass(frozen=True)
class Data(OnePass):
    """A text that was read, and how its words are coloured."""

    found: Text
    chosen: Reading
    passage: Passage

    @cached_property
    def picture(self) -> np.ndarray:
        """The head's pooled map."""
        return page.pooled(self.passage, *self.found.head)

    @cached_property
    def query(self) -> int:
        """The pinned query; while none is, the one that looks at a far token with most weight, or the last."""
        length = len(self.passage.ids)
        if self.found.query is not None and 0 <= self.found.query < length:
            return self.found.query
        best = farthest_look(self.trace, *self.found.head, self.picture)
        return length - 1 if best is None else best

    @cached_property
    def row(self) -> np.ndarray:
        """Its exact weights, [query + 1]."""
        return page.row_of(self.passage, *self.found.head, self.query)

    @property
    def beyond(self) -> float | None:
        """How much of it lies farther back than any text that was trained on; None within the training length."""
        past = self.query - self.passage.context + 1
        return float(self.row[:past].sum(dtype=np.float64)) if past > 0 else None

    @property
    def far(self) -> list[tuple[int, int, float]]:
        """The heads that read far, best first, with what was measured."""
        found = page.far_heads(self.passage)
        order = [divmod(int(place), found.shape[1]) for place in np.argsort(-found, axis=None)[:OFFERED]]
        return [(layer, head, float(found[layer, head])) for layer, head in order]

    @property
    def origin(self) -> str:
        """What names the text and the head."""
        return "{}/{}/{}.{}".format(self.found.chosen.model, hash(self.passage.ids), *self.found.head)

    @property
    def exact(self) -> dict[str, np.ndarray]:
        """What the browser computes rows from, unless it is too much to send."""
        arrays = head_arrays(self.trace, *self.found.head)
        return arrays if sum(array.nbytes for array in arrays.values()) <= HEAVIEST else {}
