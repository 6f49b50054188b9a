"""Everything that the part One row shows: a query's logits, its own or typed, five algorithms on them, their checks."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch

from tlmviz import kernels
from tlmviz.analysis.kernels import online_softmax
from tlmviz.analysis.kernels.online_softmax import LONGEST, Walk
from tlmviz.checks import Check, kernels_rows
from tlmviz.errors import Error
from tlmviz.ui import compute as computing
from tlmviz.ui.cached import cached

from .state import Row


@dataclass(frozen=True)
class Keys:
    """A query's own logits [N] and values [N, D] with its keys' tokens, the last N of those it sees, and the first's
    place."""

    x: np.ndarray
    v: np.ndarray
    tokens: list[str]
    first: int
    visible: int


@dataclass(frozen=True)
class Data(computing.TextRead):
    """What the part shows."""

    chosen: Row

    @cached(64)
    def own(model: str, text: str, layer: int, head: int, query: int) -> Keys:
        """The model's own row: at most the last LONGEST of the keys that a query sees."""
        trace = computing.trace(model, text)

        def work() -> Keys:
            q, k, _ = trace.qk(layer, head)
            spec = trace.specs[layer]
            scores = kernels.attention_scores(
                q[None, None],
                k[None, None],
                spec.mask.of_heads(slice(head, head + 1)),
                rows=slice(query, query + 1),
                scale=spec.scale,
            )[0, 0, 0]
            visible = torch.isfinite(scores).nonzero().flatten()
            keys = visible[-LONGEST:]
            v = trace[f"blocks.{layer}.attn.v"][0]
            v = v[head * v.shape[0] // trace.n_heads]
            tokens = [trace.tokens[i] for i in keys.tolist()]
            return Keys(scores[keys].numpy(), v[keys].numpy(), tokens, int(keys[0]), len(visible))

        return computing.run_in_worker(work, computing.about(text))

    @cached_property
    def _given(self) -> np.ndarray | Error | None:
        """What was typed, or why that cannot be read."""
        if not self.chosen.logits.strip():
            return None
        try:
            return online_softmax.parse_logits(self.chosen.logits, len(self.own.x))
        except Error as error:
            return error

    @property
    def x(self) -> np.ndarray:
        """The logits: those typed, which give way to the model's own where they cannot be read."""
        return self._given if isinstance(self._given, np.ndarray) else self.own.x

    @property
    def typed(self) -> bool:
        """Whether they are the visitor's."""
        return not np.array_equal(self.x, self.own.x)

    @property
    def refused(self) -> Error | None:
        """Why those were not taken."""
        return self._given if isinstance(self._given, Error) else None

    @property
    def tokens(self) -> list[str]:
        """The keys' tokens, one for each logit."""
        return self.own.tokens[: len(self.x)]

    @property
    def left_out(self) -> int:
        """How many keys the query sees that are not in the row."""
        return 0 if self.typed else self.own.visible - len(self.x)

    @cached_property
    def walks(self) -> tuple[Walk, ...]:
        """The five algorithms on the row: naive, three passes, online softmax, online attention, one pass."""
        return online_softmax.walk_all(self.x, self.own.v[: len(self.x)])

    @property
    def rises(self) -> int:
        """How often a later logit is the largest so far."""
        return online_softmax.rises(self.x)

    @property
    def checks(self) -> list[Check]:
        """The online algorithms against float64, and naive against online where naive does not overflow."""
        result = [kernels_rows.online_is_softmax(self.walks), kernels_rows.one_pass_is_attention(self.walks)]
        return [*result, kernels_rows.naive_is_online(self.walks)] if self.walks[0].finite else result
