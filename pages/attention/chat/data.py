"""Everything that the page Chat shows: the rendered conversation, the pass over it, shares by role, replies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tlmviz.analysis.attention.roles import PARTIES, role_shares
from tlmviz.chat import Conversation
from tlmviz.checks import Check, attention
from tlmviz.tracing.trace import Trace
from tlmviz.ui import compute
from tlmviz.ui.cached import cached

from .state import ALL, REPLIES, Chat, Turns

LONGEST_REPLY = 60  # tokens


@dataclass(frozen=True)
class Data:
    """What the page shows."""

    chosen: Chat

    @cached(32)
    def conversation(model: str, turns: Turns) -> Conversation:
        """The turns in the model's chat template; a question is followed by what asks for an answer. Raises BadText."""
        messages = [{"role": role, "content": content} for role, content in turns]
        return compute.model(model).chat(messages, add_generation_prompt=turns[-1][0] == "user")

    @cached(16)
    def trace(model: str, turns: Turns) -> Trace:
        """One pass over it. Raises BadText where it is longer than the model's context."""
        ids = list(Data.conversation(model, turns).ids)

        def work() -> Trace:
            watched = compute.model(model).trace_ids(ids)
            watched.statistics()
            return watched

        return compute.run_in_worker(work, len(ids))

    @cached(32)
    def shares(model: str, turns: Turns, source: str) -> dict[str, np.ndarray]:
        """The share of each head's attention that goes to every role, {role: [L, H]}, from the tokens of the source."""
        watched, roles = Data.trace(model, turns), Data.conversation(model, turns).roles
        said = [i for i, role in enumerate(roles) if role == "assistant"]
        queries = {ALL: range(len(roles)), REPLIES: said}.get(source) or [len(roles) - 1]
        found = compute.run_in_worker(lambda: role_shares(watched, roles, list(queries)), len(roles))
        return {party: found.of(party).numpy() for party in PARTIES}

    @property
    def means(self) -> dict[str, float]:
        """The same of all heads together."""
        return {party: float(share.mean()) for party, share in self.shares.items()}

    @cached(32)
    def checks(model: str, turns: Turns) -> list[Check]:
        """What holds of any conversation's maps and shares."""
        lm, watched = compute.model(model), Data.trace(model, turns)
        roles = Data.conversation(model, turns).roles

        def work() -> list[Check]:
            return [
                attention.role_shares_sum_to_one(lm, watched, roles),
                attention.rows_sum_to_one(lm, watched),
                attention.lazy_map_is_softmax(lm, watched),
            ]

        return compute.run_in_worker(work, len(roles))

    def reply(self, seed: int) -> str:
        """What the model answers, drawn at a low temperature; the same seed gives the same answer."""
        asked, lm = self.conversation, compute.model(self.chosen.model)
        return compute.run_in_worker(lambda: lm.reply(asked, LONGEST_REPLY, temperature=0.3, seed=seed), len(asked.ids))
