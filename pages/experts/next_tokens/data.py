"""Everything that the page Next tokens shows: chains of predictions, texts that are written, their speed, and the
identities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import pandas as pd
import streamlit as st
import torch

from tlmviz.analysis.experts import ahead
from tlmviz.analysis.experts.ahead import Chain
from tlmviz.checkpoints.folders import model_folder
from tlmviz.checks import Check, experts_ahead
from tlmviz.decoding.speculative import Speculation
from tlmviz.facades.language_model import LanguageModel
from tlmviz.figures import readable
from tlmviz.tokens import BROKEN, characters
from tlmviz.ui import compute as computing
from tlmviz.ui.cached import cached
from tlmviz.ui.link import SLOT

from .state import CHAINED, LONGEST, OWN, SMALLER, Ahead

PLAIN = "stories-mtp-plain"  # the twin that looks no further
LARGE, DRAFT = "stories-rope", "zoo-mqa"
ROUNDS = 3  # of the race
_RACE = f"{SLOT}ahead_race"  # session: what was raced, and its rounds: another visitor's noise is not shown to this one


@dataclass(frozen=True)
class Stage:
    """One prediction of a chain: the token that is read, three tokens with their probabilities, and whether the first
    is right; None behind the text's end."""

    reads: str
    top: tuple[tuple[str, float], ...]
    right: bool | None


@dataclass(frozen=True)
class Data:
    """What the page shows of a text: `text` and its tokens `ids` are what is read, `length` is what the whole has in
    tokens."""

    chosen: Ahead
    model: str
    text: str
    ids: tuple[int, ...]
    length: int

    @property
    def lm(self) -> LanguageModel:
        return computing.model(self.model)

    @property
    def draft(self) -> str | None:
        """The model that proposes; None where the model's own modules do."""
        return DRAFT if self.chosen.proposer == SMALLER else None

    def spelled(self, ids: tuple[int, ...] | list[int]) -> list[str]:
        """Each token as it stands in a text; one that spells nothing, or a part of a character, by its name."""
        return [_spelled(self.model, i) for i in ids]

    def joined(self, ids: tuple[int, ...]) -> list[str]:
        """The tokens of a text; of those that spell one character together, the first has it and the others are
        empty."""
        tokenizer, words = self.lm.tokenizer, self.spelled(ids)
        for each in characters(tokenizer, ids):
            if len(each) > 1:
                whole = tokenizer.decode(list(ids[each.start : each.stop]), continues=True)
                words[each.start : each.stop] = [whole, *[""] * (len(each) - 1)]
        return words

    def word(self, place: int) -> str:
        """The token at a place of the text; of one that is a part of a character, the character."""
        return next(text for text in reversed(self.joined(self.ids)[: place + 1]) if text)

    def chains_by(self, reads: str) -> list[Chain]:
        """The predictions from every position on, the modules reading OWN or GIVEN."""
        return _chains(self.model, self.ids, reads == OWN)

    @cached_property
    def stages(self) -> list[list[Stage]]:
        """The chain from every position on."""
        chains = self.chains_by(self.chosen.reads)
        return [
            [
                self._stage(read, ids, chances, place + depth + 1)
                for depth, (read, ids, chances) in enumerate(zip(chain.read, *_top(chain)))
            ]
            for place, chain in enumerate(chains)
        ]

    def _stage(self, read: int, ids: list[int], chances: list[float], follows: int) -> Stage:
        reads, *names = self.spelled([read, *ids])
        right = ids[0] == self.ids[follows] if follows < len(self.ids) else None
        return Stage(reads, tuple(zip(names, chances)), right)

    @cached_property
    def place(self) -> int:
        """The position looked at, from 0: the chosen one, or the last of those that are right the furthest."""
        if self.chosen.place:
            return min(self.chosen.place, len(self.ids)) - 1
        far = [next((k for k, stage in enumerate(each) if not stage.right), len(each)) for each in self.stages]
        return len(far) - 1 - far[::-1].index(max(far))

    def accuracy(self, reads: str) -> list[tuple[int, int]]:
        """Of each depth how many predictions were right on this text, and how many there were."""
        return ahead.accuracy(self.chains_by(reads), list(self.ids))

    @cached(32)
    def written(text: str, model: str, draft: str | None, count: int, temperature: float) -> Speculation:
        """The text that is written, and every pass. Raises BadText: too little of the context is left."""
        lm, other = computing.model(model), draft and computing.model(draft)
        return computing.run_in_worker(
            lambda: lm.speculate(text, count, other, temperature=temperature), computing.about(text)
        )

    @cached_property
    def step(self) -> int:
        """The pass looked at, from 0: the chosen one, or the first that writes the most."""
        passes = self.written.rounds
        if self.chosen.step:
            return min(self.chosen.step, len(passes)) - 1
        return max(range(len(passes)), key=lambda i: passes[i].accepted)

    @property
    def race(self) -> tuple[list[float], list[float]]:
        """Tokens per second on this server in some rounds by turns, slowest first: one token a pass, and with
        proposals."""
        key = self.text, self.model, self.draft, self.chosen.count, self.chosen.temperature
        kept = st.session_state.get(_RACE)
        if kept is None or kept[0] != key:
            lm, draft = self.lm, self.draft and computing.model(self.draft)
            rounds = computing.run_in_worker(
                lambda: ahead.race(lm, key[0], key[3], draft, key[4], ROUNDS), computing.about(key[0])
            )
            st.session_state[_RACE] = kept = key, rounds
        return kept[1]

    @staticmethod
    def forget_race() -> None:
        """Have the next look at a race run it."""
        st.session_state.pop(_RACE, None)

    @property
    def measured(self) -> pd.DataFrame:
        """What training measured on held-out stories."""
        return _measured(self.chosen.model)

    @property
    def checks(self) -> list[Check]:
        """The identities behind this page, on this text."""
        return _checks(self.model, self.text, self.draft if self.chosen.writing else None)


