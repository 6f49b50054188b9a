"""Exact search by branch and bound: the text a model itself finds most probable, whatever a beam found (004 section 6).

log P only falls as a text grows, so a beginning whose log P is below that of a complete text leads to nothing better,
and is cut. What is left of N^T texts is often few enough to visit, and then the result is proven. Stahlberg and Byrne
(2019) do this to translation models, and find that the most probable text is often a bad one, even the empty one.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import torch
from torch import Tensor

from ..errors import BadSearch
from .steppers import Stepper


@dataclass(frozen=True)
class ExactOptions:
    """What to look for, and how long.

    `horizon` None means texts that end within `max_length` tokens, their end included; else texts of `horizon` tokens,
    or fewer where they end before. Neither ends before `min_length`. `rows` texts advance together; `expansions` counts
    texts that the network may continue. A text that is `known`, with its log P in nats, is to be beaten from the start.
    Raises BadSearch for counts below 1, and for a `min_length` beyond the longest.
    """

    max_length: int = 60
    horizon: int | None = None
    min_length: int = 1
    expansions: int = 2000
    seconds: float = 10.0
    rows: int = 32
    known: tuple[tuple[int, ...], float] | None = None

    def __post_init__(self) -> None:
        horizon = self.max_length if self.horizon is None else self.horizon
        counts = {"max_length": self.max_length, "horizon": horizon, "expansions": self.expansions, "rows": self.rows}
        for name, value in counts.items():
            if type(value) is not int or value < 1:
                raise BadSearch(f"{name} is {value!r}; it must be a whole number of at least 1.")
        if type(self.min_length) is not int or self.min_length > horizon:
            raise BadSearch(f"min_length is {self.min_length!r}; it must be a whole number of at most {horizon}.")
        if not self.seconds > 0:
            raise BadSearch(f"seconds is {self.seconds}; give more than 0.")


@dataclass(frozen=True)
class Exact:
    """The most probable text found, `tokens` empty if none. `proven`: no other within the limits is more probable.

    No text that was not looked at has a log P above `bound`, which is `logp` if it is proven. `expanded` texts were
    continued, by every token of the `vocabulary`; `length` is the T up to which texts were looked for.
    """

    tokens: tuple[int, ...]
    logp: float
    proven: bool
    bound: float
    expanded: int
    seconds: float
    vocabulary: int
    length: int

    @property
    def all_texts(self) -> int:
        """N^T: the paths that looking at everything would follow (004 Eq. 28)."""
        count: int = self.vocabulary**self.length
        return count

    def beam_cost(self, width: int) -> int:
        """W N T: the candidates that a beam of this width ranks (004 section 6.1)."""
        return width * self.vocabulary * self.length

    @property
    def scored(self) -> int:
        """Candidates that this search looked at: N for every text continued."""
        return self.expanded * self.vocabulary


@dataclass
class _Frame:
    """Beginnings of one length, most probable first, that are still to be continued: row and token behind `stepper`."""

    stepper: Stepper
    texts: list[tuple[int, ...]]  # by row
    rows: Tensor  # [M]
    ids: Tensor  # [M]
    totals: Tensor  # [M], falling
    next: int = 0

    @property
    def best(self) -> float:
        return self.totals[self.next].item() if self.next < len(self.totals) else float("-inf")


def exact_search(stepper: Stepper, options: ExactOptions | None = None) -> Exact:
    """The most probable complete text, or beginning of `horizon` tokens, depth first: as far as the budget goes.

    It starts with the greedy text (or the `known` one), and then continues whatever may still be better, the most
    probable beginnings first. Raises BadSearch when the model has no room to write.
    """
    options = options or ExactOptions()
    length = min(options.max_length if options.horizon is None else options.horizon, stepper.longest)
    if length < 1:
        raise BadSearch("There is no room to write; give the model less to read.")
    began, (tokens, best) = time.monotonic(), options.known or ((), float("-inf"))
    step = stepper.advance(torch.tensor([0]), None)
    texts: list[tuple[int, ...]] = [()]
    totals, expanded, vocabulary = step.logp.double(), 1, step.logp.shape[1]
    frames: list[_Frame] = []
    while True:
        # Texts that are complete now: those that end, and at the horizon all.
        depth = len(texts[0]) + 1
        if depth < options.min_length:
            totals[:, stepper.end] = -torch.inf
        leaves = totals if options.horizon is not None and depth == length else totals[:, stepper.end : stepper.end + 1]
        row, column = divmod(int(leaves.argmax()), leaves.shape[1])
        if leaves[row, column] > best:
            best = leaves[row, column].item()
            tokens = (*texts[row], stepper.end if leaves.shape[1] == 1 else column)
        if depth < length:
            frames.append(_frame(stepper, texts, totals, best))
        while frames and frames[-1].best <= best:
            frames.pop()
        if not frames or expanded >= options.expansions or time.monotonic() - began >= options.seconds:
            break
        # Until a first text is complete, one row goes down alone: any bound is better than none.
        count = options.rows if tokens else 1
        stepper, texts, totals = _continue(frames[-1], min(count, options.expansions - expanded), best)
        expanded += len(texts)
    bound = max([best, *(frame.best for frame in frames)])
    return Exact(
        tokens, best, not frames and bool(tokens), bound, expanded, time.monotonic() - began, vocabulary, length
    )


def _frame(stepper: Stepper, texts: list[tuple[int, ...]], totals: Tensor, best: float) -> _Frame:
    """All continuations [R, V] that do not end and are still above `best`, in order."""
    totals[:, stepper.end] = -torch.inf
    flat = totals.flatten()
    (places,) = (flat > best).nonzero(as_tuple=True)
    order = flat[places].argsort(descending=True, stable=True)
    places = places[order]
    return _Frame(stepper, texts, places // totals.shape[1], places % totals.shape[1], flat[places])


def _continue(frame: _Frame, count: int, best: float) -> tuple[Stepper, list[tuple[int, ...]], Tensor]:
    """The next few beginnings of a frame, one token further; the frame keeps the rest, and its stepper."""
    stop = min(frame.next + count, int((frame.totals > best).sum()))
    rows, ids, totals = (part[frame.next : stop] for part in (frame.rows, frame.ids, frame.totals))
    frame.next = stop
    # The last ones need no copy of the stepper.
    stepper = frame.stepper.fork() if frame.best > best else frame.stepper
    texts = [(*frame.texts[row], token) for row, token in zip(rows.tolist(), ids.tolist())]
    return stepper, texts, totals[:, None] + stepper.advance(rows, ids).logp.double()
