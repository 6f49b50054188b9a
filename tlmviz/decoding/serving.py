"""A server's scheduler: many requests, one pool of pages, one pass per step (003 sections 4.3 and 4.5).

Requests join and leave the batch at any step (Orca, Yu et al. 2022). Their keys and values lie in pages that are
allocated when needed, shared where prompts have a common prefix, and copied before a shared one is written to. When
memory is short, the latest arrival is preempted by recompute: it gives its pages back, and later its prompt and what
it wrote pass through the network again (vLLM, Kwon et al. 2023). Finished requests may stay in a prefix cache, from
which the least recently used is evicted when pages are needed.
Within a step the running requests write a token each in one pass [B, 1]; then admitted requests are prefilled, a pass
each, and write their first. No request sees another's tokens: a row of the batch attends through its own block table.
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
from ..protocols import LanguageModelLike
from .sampling import next_token
from .serving_records import WRITING, Event, Request, RequestSnapshot, Run, Server, Step

LATEST = 10_000  # step at which a request may still arrive: idle steps are recorded too
# Called with a request's number, from 0, and the logits [V] that its next token is sampled from.
Watch = Callable[[int, Tensor], None]


def serve(
    lm: LanguageModelLike, requests: Iterable[Request], server: Server | None = None, watch: Watch | None = None
) -> Run:
    """Serve all requests to their ends. Each gets the text that `lm.generate` gives its prompt alone.

    Raises BadText (a prompt that is empty, or leaves no room in the context), BadShape (a count that makes no sense)
    and OutOfPages (a request that could not fit into memory even alone).
    """
    scheduler, steps = Scheduler(lm, requests, server or Server(), watch), []
    while not scheduler.finished:
        steps.append(scheduler.step())
    states = scheduler.requests
    prompts = tuple(tuple(state.ids[: state.prompt_length]) for state in states)
    answers = tuple(tuple(state.ids[state.prompt_length :]) for state in states)
    texts = tuple(lm.tokenizer.decode(answer) for answer in answers)
    return Run(scheduler.server, tuple(state.request for state in states), prompts, answers, texts, tuple(steps))


def validate(lm: LanguageModelLike, request: Request, server: Server) -> list[int]:
    """The ids of a request's prompt. Raises what `serve` raises for it, in a sentence about this request alone."""
    ids = lm.encode(request.prompt)
    if len(ids) == lm.config.context:
        raise BadText(f"This text has {len(ids):,} tokens, all that {lm.name} reads; shorten it, so that it can write.")
    if request.max_new_tokens < 1:
        raise BadShape(f"{request.max_new_tokens} tokens are to be written; ask for at least 1.")
    if not 0 <= request.arrival <= LATEST:
        raise BadShape(f"The arrival is step {request.arrival:,}; give one from 0 to {LATEST:,}.")
    if not 0 <= request.seed < 2**63:
        raise BadShape(f"The seed is {request.seed}; give a whole number from 0.")
    length = len(ids) + min(request.max_new_tokens, lm.config.context - len(ids))
    if length > server.slots:
        raise OutOfPages(
            f"Its prompt and answer take {length:,} positions and memory holds {server.slots:,} ({server.pages:,} "
            f"pages of {server.page:,}), so that it would never fit; write less or give more pages."
        )
    return ids


@dataclass(eq=False)
class RequestState:
    """A request in the scheduler: `ids` are its prompt and what it wrote; the three counts are of the current step."""

    number: int
    request: Request
    ids: list[int]
    prompt_length: int
    max_output: int
    generator: torch.Generator
    sequence: Sequence
    prompt_logits: Tensor | None = None  # [V], behind its prompt: of the same prompt, no token is computed again
    state: str = "absent"
    ended: bool = False
    num_computed_tokens: int = 0
    num_cached_tokens: int = 0
    new_tokens: int = 0


