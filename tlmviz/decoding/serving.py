"""A server's scheduler: many requests, one pool of pages, one pass per step (003 sections 4.3 and 4.5).

Requests join and leave the batch at any step (Orca, Yu et al. 2022); their keys and values lie in pages that are
taken when needed, shared where prompts begin alike, copied before a shared one is written to, and given back by the
latest arrival when memory is short, which is then read again from the start (vLLM, Kwon et al. 2023).
Within a step those in the batch write a token each in one pass [B, 1]; then newcomers read their prompts, a pass
each, and write their first. Nobody sees another's tokens: a row of the batch attends through its own block table.
"""

from __future__ import annotations

import time
from bisect import insort
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import torch
from torch import Tensor

from ..caches import PagedCache, PagePool, Sequence
from ..errors import BadShape, BadText, Error, OutOfPages
from .sampling import next_token
from .serving_records import WRITING, Event, Request, Run, Seat, Server, Step

LATEST = 10_000  # step at which a request may still arrive: idle steps are recorded too
Watch = Callable[
    [int, Tensor], None
]  # called with a request's number from 0 and the logits [V] it draws its next token from


def serve(lm, requests: Iterable[Request], server: Server | None = None, watch: Watch | None = None) -> Run:
    """Serve all requests to their ends. Each gets the text that `lm.generate` gives its prompt alone.

    Raises BadText (a prompt that is empty, or leaves no room in the context), BadShape (a count that makes no sense)
    and OutOfPages (a request that could not fit into memory even alone).
    """
    scheduler, steps = Scheduler(lm, requests, server or Server(), watch), []
    while not scheduler.done:
        steps.append(scheduler.step())
    lines = scheduler.lines
    prompts, answers = zip(
        *((tuple(line.ids[: line.prompt]), tuple(line.ids[line.prompt :])) for line in lines)
    )
    texts = tuple(lm.tokenizer.decode(answer) for answer in answers)
    return Run(scheduler.server, tuple(line.request for line in lines), prompts, answers, texts, tuple(steps))


def validate(lm, request: Request, server: Server) -> list[int]:
    """The ids of a request's prompt. Raises what `serve` raises for it, in a sentence about this request alone."""
    ids = lm.encode(request.prompt)
    if len(ids) == lm.config.context:
        raise BadText(
            f"This text has {len(ids):,} tokens, all that {lm.name} reads; shorten it, so that it can write."
        )
    if request.max_new_tokens < 1:
        raise BadShape(f"{request.max_new_tokens} tokens are to be written; ask for at least 1.")
    if not 0 <= request.arrival <= LATEST:
        raise BadShape(f"The arrival is step {request.arrival:,}; give one from 0 to {LATEST:,}.")
    if not 0 <= request.seed < 2**63:
        raise BadShape(f"The seed is {request.seed}; give a whole number from 0.")
    length = len(ids) + min(request.max_new_tokens, lm.config.context - len(ids))
    if length > server.slots:
        raise OutOfPages(
            f"Its prompt and answer take {length:,} positions and memory holds {server.slots:,} ({server.pages:,} pages of "
            f"{server.page:,}), so that it would never fit; write less or give more pages."
        )
    return ids


@dataclass(eq=False)
class Line:
    """A request on its way: `ids` are its prompt and what it wrote; `first` the logits behind its prompt."""

    number: int
    request: Request
    ids: list[int]
    prompt: int
    limit: int
    generator: torch.Generator
    sequence: Sequence
    first: Tensor | None = None
    state: str = "absent"
    ended: bool = False
    computed: int = 0
    shared: int = 0
    wrote: int = 0


