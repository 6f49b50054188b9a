"""Everything that the page Chat shows: the rendered conversation, the pass over it, shares by role, replies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from tlmviz.analysis.attention.roles import PARTIES, role_shares
from tlmviz.chat import Conversation
from tlmviz.checks import Check, attention
from tlmviz.tracing.trace import Trace
from tlmviz.ui.compute import model, run_in_worker

from .state import ALL, REPLIES, Chat, Turns

LONGEST_REPLY = 60  # tokens


@dataclass(frozen=True)
class Data:
    """What the page shows."""

    chosen: Chat

    @property
    def conversation(self) -> Conversation:
        """The conversation in the model's template."""
        return conversation(self.chosen.model, self.chosen.turns)

    @property
    def trace(self) -> Trace:
        """The pass over it."""
        return trace(self.chosen.model, self.chosen.turns)

    @property
    def shares(self) -> dict[str, np.ndarray]:
        """The share of each head's attention that goes to every role, {role: [L, H]}."""
        return shares(self.chosen.model, self.chosen.turns, self.chosen.source)

    @property
    def means(self) -> dict[str, float]:
        """The same of all heads together."""
        return {party: float(share.mean()) for party, share in self.shares.items()}

    @property
    def checks(self) -> list[Check]:
        """What holds of any conversation's maps and shares."""
        return _checks(self.chosen.model, self.chosen.turns)


def compute(chosen: Chat) -> Data:
    """The data of a state."""
    return Data(chosen)


@st.cache_resource(max_entries=32, show_spinner=False)
def conversation(name: str, turns: Turns) -> Conversation:
    """The turns in the model's chat template; a question is followed by what asks for an answer. Raises BadText."""
    messages = [{"role": role, "content": content} for role, content in turns]
    return model(name).chat(messages, add_generation_prompt=turns[-1][0] == "user")


@st.cache_resource(max_entries=16, show_spinner=False)
def trace(name: str, turns: Turns) -> Trace:
    """One pass over a conversation. Raises BadText where it is longer than the model's context."""
    ids = list(conversation(name, turns).ids)

    def work() -> Trace:
        watched = model(name).trace_ids(ids)
        watched.statistics()
        return watched

    return run_in_worker(work, len(ids))


@st.cache_data(max_entries=32, show_spinner=False)
def shares(name: str, turns: Turns, source: str) -> dict[str, np.ndarray]:
    """The share of each head's attention that goes to every role, {role: [L, H]}, from the tokens of a source."""
    watched, roles = trace(name, turns), conversation(name, turns).roles
    said = [i for i, role in enumerate(roles) if role == "assistant"]
    queries = {ALL: range(len(roles)), REPLIES: said}.get(source) or [len(roles) - 1]
    found = run_in_worker(lambda: role_shares(watched, roles, list(queries)), len(roles))
    return {party: found.of(party).numpy() for party in PARTIES}


@st.cache_data(max_entries=32, show_spinner=False)
def _checks(name: str, turns: Turns) -> list[Check]:
    lm, watched, roles = model(name), trace(name, turns), conversation(name, turns).roles

    def work() -> list[Check]:
        return [
            attention.role_shares_sum_to_one(lm, watched, roles),
            attention.rows_sum_to_one(lm, watched),
            attention.lazy_map_is_softmax(lm, watched),
        ]

    return run_in_worker(work, len(roles))


def reply(name: str, turns: Turns, seed: int) -> str:
    """What the model answers, drawn at a low temperature; the same seed gives the same answer."""
    asked, lm = conversation(name, turns), model(name)
    return run_in_worker(lambda: lm.reply(asked, LONGEST_REPLY, temperature=0.3, seed=seed), len(asked.ids))
