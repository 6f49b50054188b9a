"""Everything that the page Doctor shows: both runs examined, what the doctor says of them, and what it is seen by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tlmviz.analysis.workbench.comparing import check_vocabulary
from tlmviz.analysis.workbench.doctor import Diagnosis
from tlmviz.analysis.workbench.doctor.diagnosis import examine
from tlmviz.analysis.workbench.doctor.presets import PRESETS, Pair
from tlmviz.analysis.workbench.doctor.proof import Proof, proof, steps_table
from tlmviz.analysis.workbench.faults import injected
from tlmviz.checks import Check, measure, workbench_doctor
from tlmviz.errors import UnknownName
from tlmviz.facades.language_model import LanguageModel
from tlmviz.tracing.trace import Trace
from tlmviz.tracing.trace_file import TraceFile
from tlmviz.ui import compute as computing
from tlmviz.ui.cached import cached

from .state import INJECTED, MODELS, TWO_WAYS, Doctor

MOST = 128  # tokens that are read: every tensor of both runs is held meanwhile


@dataclass(frozen=True, eq=False)
class Found:
    """What the doctor says of two runs, and what it is seen by; `proof` is None where they read other tokens.

    `errors` [L + 2, P] are those of the steps `names`, `first` the row and column of the first that stands out, `off`
    how many do; `kl` is how far the predictions are apart, in nats in the mean over tokens, None where a run has none;
    `length` is that of the whole text in tokens, of which `read` were read.
    """

    said: Diagnosis
    asked: bool  # whether the parts of A's network were asked one by one; of a file there is none
    names: list[str]
    errors: np.ndarray
    first: tuple[int, int] | None
    off: int
    kl: float | None
    proof: Proof | None
    layers: int
    read: int
    length: int

    @property
    def steps(self) -> int:
        """How many steps were examined."""
        return int((~np.isnan(self.errors)).sum())


@dataclass(frozen=True)
class Data:
    """Two runs. Raises Error for runs that cannot be laid over each other, and ways that a model has not."""

    chosen: Doctor

    @property
    def key(self) -> tuple:
        """What of the state a view's runs depend on, beside model and text."""
        chosen = self.chosen
        return {INJECTED: (chosen.fault, chosen.layer, chosen.size), TWO_WAYS: (chosen.way,), MODELS: (chosen.other,)}[
            chosen.view
        ]

    @cached(24)
    def found(view: str, model: str, text: str, key: tuple) -> Found:
        """What the doctor says of them."""

        def work() -> Found:
            return examined(*RUNS[view](computing.model(model), text, *key))

        return computing.run_in_worker(work, computing.about(text))

    @cached(24)
    def checks(model: str, text: str) -> list[Check]:
        """The doctor's identities on the model that is right; none of a file, which cannot run again."""
        lm = computing.model(model)
        if isinstance(lm, TraceFile):
            return []
        ids, _length = _read(lm, text)

        def work() -> list[Check]:
            return measure(workbench_doctor, lm, lm.trace_ids(ids))

        return computing.run_in_worker(work, computing.about(text))


def examined(pair: Pair, length: int) -> Found:
    """What the doctor says of two runs of a text of so many tokens."""
    said, evidence = examine(*pair)
    layers, read = pair.a.n_layers, len(pair.a)
    if evidence is None:
        empty = np.zeros((layers + 2, 0))
        return Found(said, False, [], empty, None, 0, None, None, layers, read, length)
    names, errors = steps_table(evidence)
    first = None
    if said.step is not None:
        part = said.step.split(".", 2)[2] if said.layer is not None else said.step
        row = said.layer + 1 if said.layer is not None else 0 if said.step == "embed" else layers + 1
        first = row, names.index(part)
    off = sum(evidence.stands_out(step) for step in evidence.steps)
    seen = proof(evidence, said)
    return Found(said, evidence.asked, names, errors, first, off, _apart(pair), seen, layers, read, length)


def _apart(pair: Pair) -> float | None:
    """Mean KL from the first run's predictions to the second's, in nats; None where a file has no logits."""
    if any("logits" not in trace.tap_names for trace in (pair.a, pair.b)):
        return None
    p, q = (trace.logits.double().log_softmax(-1) for trace in (pair.a, pair.b))
    return float((p.exp() * (p - q)).sum(-1).mean()) if p.shape == q.shape else None


def _read(lm: LanguageModel, text: str) -> tuple[list[int], int]:
    """The tokens that are read, and how many the whole text has."""
    part, length = lm.fit(text)
    ids = lm.encode(part)
    return ids[:MOST], max(length, len(ids))


def _with_fault(lm: LanguageModel, text: str, fault: str, layer: int, size: float) -> tuple[Pair, int]:
    ids, length = _read(lm, text)
    return Pair(lm.trace_ids(ids), injected(lm, fault, layer, size).trace_ids(ids)), length


def _another_way(lm: LanguageModel, text: str, way: str) -> tuple[Pair, int]:
    ids, length = _read(lm, text)
    return PRESETS[way](lm, ids), length


def _of_two(lm: LanguageModel | TraceFile, text: str, other: str) -> tuple[Pair, int]:
    """Runs of two models or files; a model beside a file reads the file's tokens."""
    lms = lm, computing.model(other)
    file = next((each for each in lms if isinstance(each, TraceFile)), None)
    if file is not None:
        ids, length = file.saved.ids, len(file.saved)
    else:
        ids, length = _read(lm, text)
        check_vocabulary(*lms)
    return Pair(*(_run(each, ids) for each in lms)), length


def _run(lm: LanguageModel | TraceFile, ids: list[int]) -> Trace:
    if isinstance(lm, TraceFile):
        return lm.saved
    if max(ids) >= lm.config.vocab_size:
        raise UnknownName(
            "{name} knows {known:,} tokens, and the file has token {token:,}: compare runs of one vocabulary.",
            name=lm.name,
            known=lm.config.vocab_size,
            token=max(ids),
        )
    return lm.trace_ids(ids)


RUNS: dict[str, Callable[..., tuple[Pair, int]]] = {INJECTED: _with_fault, TWO_WAYS: _another_way, MODELS: _of_two}
