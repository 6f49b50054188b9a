"""Everything that the page Why it looks there shows: one weight taken apart, the path to it, and pairs of heads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st
import torch

from tlmviz.analysis.workbench import following
from tlmviz.analysis.workbench.composition import composition
from tlmviz.analysis.workbench.explaining import Explanation, explain
from tlmviz.analysis.workbench.following import Step
from tlmviz.checks import Check, workbench_explaining
from tlmviz.ui import compute as shared
from tlmviz.ui import link
from tlmviz.ui.cached import cached
from tlmviz.ui.compute import run_in_worker
from tlmviz.ui.language import _

from .state import Why

FEW = 9  # sources a side, beside all others
TOKENS = 160  # of a map


@dataclass(frozen=True)
class Data(shared.TextRead):
    """What the page shows; what a view does not show is not computed."""

    chosen: Why

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        """The pinned weight and what is followed from it, up to the first step that leads on from none."""
        trace, steps = self.trace, [self.chosen.first]
        for step in (Step(*place) for place in self.chosen.path):
            last = steps[-1]
            leads = step.layer < last.layer and step.head < trace.n_heads and step.query in (last.query, last.key)
            if not leads or step.key not in following.visible_keys(trace, step.layer, step.head, step.query):
                break
            steps.append(step)
        return tuple(steps)

    @property
    def at(self) -> int:
        """Which step is shown."""
        return min(self.chosen.at, len(self.steps) - 1)

    @property
    def step(self) -> Step:
        """The step that is shown."""
        return self.steps[self.at]

    @property
    def head(self) -> tuple[int, int]:
        """Its layer and head."""
        return self.step.layer, self.step.head

    @cached(32)
    def found(model: str, text: str, step: Step) -> Explanation:
        """Its weight taken apart."""
        lm, trace = shared.model(model), shared.trace(model, text)
        return run_in_worker(lambda: explain(lm, trace, step.layer, step.head, step.query, step.key), len(trace))

    @cached(64)
    def weights(model: str, text: str, head: tuple[int, int]) -> np.ndarray:
        """Its head's weights [T, T]."""
        trace = shared.trace(model, text)
        return run_in_worker(lambda: trace.attention(*head).float().numpy(), len(trace))

    @property
    def places(self) -> list[int]:
        """The positions that the map shows: all of a short text, else those around the key and the query."""
        count, step = len(self.found.tokens), self.step
        if count <= TOKENS:
            return list(range(count))
        near = sorted(range(count), key=lambda at: min(abs(at - step.query), abs(at - step.key)))
        return sorted(near[:TOKENS])

    @cached_property
    def folded(self) -> tuple[list[str], list[str], np.ndarray]:
        """Sources at the query, sources at the key, and what each pair gives: the largest and the sum of others, or
        all."""
        found = self.found
        rows, columns, values = following.folded(
            found.names, found.scores, len(found.names) if self.chosen.every else FEW
        )
        return rows, columns, values.numpy()

    def reads(self, names: list[str], position: int) -> dict[str, tuple[int, float]]:
        """Of each head among sources: the key that it reads most from a position, and its weight there."""
        found, trace = {}, self.trace
        for name in names:
            if head := following.head_of(name):
                key = following.most_read(trace, *head, position)
                weight = trace.attention(*head, slice(position, position + 1), slice(key, key + 1))
                found[name] = key, float(weight)
        return found

    @cached(4)
    def pairs(model: str) -> dict[str, np.ndarray]:
        """Composition scores of all pairs of heads. Raises BadShape for latent attention."""
        lm = shared.model(model)

        def work() -> dict[str, np.ndarray]:
            return {kind: found.numpy() for kind, found in composition(lm).items()}

        with st.spinner(_("Multiplying the matrices of all heads …"), show_time=True):
            return run_in_worker(work, shared.SHORT + 1)  # large matrices: all cores

    @cached(64)
    def checks(model: str, text: str, step: Step) -> list[Check]:
        """The identity behind this page, on the weight that is shown."""
        lm, trace = shared.model(model), shared.trace(model, text)
        place = [(step.layer, step.head, step.query, step.key)]
        with torch.inference_mode():
            return run_in_worker(lambda: [workbench_explaining.sources_add_up(lm, trace, place)], len(trace))

    @cached(32)
    def striking(model: str, text: str) -> Step:
        """The weight that is most worth explaining."""
        lm, trace = shared.model(model), shared.trace(model, text)
        return run_in_worker(lambda: following.striking(lm, trace), len(trace))

    @property
    def pinned(self) -> Step:
        """The weight that is pinned on all pages; a key that the query does not see gives way to the one that the head
        reads most."""
        trace, (layer, head, query, key) = self.trace, self.chosen.pin
        view = link.View(head=(layer, head), query=query, key=key).fitted(trace.n_layers, trace.n_heads, len(trace))
        query = len(trace) - 1 if view.query is None else view.query
        if view.key is None or view.key not in following.visible_keys(trace, *view.head, query):
            return Step(*view.head, query, following.most_read(trace, *view.head, query))
        return Step(*view.head, query, view.key)

    def opened(self, pair: tuple[str, str]) -> tuple[Step, Step] | None:
        """A pair of heads on the text: the reader's plainest weight, and from there the writer; None of what are no
        such heads."""
        trace = self.trace
        heads = [following.head_of(name) for name in pair]
        if not all(head and head[0] < trace.n_layers and head[1] < trace.n_heads for head in heads):
            return None
        step = self._plainest(heads[1])
        return step, following.follow(trace, pair[0], step.query if self.chosen.kind == "q" else step.key)

    def _plainest(self, head: tuple[int, int]) -> Step:
        """The largest weight of a head that is on neither the first token nor the query's own."""
        weights = np.array(Data.weights(self.chosen.model, self.chosen.text, head))
        weights[:, 0] = -1
        np.fill_diagonal(weights, -1)
        query, key = divmod(int(weights.argmax()), len(weights))
        if weights[query, key] <= 0:  # too short a text
            query = key = len(weights) - 1
        return Step(*head, query, key)