def _top(chain: Chain) -> tuple[list[list[int]], list[list[float]]]:
    """The ids of the three most probable tokens of each stage, and their probabilities."""
    top = torch.stack(chain.predicted).topk(3)
    return top.indices.tolist(), top.values.tolist()


@lru_cache(maxsize=8192)
def _spelled(model: str, token: int) -> str:
    tokenizer = computing.model(model).tokenizer
    text = tokenizer.decode([token], continues=True)
    return text if text and BROKEN not in text else readable(tokenizer.name(token))


def compute(chosen: Ahead) -> Data:
    """The data of a state. Raises BadText for an empty text."""
    model = LARGE if chosen.writing and chosen.proposer == SMALLER else chosen.model
    lm = computing.model(model)
    if not chosen.text:
        lm.encode("")  # says what is wrong with it
    ids, text = lm.tokenizer.encode(chosen.text, bos=True), chosen.text
    length = len(ids)
    if length > LONGEST and chosen.writing:  # what is written goes on from the end
        text = lm.tokenizer.decode(ids[1 - LONGEST :])
        ids = lm.tokenizer.encode(text, bos=True)
    elif length > LONGEST:
        ids = ids[:LONGEST]
        text = lm.tokenizer.decode(ids[1:])
    return Data(chosen, model, text, tuple(ids), length)


@st.cache_resource(max_entries=32, show_spinner=False)
def _chains(model: str, ids: tuple[int, ...], own: bool) -> list[Chain]:
    lm, made = computing.model(model), ahead.own_chains if own else ahead.given_chains
    return computing.run_in_worker(lambda: made(lm.network, list(ids)))


@st.cache_data(show_spinner=False)
def _measured(model: str) -> pd.DataFrame:
    return ahead.read_measured(model_folder(model))


@st.cache_resource(max_entries=32, show_spinner=False)
def _checks(model: str, text: str, draft: str | None) -> list[Check]:
    other = draft and computing.model(draft)

    def run() -> list[Check]:
        lm, read, _none = experts_ahead.proposing(computing.model(model), text)
        found = [experts_ahead.same_as_greedy(lm, read, other), experts_ahead.keeps_the_distribution(lm, read, other)]
        if other is None and model == CHAINED:
            found.append(experts_ahead.caches_change_nothing(lm, read, None))
        return found

    return computing.run_in_worker(run, computing.about(text))
