"""Everything that the page Serving shows: requests, their runs under both policies, speeds and identities."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd
import streamlit as st

from tlmviz.checks import Check, caches_serving, measure
from tlmviz.checks.caches_requests import texts_are_those_alone, written_alone
from tlmviz.decoding.serving import Request, Run, Server, serve, validate
from tlmviz.decoding.serving_records import Totals, totals_table
from tlmviz.errors import BadShape, Error
from tlmviz.facades.language_model import LanguageModel
from tlmviz.ui import compute as computing
from tlmviz.ui.cached import cached
from tlmviz.ui.language import _
from tlmviz.ui.progress import Tell, Work, begin, going

from .state import CONTINUOUS, LATEST, LONGEST, STATIC, Serving

LETTERS = "ABCDEFGH"  # as many as there are colours
BEGINNING = re.compile(r"^(…|\.\.\.)")
ROUNDS = 3  # of all servers in turn, to be timed
PATIENCE = 2.0  # seconds of one round up to which they are timed
Requests = tuple[Request, ...]


@dataclass(frozen=True)
class Data:
    """What the page shows. What costs, and is shown below the picture or on request, is computed when it is asked
    for."""

    chosen: Serving
    given: int  # lines that were written
    letters: tuple[str, ...]  # of the requests that are served
    requests: Requests
    refused: tuple[tuple[str, Error], ...]  # letter and why, of those that are left out
    # Letter, tokens of the prompt, and tokens to write, of those that are cut short.
    short: tuple[tuple[str, int, int], ...]
    server: Server

    @property
    def lm(self) -> LanguageModel:
        return computing.model(self.chosen.model)

    @cached_property
    def runs(self) -> dict[str, Run]:
        """Policy -> run; a static batch shares nothing."""
        static = replace(self.server, policy=STATIC, sharing="none")
        return {server.policy: _served(self.chosen.model, self.requests, server) for server in (self.server, static)}

    @property
    def run(self) -> Run:
        """The run whose memory is drawn."""
        return self.runs[self.chosen.policy]

    @cached_property
    def compared(self) -> dict[str, Run]:
        """The runs side by side: with sharing, also the continuous one without it."""
        if self.server.sharing == "none":
            return self.runs
        unshared = _served(self.chosen.model, self.requests, replace(self.server, sharing="none"))
        return {CONTINUOUS: self.runs[CONTINUOUS], "unshared": unshared, STATIC: self.runs[STATIC]}

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row for each run of `compared`, with the columns of `Totals`."""
        return totals_table(self.compared).T

    @cached_property
    def totals(self) -> dict[str, Totals]:
        """Policy -> its run in numbers."""
        return {policy: run.totals() for policy, run in self.runs.items()}

    @property
    def speeds(self) -> list[list[float]] | None:
        """Tokens per second of each run of `compared` in every round, slowest first; None where that would take too
        long."""
        return tokens_per_second(self.chosen.model, self.requests, tuple(run.server for run in self.compared.values()))

    @cached(32)
    def checks(model: str, requests: Requests, server: Server) -> list[Check]:
        """The identities of paged memory on the first prompt, and every text against what its prompt gets alone."""
        lm, trace = computing.model(model), computing.trace(model, requests[0].prompt)
        static = replace(server, policy=STATIC, sharing="none")
        both = tuple(_served(model, requests, each) for each in (server, static))
        alone = _alone(model, requests)

        def work() -> list[Check]:
            return [texts_are_those_alone(lm, both, alone), *measure(caches_serving, lm, trace)]

        return computing.run_in_worker(work)


def compute(state: Serving) -> Data:
    """The data of a state. Raises BadShape for numbers that make no sense."""
    lm, server = computing.model(state.model), state.server
    written = [BEGINNING.sub(lambda found: state.text, line) for line in state.lines.splitlines() if line.strip()]
    accepted, refused, short = {}, [], []
    for letter, request in zip(LETTERS, _requests(state, written[: len(LETTERS)])):
        try:
            length = len(validate(lm, request, server))
        except Error as error:
            refused.append((letter, error))
            continue
        accepted[letter] = request
        if length + request.max_new_tokens > lm.config.context:
            short.append((letter, length, request.max_new_tokens))
    return Data(state, len(written), tuple(accepted), tuple(accepted.values()), tuple(refused), tuple(short), server)


def _requests(state: Serving, prompts: list[str]) -> list[Request]:
    counts = numbers(state.tokens, len(prompts), "tokens to write", 1, LONGEST)
    steps = numbers(state.arrivals, len(prompts), "steps of arrival", 0, LATEST)
    return [
        Request(prompt, count, step, state.temperature, state.seed + i)
        for i, (prompt, count, step) in enumerate(zip(prompts, counts, steps))
    ]


def numbers(text: str, count: int, what: str, least: int, most: int) -> list[int]:
    """Whole numbers from a list with commas, the last one repeated as needed. Raises BadShape."""
    parts = [part.strip() for part in re.split(r"[,;]", text) if part.strip()]
    if not parts:
        raise BadShape(
            "There are no {what}; give a number from {least} to {most} for all requests, or one for each.",
            what=what,
            least=least,
            most=most,
        )
    for part in parts:
        if not re.fullmatch(r"\d{1,9}", part) or not least <= int(part) <= most:
            raise BadShape(
                "The {what} hold “{part}”; give whole numbers from {least} to {most}, with commas.",
                what=what,
                part=part[:20],
                least=least,
                most=most,
            )
    return [int(parts[min(i, len(parts) - 1)]) for i in range(count)]


def _served(model: str, requests: Requests, server: Server) -> Run:
    """The run of these requests; a bar shows how far it is."""
    said = _(
        "{model} serves {count} requests, {policy} batching …", model=model, count=len(requests), policy=server.policy
    )
    return going(_serving, model, requests, server).wait(said)


@st.cache_resource(max_entries=32, show_spinner=False)
def _serving(model: str, requests: Requests, server: Server) -> Work[Run]:
    lm, most = computing.model(model), sum(request.max_new_tokens for request in requests)

    def work(tell: Tell) -> Run:
        written = itertools.count(1)  # requests that end early, or are preempted, only make the bar jump
        return serve(lm, requests, server, lambda number, logits: tell(next(written) / most))

    return begin(work)


@st.cache_data(max_entries=64, show_spinner=False)
def tokens_per_second(model: str, requests: Requests, servers: tuple[Server, ...]) -> list[list[float]] | None:
    """Each server's tokens per second in every round, slowest first; None where a round takes longer than PATIENCE.

    The servers take turns, and the runs that the page shows count as their warm-up: other work meets all alike.
    """
    lm = computing.model(model)
    if sum(_served(model, requests, server).totals().seconds for server in servers) > PATIENCE:
        return None

    def turn() -> list[float]:
        return [serve(lm, requests, server).totals().tokens_per_second for server in servers]

    turns = [computing.run_in_worker(turn) for _ in range(ROUNDS)]
    return [sorted(each) for each in zip(*turns)]


@st.cache_data(max_entries=32, show_spinner=False)
def _alone(model: str, requests: Requests) -> list[str]:
    """What each prompt gets alone, whatever the server."""
    return computing.run_in_worker(lambda: written_alone(computing.model(model), requests))