class Scheduler:
    """The state of a server between two steps. Raises what `serve` raises."""

    def __init__(self, lm, requests: Iterable[Request], server: Server, watch: Watch | None = None):
        self.lm, self.server, self.watch = lm, server, watch
        self.pool = PagePool.of(lm.config, server.page, server.pages)
        self.lines = [self._line(number, request) for number, request in enumerate(requests)]
        if not self.lines:
            raise BadShape("There is no request to serve; give at least one.")
        # All three stay in the order of arrival, but for `remembered`: least lately used first.
        self.queue: list[Line] = []
        self.batch: list[Line] = []
        self.remembered: list[Line] = []
        self.now, self.events = 0, []

    @property
    def done(self) -> bool:
        """Whether every request has its text."""
        return all(line.ended for line in self.lines)

    @torch.inference_mode()
    def step(self) -> Step:
        """One step of the server, in which every request of the batch writes a token."""
        start = time.perf_counter()
        self.events = []
        for line in self.lines:
            line.computed = line.shared = line.wrote = 0
        self._leave()
        self._arrive()
        static = self.server.policy == "static"
        room = static or self._make_room()
        if self.batch:
            self._decode()
        if static and not self.batch:
            self._fill_batch()
        elif room and not static:
            self._admit()
        self.now += 1
        return self._record(time.perf_counter() - start)

    def _line(self, number: int, request: Request) -> Line:
        try:
            ids = validate(self.lm, request, self.server)
        except Error as error:
            raise type(error)(f"Request {number + 1}: {error}") from error
        limit = min(request.max_new_tokens, self.lm.config.context - len(ids))
        generator = torch.Generator().manual_seed(request.seed)
        return Line(number, request, ids, len(ids), limit, generator, Sequence(self.pool))

    def _arrive(self) -> None:
        for line in self.lines:
            if line.state == "absent" and line.request.arrival <= self.now:
                line.state = "waiting"
                insort(self.queue, line, key=_order)

    def _leave(self) -> None:
        """Requests that have ended give back their pages, or are remembered; in a static batch all wait for the last."""
        if self.server.policy == "static" and not all(line.ended for line in self.batch):
            return
        for line in [line for line in self.batch if line.ended]:
            self.batch.remove(line)
            line.state = "finished"
            if self.server.sharing == "remembered" and self.server.policy == "continuous":
                self.remembered.append(line)
            else:
                self._release("finish", line)

    def _admit(self) -> None:
        """Let waiting requests in, first come, first served, while there are seats and pages."""
        while self.queue and len(self.batch) < self.server.batch:
            line = self.queue[0]
            lender, common = self._lender(line)
            line.sequence = lender.sequence.prefix(common) if lender else Sequence(self.pool)
            new = len(line.ids) - common
            while line.sequence.missing(new) > self.pool.free and self.remembered:
                self._forget()
            if line.sequence.missing(new) > self.pool.free:
                line.sequence.release()
                return
            self.queue.pop(0)
            insort(self.batch, line, key=_order)
            if lender:
                line.shared = common
                self.events.append(
                    Event("share", line.number, tuple(line.sequence.table), lender.number, common)
                )
            if lender in self.remembered:
                self.remembered.append(self.remembered.pop(self.remembered.index(lender)))
            self._reserve(line, new)
            self._prefill(line, lender, common)

    def _fill_batch(self) -> None:
        """A static batch: whoever has arrived, while rows as long as the longest prompt and the longest answer fit."""
        page, chosen, length = self.server.page, [], 0
        for line in self.queue[: self.server.batch]:
            wider = max(other.prompt for other in (*chosen, line)) + max(
                other.limit for other in (*chosen, line)
            )
            if (len(chosen) + 1) * -(-wider // page) > self.server.pages:
                break
            chosen, length = [*chosen, line], wider
        if chosen:
            self.pool = PagePool.of(
                self.lm.config, page, self.server.pages
            )  # nothing is held: runs of pages begin at the first
        for line in chosen:
            self.queue.remove(line)
            self.batch.append(line)
            line.sequence = Sequence(self.pool)
            line.sequence.reserve(length)
            self._prefill(line, None, 0)

    def _lender(self, line: Line) -> tuple[Line | None, int]:
        """Whose pages hold most of a newcomer's first tokens, and how many. Less than a page is not worth a copy.

        The last token is read again, for its logits, unless the lender had the same prompt and kept them.
        """
        best, most = None, 0
        others = () if self.server.sharing == "none" else (*self.batch, *self.remembered)
        for other in others:
            common = _common(line.ids, other.ids[: other.sequence.length])
            whole = common == len(line.ids) == other.prompt
            if not whole:
                common = min(common, len(line.ids) - 1)
            if common > most and (whole or common >= self.server.page):
                best, most = other, common
        return best, most

    def _make_room(self) -> bool:
        """A slot for everyone's next token; the latest arrivals are evicted until there is. Whether nobody had to be."""
        room = True
        for line in list(self.batch):
            while line in self.batch and line.sequence.missing(1) > self.pool.free:
                if self.remembered:
                    self._forget()
                else:
                    self._evict(self.batch[-1])
                    room = False
            if line in self.batch:
                self._reserve(line, 1)
        return room

    def _reserve(self, line: Line, count: int) -> None:
        before = list(line.sequence.table)
        line.sequence.reserve(count)
        for old, new in zip(before, line.sequence.table):
            if old != new:
                self.events.append(Event("copy", line.number, (old, new)))

    def _evict(self, line: Line) -> None:
        """Out of the batch and back to the head of the queue; its pages are given up, its tokens are kept."""
        self.batch.remove(line)
        self._release("evict", line)
        line.state = "evicted"
        insort(self.queue, line, key=_order)

    def _forget(self) -> None:
        self._release("forget", self.remembered.pop(0))

    def _release(self, kind: str, line: Line) -> None:
        self.events.append(Event(kind, line.number, tuple(line.sequence.table)))
        line.sequence.release()

    def _prefill(self, line: Line, lender: Line | None, common: int) -> None:
        line.state, line.computed = "prefill", len(line.ids) - common
        if line.computed:
            logits = self.lm(torch.tensor([line.ids[common:]]), PagedCache(line.sequence))[0, -1]
        else:
            logits = lender.first
        if (
            line.first is None
        ):  # after an eviction the pass ends behind what was written, not behind the prompt
            line.first = logits
        self._write(line, logits)

    def _decode(self) -> None:
        """One pass for the whole batch; rows of a static batch that have ended go through it for nothing."""
        cache = PagedCache(*(line.sequence for line in self.batch))
        logits = self.lm(torch.tensor([line.ids[-1:] for line in self.batch]), cache)[:, -1]
        for line, row in zip(self.batch, logits):
            line.computed = 1
            if line.ended:
                line.state = "padding"
                line.sequence.length -= 1  # the same slot again next time
            else:
                line.state = "decode"
                self._write(line, row)

    def _write(self, line: Line, logits: Tensor) -> None:
        if self.watch:
            self.watch(line.number, logits)
        request = line.request
        token = next_token(logits, request.temperature, request.top_k, request.top_p, line.generator)
        if token != self.lm.tokenizer.end_of_text:
            line.ids.append(token)
            line.wrote = 1
        line.ended = not line.wrote or len(line.ids) - line.prompt == line.limit

    def _record(self, seconds: float) -> Step:
        page, holders = self.server.page, (*self.batch, *self.remembered)
        owners: list[list[int]] = [[] for _ in range(self.server.pages)]
        fill, used, held = ([0] * self.server.pages for _ in range(3))
        for line in holders:
            for place, number in enumerate(line.sequence.table):
                written = min(max(line.sequence.length - place * page, 0), page)
                owners[number].append(line.number)
                fill[number] = max(fill[number], written)
                if line.state in WRITING:
                    used[number] = max(used[number], written)
                if line.state != "finished":
                    held[number] = page
        seats = tuple(
            Seat(
                line.state,
                line.computed,
                line.shared,
                line.wrote,
                len(line.ids) - line.prompt,
                line.sequence.length,
                tuple(line.sequence.table),
            )
            for line in self.lines
        )
        return Step(
            seats, tuple(map(tuple, owners)), tuple(fill), sum(held), sum(used), tuple(self.events), seconds
        )


def _order(line: Line) -> tuple[int, int]:
    return line.request.arrival, line.number


def _common(one: list[int], other: list[int]) -> int:
    """How many leading ids two lists share."""
    return next((n for n, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
