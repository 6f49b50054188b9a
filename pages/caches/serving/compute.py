"""Everything the page Serving computes, cached: served requests, their speed, and the identities measured on them."""

from __future__ import annotations

import itertools
from dataclasses import replace

import streamlit as st

from tlmviz.checks import Check, caches_serving, measure
from tlmviz.checks.caches_requests import texts_are_those_alone
from tlmviz.decoding.serving import Run, Server, serve
from tlmviz.ui import compute
from tlmviz.ui.progress import Tell, Work, begin, going

from .controls import CONTINUOUS, STATIC, Choice

ROUNDS = 3  # of all servers in turn, to be timed
PATIENCE = 2.0  # seconds of one round up to which they are timed


def served(choice: Choice) -> Run:
    """The run of a choice's requests under the policy of its server; a bar shows how far it is."""
    count, server = len(choice.requests), choice.server
    return going(_serving, choice).wait(f"{choice.model} serves {count} requests, {server.policy} batching …")


@st.cache_resource(max_entries=32, show_spinner=False)
def _serving(choice: Choice) -> Work[Run]:
    lm, requests, server = choice.lm, choice.requests, choice.server
    most = sum(request.max_new_tokens for request in requests)

    def work(tell: Tell) -> Run:
        written = itertools.count(1)  # requests that end early, or are preempted, only make the bar jump
        return serve(lm, requests, server, lambda number, logits: tell(next(written) / most))

    return begin(work)


def runs(choice: Choice) -> dict[str, Run]:
    """Policy -> run: the same requests under both policies; a static batch shares nothing."""
    return {policy: served(under(choice, policy)) for policy in (CONTINUOUS, STATIC)}


def unshared(choice: Choice) -> Run:
    """The requests in a continuous batch without prefix sharing."""
    return served(with_server(choice, replace(choice.server, policy=CONTINUOUS, sharing="none")))


def under(choice: Choice, policy: str) -> Choice:
    """The same choice with its memory under a policy."""
    sharing = "none" if policy == STATIC else choice.server.sharing
    return with_server(choice, replace(choice.server, policy=policy, sharing=sharing))


def with_server(choice: Choice, server: Server) -> Choice:
    """The same requests on another server; the drawn policy is left out: one cache entry for each server."""
    return replace(choice, server=server, policy=CONTINUOUS)


@st.cache_data(max_entries=64, show_spinner=False)
def tokens_per_second(choices: tuple[Choice, ...]) -> list[list[float]] | None:
    """Each choice's tokens per second in every round, slowest first; None where a round takes longer than PATIENCE.

    The servers take turns, and the runs that the page shows count as their warm-up: other work meets all alike.
    """
    if sum(served(choice).totals().seconds for choice in choices) > PATIENCE:
        return None

    def turn() -> list[float]:
        runs = [serve(choice.lm, choice.requests, choice.server) for choice in choices]
        return [run.totals().tokens_per_second for run in runs]

    turns = [compute.run_in_worker(turn) for _ in range(ROUNDS)]
    return [sorted(each) for each in zip(*turns)]


@st.cache_resource(max_entries=32, show_spinner=False)
def checks(choice: Choice) -> list[Check]:
    """The identities of paged memory on the first prompt, and every text against what its prompt gets alone."""
    lm, trace = choice.lm, compute.trace(choice.model, choice.requests[0].prompt)
    both = tuple(runs(choice).values())

    def work() -> list[Check]:
        return [texts_are_those_alone(lm, both), *measure(caches_serving, lm, trace)]

    return compute.run_in_worker(work)
