"""What the view Flow shows: the matrices of a whole family, and passes with other Sinkhorn iterations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import streamlit as st

from pages.streams.mhc import data as page
from tlmviz.analysis.streams import iterations as analysis
from tlmviz.analysis.streams.iterations import Rerun
from tlmviz.analysis.streams.mixing import Mixing
from tlmviz.ui import compute as shared

COUNTS = (0, 1, 2, 3, 5, 10, 20)  # iterations behind the curves
NEW_TOKENS = 40
BUDGET = 700_000  # bytes of the matrices that the picture is sent


@dataclass(frozen=True)
class Data(page.Data):
    """The streams of every model of a family; the constrained one makes as many iterations as are chosen."""

    @property
    def constrained(self) -> str | None:
        """The model of the family that makes iterations."""
        return self.family.get("manifold")

    @property
    def trained(self) -> int:
        """Iterations that it was trained with."""
        return self.by(self.constrained or self.chosen.model).connection.iterations

    @property
    def iterations(self) -> int:
        return self.trained if self.chosen.iterations is None else self.chosen.iterations

    @cached_property
    def members(self) -> dict[str, Mixing]:
        """Connection -> matrices."""
        found = {kind: self.by(model).mixing for kind, model in self.family.items()}
        if self.constrained and self.iterations != self.trained:
            found["manifold"] = self.rerun(self.iterations).mixing
        return found

    @property
    def drawn(self) -> list[str]:
        """Connections of the models that are drawn, that of the model that reads first."""
        if self.chosen.shown in self.members:
            return [self.chosen.shown]
        return sorted(self.members, key=lambda kind: kind != self.connection.kind)

    @property
    def window(self) -> range:
        """The tokens that the picture is sent: of a long text the part that the token lies in."""
        each = sum(matrix[:, 0].nbytes for mixing in self.members.values() for matrix in vars(mixing).values())
        size = max(1, BUDGET // each)
        start = self.token - self.token % size
        return range(start, min(start + size, len(self.tokens)))

    def rerun(self, iterations: int) -> Rerun:
        """A pass of the constrained model with so many iterations."""
        return _rerun(self.constrained or "", self.chosen.text, iterations)

    def written(self, iterations: int) -> str:
        """What it writes behind the text with so many."""
        return _written(self.constrained or "", self.chosen.text, iterations)


@st.cache_resource(max_entries=64, show_spinner=False)
def _rerun(model: str, text: str, iterations: int) -> Rerun:
    lm = shared.model(model)
    return shared.run_in_worker(lambda: analysis.rerun(lm, text, iterations), shared.about(text))


@st.cache_data(max_entries=64, show_spinner=False)
def _written(model: str, text: str, iterations: int) -> str:
    lm = shared.model(model)
    return shared.run_in_worker(lambda: analysis.written(lm, text, iterations, NEW_TOKENS), shared.about(text))