class Scheduler:
    """The state of a server between two steps. Raises what `serve` raises."""

    def __init__(self, lm: LanguageModelLike, requests: Iterable[Request], server: Server, watch: Watch | None = None):
        self.lm, self.server, self.watch = lm, server, watch
        self.pool = PagePool.of(lm.config, server.page, server.pages)
        self.requests = [self._new_state(number, request) for number, request in enumerate(requests)]
        if not self.requests:
            raise BadShape("There is no request to serve; give at least one.")
        # In the order of arrival; the prefix cache: least recently used first.
        self.waiting: list[RequestState] = []
        self.running: list[RequestState] = []
        self.prefix_cache: list[RequestState] = []
        self.now = 0
        self.events: list[Event] = []

    @property
    def finished(self) -> bool:
        """Whether every request has its text."""
        return all(state.ended for state in self.requests)

    @torch.inference_mode()
    def step(self) -> Step:
        """One step of the server, in which every running request writes a token."""
        start = time.perf_counter()
        self.events = []
        for state in self.requests:
            state.num_computed_tokens = state.num_cached_tokens = state.new_tokens = 0
        self._leave()
        self._arrive()
        static = self.server.policy == "static"
        nobody_preempted = static or self._allocate_for_decode()
        if self.running:
            self._decode()
        if static and not self.running:
            self._fill_batch()
        elif nobody_preempted and not static:
            self._admit()
        self.now += 1
        return self._record(time.perf_counter() - start)

    def _new_state(self, number: int, request: Request) -> RequestState:
        try:
            ids = validate(self.lm, request, self.server)
        except Error as error:
            raise type(error)(f"Request {number + 1}: {error}") from error
        max_output = min(request.max_new_tokens, self.lm.config.context - len(ids))
        generator = torch.Generator().manual_seed(request.seed)
        return RequestState(number, request, ids, len(ids), max_output, generator, Sequence(self.pool))

    def _arrive(self) -> None:
        for state in self.requests:
            if state.state == "absent" and state.request.arrival <= self.now:
                state.state = "waiting"
                insort(self.waiting, state, key=_order)

    def _leave(self) -> None:
        """Requests that have ended free their pages or enter the prefix cache; a static batch waits for its last."""
        if self.server.policy == "static" and not all(state.ended for state in self.running):
            return
        for state in [state for state in self.running if state.ended]:
            self.running.remove(state)
            state.state = "finished"
            if self.server.sharing == "cached" and self.server.policy == "continuous":
                self.prefix_cache.append(state)
            else:
                self._free("finish", state)

    def _admit(self) -> None:
        """Admit waiting requests, first come, first served, while there are rows and pages."""
        while self.waiting and len(self.running) < self.server.batch:
            state = self.waiting[0]
            donor, n_cached = self._prefix_match(state)
            state.sequence = donor.sequence.prefix(n_cached) if donor else Sequence(self.pool)
            n_new = len(state.ids) - n_cached
            while state.sequence.missing(n_new) > self.pool.free and self.prefix_cache:
                self._evict()
            if state.sequence.missing(n_new) > self.pool.free:
                state.sequence.release()
                return
            self.waiting.pop(0)
            insort(self.running, state, key=_order)
            if donor:
                state.num_cached_tokens = n_cached
                pages = tuple(state.sequence.table)
                self.events.append(Event("share", state.number, pages, donor.number, n_cached))
            if donor in self.prefix_cache:  # most recently used now
                self.prefix_cache.append(self.prefix_cache.pop(self.prefix_cache.index(donor)))
            self._allocate(state, n_new)
            self._prefill(state, donor, n_cached)

    def _fill_batch(self) -> None:
        """A static batch: those that have arrived, while rows as long as the longest prompt and longest answer fit."""
        page, length = self.server.page, 0
        batch: list[RequestState] = []
        for state in self.waiting[: self.server.batch]:
            longest_prompt = max(other.prompt_length for other in (*batch, state))
            longest_output = max(other.max_output for other in (*batch, state))
            row = longest_prompt + longest_output
            if (len(batch) + 1) * -(-row // page) > self.server.pages:
                break
            batch, length = [*batch, state], row
        if batch:  # nothing is allocated: in a new pool, runs of pages begin at the first
            self.pool = PagePool.of(self.lm.config, page, self.server.pages)
        for state in batch:
            self.waiting.remove(state)
            self.running.append(state)
            state.sequence = Sequence(self.pool)
            state.sequence.reserve(length)
            self._prefill(state, None, 0)

    def _prefix_match(self, state: RequestState) -> tuple[RequestState | None, int]:
        """The prefix-match donor, whose pages hold most of a request's first tokens, and how many they hold.

        Less than a page is not worth a copy. The last token is computed again, for its logits, unless the donor had
        the same prompt and kept them.
        """
        best, longest = None, 0
        donors = () if self.server.sharing == "none" else (*self.running, *self.prefix_cache)
        for donor in donors:
            common = _common_prefix(state.ids, donor.ids[: donor.sequence.length])
            same_prompt = common == len(state.ids) == donor.prompt_length
            if not same_prompt:
                common = min(common, len(state.ids) - 1)
            if common > longest and (same_prompt or common >= self.server.page):
                best, longest = donor, common
        return best, longest

    def _allocate_for_decode(self) -> bool:
        """A slot for every running request's next token. Whether no request had to be preempted for it."""
        nobody_preempted = True
        for state in list(self.running):
            while state in self.running and state.sequence.missing(1) > self.pool.free:
                if self.prefix_cache:
                    self._evict()
                else:
                    self._preempt(self.running[-1])
                    nobody_preempted = False
            if state in self.running:
                self._allocate(state, 1)
        return nobody_preempted

    def _allocate(self, state: RequestState, count: int) -> None:
        before = list(state.sequence.table)
        state.sequence.reserve(count)
        for old, new in zip(before, state.sequence.table):
            if old != new:
                self.events.append(Event("copy", state.number, (old, new)))

    def _preempt(self, state: RequestState) -> None:
        """Preemption by recompute: back to the head of the queue; its pages are freed, its tokens are kept."""
        self.running.remove(state)
        self._free("preempt", state)
        state.state = "preempted"
        insort(self.waiting, state, key=_order)

    def _evict(self) -> None:
        """Free the pages of the least recently used request in the prefix cache."""
        self._free("evict", self.prefix_cache.pop(0))

    def _free(self, kind: str, state: RequestState) -> None:
        self.events.append(Event(kind, state.number, tuple(state.sequence.table)))
        state.sequence.release()

    def _prefill(self, state: RequestState, donor: RequestState | None, n_cached: int) -> None:
        state.state, state.num_computed_tokens = "prefill", len(state.ids) - n_cached
        if state.num_computed_tokens:
            logits = self.lm(torch.tensor([state.ids[n_cached:]]), PagedCache(state.sequence))[0, -1]
        else:
            assert donor is not None and donor.prompt_logits is not None  # the donor had the same prompt
            logits = donor.prompt_logits
        if state.prompt_logits is None:  # after a preemption the pass ends behind what was written instead
            state.prompt_logits = logits
        self._write(state, logits)

    def _decode(self) -> None:
        """One pass for the whole batch; rows of a static batch that have ended go through it as padding."""
        cache = PagedCache(*(state.sequence for state in self.running))
        logits = self.lm(torch.tensor([state.ids[-1:] for state in self.running]), cache)[:, -1]
        for state, row in zip(self.running, logits):
            state.num_computed_tokens = 1
            if state.ended:
                state.state = "padding"
                state.sequence.length -= 1  # the same slot again next time
            else:
                state.state = "decode"
                self._write(state, row)

    def _write(self, state: RequestState, logits: Tensor) -> None:
        if self.watch:
            self.watch(state.number, logits)
        request = state.request
        token = next_token(logits, request.temperature, request.top_k, request.top_p, state.generator)
        if token not in self.lm.tokenizer.ends:
            state.ids.append(token)
            state.new_tokens = 1
        state.ended = not state.new_tokens or len(state.ids) - state.prompt_length == state.max_output

    def _record(self, seconds: float) -> Step:
        page = self.server.page
        owners: list[list[int]] = [[] for _ in range(self.server.pages)]
        fill, occupied, allocated = ([0] * self.server.pages for _ in range(3))
        for state in (*self.running, *self.prefix_cache):
            for logical, physical in enumerate(state.sequence.table):
                filled = min(max(state.sequence.length - logical * page, 0), page)
                owners[physical].append(state.number)
                fill[physical] = max(fill[physical], filled)
                if state.state in WRITING:
                    occupied[physical] = max(occupied[physical], filled)
                if state.state != "finished":
                    allocated[physical] = page
        return Step(
            tuple(map(_snapshot, self.requests)),
            tuple(map(tuple, owners)),
            tuple(fill),
            sum(allocated),
            sum(occupied),
            tuple(self.events),
            seconds,
        )


def _snapshot(state: RequestState) -> RequestSnapshot:
    return RequestSnapshot(
        state.state,
        state.num_computed_tokens,
        state.num_cached_tokens,
        state.new_tokens,
        len(state.ids) - state.prompt_length,
        state.sequence.length,
        tuple(state.sequence.table),
    )


def _order(state: RequestState) -> tuple[int, int]:
    return state.request.arrival, state.number


def _common_prefix(first: list[int], second: list[int]) -> int:
    """How many leading ids two lists share."""
    return next((n for n, (a, b) in enumerate(zip(first, second)) if a != b), min(len(first), len(second)))
