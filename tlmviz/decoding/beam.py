"""Beam search with its whole history: every candidate, what it scored, and why it died (004 section 6)."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from ..errors import BadSearch
from .penalties import Penalties
from .records import Node, Search
from .steppers import Step, Stepper

WIDEST = 20
STOPS = ("enough", "bound", "never")


@dataclass(frozen=True)
class BeamOptions:
    """How to search; lengths count written tokens, the end token included.

    `stop`: "enough" ends when as many texts are finished as the beam is wide; "bound" when no unfinished one can still
    beat the worst of the `n_best`; "never" at `max_length` only. `no_repeat_ngram` forbids a second n-gram of that size
    (0 allows all). `prefix` is written first, whatever it costs. `groups` makes it diverse beam search (Vijayakumar et
    al. 2018): the beams of a group pay `diversity` nats, when candidates are ranked, for each earlier group's beam that
    just chose the same token. `align` is the map (of the step's A) that counts as a_ij, None their mean. `shown`
    candidates of every beam are remembered even if dropped. After `seconds` a search ends with what it has. Raises
    BadSearch for what no search can do.
    """

    width: int = 5
    max_length: int = 60
    min_length: int = 0
    n_best: int | None = None
    stop: str = "enough"
    no_repeat_ngram: int = 0
    prefix: tuple[int, ...] = ()
    banned: frozenset[int] = frozenset()
    groups: int = 1
    diversity: float = 0.5
    penalties: Penalties = field(default_factory=Penalties)
    align: int | None = None
    shown: int = 5
    seconds: float = 20.0

    def __post_init__(self) -> None:
        for name, least, most in (
            ("width", 1, WIDEST),
            ("max_length", 1, 10_000),
            ("min_length", 0, self.max_length),
            ("no_repeat_ngram", 0, 20),
            ("groups", 1, self.width),
            ("shown", 1, 50),
        ):
            value = getattr(self, name)
            if type(value) is not int or not least <= value <= most:
                raise BadSearch(f"{name} is {value!r}; it must be a whole number from {least} to {most}.")
        if self.n_best is not None and not 1 <= self.n_best <= self.width:
            raise BadSearch(f"n_best is {self.n_best}; a beam of {self.width} gives 1 to {self.width} results.")
        if self.width % self.groups:
            raise BadSearch(
                f"A beam of {self.width} has no {self.groups} equal groups; choose a divisor of {self.width}."
            )
        if self.stop not in STOPS:
            raise BadSearch(f"stop is {self.stop!r}; choose one of {', '.join(STOPS)}.")
        if len(self.prefix) > self.max_length:
            raise BadSearch(
                f"The forced beginning has {len(self.prefix)} tokens; {self.max_length} are allowed in all."
            )
        if not self.diversity >= 0 or not self.seconds > 0:
            raise BadSearch(f"diversity {self.diversity} and seconds {self.seconds}: give 0 or more, and more than 0.")


def beam_search(stepper: Stepper, options: BeamOptions | None = None) -> Search:
    """Search for the most probable texts. At each depth the `width` best candidates, by log P, live on.

    A candidate that ends its text is finished if it ranks among the best `width`; its place goes to the next one,
    so that `width` texts stay alive. Penalties rank the finished, not the living, which have one length: so another
    choice of weights re-ranks what was found without a new search (`Search.hypotheses`).
    Raises BadSearch when a forced or banned token does not exist, when more is forced than fits, or when nothing may be
    written.
    """
    return _Run(stepper, options or BeamOptions()).search()


class _Run:
    def __init__(self, stepper: Stepper, options: BeamOptions):
        self.stepper, self.options = stepper, options
        self.found = Search([Node(-1, 0, -1, 0.0, 0.0)], [], options.penalties, options.align)
        self.size = options.width // options.groups
        self.live: list[list[int]] = [[0]] + [[] for _ in range(options.groups - 1)]  # node ids of each group
        self.finished = [0] * options.groups
        self.longest = min(options.max_length, stepper.longest)
        if self.longest < max(1, len(options.prefix)):
            raise BadSearch(
                f"There is room for {max(0, stepper.longest)} tokens, and the forced beginning has "
                f"{len(options.prefix)}; force fewer, or give the model less to read."
            )

    def search(self) -> Search:
        found, began, rows, ids = self.found, time.monotonic(), torch.tensor([0]), None
        for depth in range(self.longest):
            step = self.stepper.advance(rows, ids)
            if depth == 0:
                self._check_tokens(step.logp.shape[1])
            before = [node_id for group in self.live for node_id in group]
            chosen = self._extend(depth, step)
            found.steps += 1
            rows, ids = (torch.tensor([pair[i] for pair in chosen]) for i in (0, 1))
            found.seconds = time.monotonic() - began
            found.stopped = self._stopped(depth, began, len(chosen))
            if found.stopped:
                break
        last = [node_id for group in self.live for node_id in group]
        for node_id in last:
            found.nodes[node_id].why = found.stopped
        if not found.leaves:
            found.leaves = last or before  # bans may leave nothing to continue with: then as far as it went
        if found.leaves == [0]:
            raise BadSearch("Every first token is banned; allow some.")
        return found

    def _check_tokens(self, vocabulary: int) -> None:
        for token in (*self.options.prefix, *self.options.banned):
            if not 0 <= token < vocabulary:
                raise BadSearch(f"Token {token} is not in the vocabulary; its tokens are 0 to {vocabulary - 1}.")

    def _extend(self, depth: int, step: Step) -> list[tuple[int, int]]:
        """One depth further in every group; returns (row, token) of each text that lives on."""
        found, options = self.found, self.options
        live = [node_id for group in self.live for node_id in group]
        rows = {node_id: row for row, node_id in enumerate(live)}
        for node_id, row in rows.items():
            found.attention[node_id] = None if step.attention is None else step.attention[row].numpy()
        taken: dict[int, int] = {}  # token -> how many beams of earlier groups chose it at this depth
        chosen, following = [], []
        # All groups start from the one empty text.
        for number, group in enumerate(self.live if depth else [[0]] * options.groups):
            kept: list[int] = []
            if self.finished[number] >= self.size and options.stop == "enough":
                for node_id in group:
                    found.nodes[node_id].why = "its group finished enough texts"
            elif group:
                kept = self._select(depth, number, group, step.logp[[rows[node_id] for node_id in group]], taken)
            following.append(kept)
            for node in (found.nodes[node_id] for node_id in kept):
                chosen.append((rows[node.parent], node.token))
                taken[node.token] = taken.get(node.token, 0) + 1
        self.live = following
        return chosen

    def _select(self, depth: int, number: int, group: list[int], logp: Tensor, taken: dict[int, int]) -> list[int]:
        """The nodes of a group that live on: its candidates from the best down, finished ones set aside."""
        allowed, reasons = self._allowed(depth, group, logp)
        ranked = torch.tensor([self.found.nodes[node_id].total for node_id in group])[:, None] + allowed
        for token, count in taken.items():
            ranked[:, token] -= self.options.diversity * count
        best = ranked.flatten().topk(min(2 * self.size, ranked.numel()))
        kept: list[int] = []
        remembered: set[tuple[int, int]] = set()
        for rank, (value, flat) in enumerate(zip(best.values.tolist(), best.indices.tolist())):
            if value == -np.inf or len(kept) == self.size:
                break
            beam, token = divmod(flat, logp.shape[1])
            ends = token == self.stepper.end
            if ends and rank >= self.size:
                continue
            state, why = ("finished", "it is complete") if ends else ("kept", f"rank {rank + 1} of its depth")
            node_id = self._add(group[beam], token, logp[beam, token].item(), state, why)
            remembered.add((beam, token))
            if ends:
                self.found.leaves.append(node_id)
                self.finished[number] += 1
            else:
                kept.append(node_id)
        self._remember_dropped(group, logp, remembered, reasons)
        return kept

    def _allowed(self, depth: int, group: list[int], logp: Tensor) -> tuple[Tensor, dict[tuple[int, int], str]]:
        """Log-probabilities with -inf for what may not be written, and the reason for each such (beam, token)."""
        options, end = self.options, self.stepper.end
        allowed = logp.clone()
        reasons: dict[tuple[int, int], str] = {}
        if depth < len(options.prefix):
            forced = options.prefix[depth]
            kept = allowed[:, forced].clone()
            allowed.fill_(-torch.inf)
            allowed[:, forced] = kept
            return allowed, {
                (beam, token): "another token was forced"
                for beam in range(len(group))
                for token in logp[beam].topk(min(options.shown, logp.shape[1])).indices.tolist()
                if token != forced
            }
        for beam, node_id in enumerate(group):
            closed = dict.fromkeys(options.banned, "the token is banned")
            if depth + 1 < options.min_length:
                closed[end] = f"a text has at least {options.min_length} tokens"
            if options.no_repeat_ngram:
                repeats = _repeats(self.found.path(node_id), options.no_repeat_ngram)
                closed |= dict.fromkeys(repeats - {end}, f"it repeats {options.no_repeat_ngram} tokens")
            if closed:
                allowed[beam, list(closed)] = -torch.inf
                reasons |= {(beam, token): why for token, why in closed.items()}
        return allowed, reasons

    def _add(self, parent: int, token: int, logp: float, state: str, why: str) -> int:
        nodes = self.found.nodes
        nodes.append(Node(parent, nodes[parent].depth + 1, token, logp, nodes[parent].total + logp, state, why))
        return len(nodes) - 1

    def _remember_dropped(
        self, group: list[int], logp: Tensor, remembered: set[tuple[int, int]], reasons: dict[tuple[int, int], str]
    ) -> None:
        """Each beam's most probable candidates that do not live on."""
        best = logp.topk(min(self.options.shown, logp.shape[1]))
        for beam, (tokens, values) in enumerate(zip(best.indices.tolist(), best.values.tolist())):
            for token, value in zip(tokens, values):
                if (beam, token) not in remembered:
                    why = reasons.get((beam, token), f"not among the best {self.size} of its depth")
                    self._add(group[beam], token, value, "pruned", why)

    def _stopped(self, depth: int, began: float, alive: int) -> str:
        options = self.options
        if options.stop == "enough" and all(count >= self.size for count in self.finished):
            return "enough texts were finished"
        if not alive:
            return "nothing was left to continue"
        if options.stop == "bound" and self._decided():
            return "no unfinished text could win any more"
        if time.monotonic() - began > options.seconds:
            return f"the time limit of {options.seconds:g} s was reached"
        return f"the limit of {self.longest} tokens was reached" if depth + 1 == self.longest else ""

    def _decided(self) -> bool:
        """Whether no living text can overtake the worst of the best `n_best` finished ones.

        log P only falls, lp is largest at the longest text, and coverage costs at least nothing.
        """
        found, options = self.found, self.options
        wanted = options.n_best or options.width
        if len(found.leaves) < wanted:
            return False
        worst = found.hypotheses()[wanted - 1].score
        best = max(found.nodes[node_id].total for group in self.live for node_id in group)
        row = next(iter(found.attention.values()))
        nothing_missed = None if row is None else np.ones(row.shape[1])
        return options.penalties.score(best, self.longest, nothing_missed).total <= worst


def _repeats(tokens: list[int], size: int) -> set[int]:
    """Tokens that would complete an n-gram which the text has already."""
    if len(tokens) < size - 1:
        return set()
    tail = tuple(tokens[len(tokens) - size + 1 :])
    return {tokens[i + size - 1] for i in range(len(tokens) - size + 1) if tuple(tokens[i : i + size - 1]) == tail}


def greedy(stepper: Stepper, length: int) -> Iterable[int]:
    """The most probable token at each step, until the end token (which comes last) or `length`."""
    ids, rows = None, torch.tensor([0])
    for _ in range(min(length, stepper.longest)):
        token = int(stepper.advance(rows, ids).logp[0].argmax())
        yield token
        if token == stepper.end:
            return
        ids = torch.tensor([token])
