"""Following a source back: the head that wrote it, the key which that head reads most, and where to begin."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from tlmviz.errors import UnknownName
from tlmviz.protocols import LanguageModelLike
from tlmviz.tracing.trace import Trace

from .explaining import Explanation, explain

OTHERS = "all others"
_HEAD = re.compile(r"L(\d+)H(\d+)")
CANDIDATES = 6  # heads that `striking` looks at


@dataclass(frozen=True)
class Step:
    """One weight of one head: `query` looks at `key`."""

    layer: int
    head: int
    query: int
    key: int

    @property
    def name(self) -> str:
        """The head's name among sources."""
        return f"L{self.layer}H{self.head}"


def head_of(name: str) -> tuple[int, int] | None:
    """Layer and head of a source that is a head's output; None of any other source."""
    found = _HEAD.fullmatch(name)
    return (int(found[1]), int(found[2])) if found else None


def visible_keys(trace: Trace, layer: int, head: int, query: int) -> list[int]:
    """The keys that a query sees."""
    row = trace.scores(layer, head, "masked")[query]
    return [int(key) for key in torch.isfinite(row).nonzero().flatten()]


def most_read(trace: Trace, layer: int, head: int, query: int) -> int:
    """The key that a head reads most from a position."""
    return int(trace.attention(layer, head, slice(query, query + 1)).argmax())


def follow(trace: Trace, name: str, position: int) -> Step:
    """The step that leads a source back: the head that wrote it, at the position where it wrote.

    Raises UnknownName for a source that no head wrote: the token itself, an MLP, biases.
    """
    head = head_of(name)
    if head is None:
        raise UnknownName(f"{name} is no head, so that it read nothing elsewhere; follow a head such as L1H0.")
    return Step(*head, position, most_read(trace, *head, position))


def kept(values: Float[Tensor, "n m"], count: int) -> list[int]:
    """The rows with the most in them (sum of magnitudes), in their own order; all where there are few."""
    if len(values) <= count + 1:  # one row alone needs no folding
        return list(range(len(values)))
    return sorted(values.abs().sum(1).topk(count).indices.tolist())


def folded(
    names: Sequence[str], scores: Float[Tensor, "n n"], count: int
) -> tuple[list[str], list[str], Float[Tensor, "r c"]]:
    """Names of rows, names of columns and the matrix with all but the `count` largest rows and columns in one, OTHERS.

    Sums are exact: nothing is dropped.
    """
    rows, columns = kept(scores, count), kept(scores.T, count)
    return _named(names, rows), _named(names, columns), _joined(_joined(scores, rows).T, columns).T


def _named(names: Sequence[str], chosen: list[int]) -> list[str]:
    return [*(names[i] for i in chosen), *([OTHERS] if len(chosen) < len(names) else [])]


def _joined(values: Tensor, chosen: list[int]) -> Tensor:
    """The chosen rows, and the sum of the others as a last one."""
    if len(chosen) == len(values):
        return values
    others = [i for i in range(len(values)) if i not in set(chosen)]
    return torch.cat((values[chosen], values[others].sum(0, keepdim=True)))


def striking(lm: LanguageModelLike, trace: Trace) -> Step:
    """The weight most worth explaining: where a token comes again, of the heads that look at what followed it before,
    the one whose key owes most of the score to one earlier head. Without such a repeat the last query of the last
    layer's first head.
    """
    last = len(trace) - 1
    step = Step(trace.n_layers - 1, 0, last, most_read(trace, trace.n_layers - 1, 0, last))
    best = 0.0
    for candidate in _looking_behind_copies(trace):
        found = explain(lm, trace, candidate.layer, candidate.head, candidate.query, candidate.key)
        share = found.weight * _from_heads(found)
        if share > best:
            step, best = candidate, share
    return step


def _looking_behind_copies(trace: Trace) -> list[Step]:
    """Of each of the heads with the largest such weight: the query and the key that followed the query's token
    before."""
    ids = np.array(trace.ids)
    places = [
        (query, int(key) + 1) for query in range(2, len(ids)) for key in (ids[: query - 1] == ids[query]).nonzero()[0]
    ]
    if not places:
        return []
    queries, keys = (torch.tensor(each) for each in zip(*places))
    steps = []
    for layer in range(1, trace.n_layers):
        for head in range(trace.n_heads):
            weights = trace.attention(layer, head)[queries, keys]
            best = int(weights.argmax())
            steps.append((float(weights[best]), Step(layer, head, *places[best])))
    return [step for _, step in sorted(steps, key=lambda pair: -pair[0])[:CANDIDATES]]


def _from_heads(found: Explanation) -> float:
    """The most that one earlier head gives through the key."""
    sums = found.scores.sum(0).tolist()
    return max((total for name, total in zip(found.names, sums) if head_of(name)), default=0.0)
