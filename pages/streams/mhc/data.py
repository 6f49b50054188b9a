"""What all views of the page mHC show: the mixing matrices of a text, related models, and the identities."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from tlmviz.analysis.streams import mixing as analysis
from tlmviz.analysis.streams.depth import relatives
from tlmviz.analysis.streams.mixing import Mixing
from tlmviz.checks import Check, measure
from tlmviz.checks import streams as stream_checks
from tlmviz.config import CONNECTIONS, ConnectionConfig
from tlmviz.ui import compute as shared
from tlmviz.ui.cached import cached

from .state import Streams


@dataclass(frozen=True)
class Data(shared.TextRead):
    """A model, the text that it reads, and where in it one looks."""

    chosen: Streams

    def by(self, model: str) -> Self:
        """The same of another model."""
        return replace(self, chosen=replace(self.chosen, model=model))

    @property
    def connection(self) -> ConnectionConfig:
        return self.lm.config.connection

    @property
    def tokens(self) -> list[str]:
        return self.trace.tokens

    @cached_property
    def sublayers(self) -> list[str]:
        """Names of the sublayers [P]: attention 0, MLP 0, attention 1 and so on."""
        return analysis.sublayers(self.lm.config.n_layers)

    @property
    def token(self) -> int:
        """The token looked at, the same in every view."""
        last, token = len(self.tokens) - 1, self.chosen.token
        return last if token is None else min(token, last)

    @property
    def sublayer(self) -> int:
        return min(self.chosen.sublayer, len(self.sublayers) - 1)

    @cached(16)
    def family(model: str) -> dict[str, str]:
        """Connection -> name, of the models that differ from this one in their connections alone."""
        return relatives(model)

    @property
    def missing(self) -> list[str]:
        """Kinds of connection that the family lacks."""
        return [kind for kind in CONNECTIONS if kind not in self.family]

    @property
    def most_streams(self) -> int:
        """The largest number of streams in the family."""
        return max(shared.model(each).config.connection.streams for each in self.family.values())

    @cached(16)
    def mixing(model: str, text: str) -> Mixing:
        """The matrices of every sublayer at every token."""
        trace = shared.trace(model, text)
        return shared.run_in_worker(lambda: analysis.mixing_of(trace), shared.about(text))

    @cached(64)
    def checks(model: str, text: str) -> list[Check]:
        """The identities of the model's connections, measured on the text."""
        lm, trace = shared.model(model), shared.trace(model, text)
        return shared.run_in_worker(lambda: measure(stream_checks, lm, trace), shared.about(text))
