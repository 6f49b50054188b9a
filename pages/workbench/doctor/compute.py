"""Everything the page Doctor computes, cached: both runs, and what the doctor says of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import streamlit as st

from tlmviz.analysis.workbench.comparing import check_vocabulary
from tlmviz.analysis.workbench.doctor import Diagnosis
from tlmviz.analysis.workbench.doctor.diagnosis import examine
from tlmviz.analysis.workbench.doctor.presets import PRESETS, Pair
from tlmviz.analysis.workbench.doctor.proof import Proof, proof, steps_table
from tlmviz.errors import UnknownName
from tlmviz.language_model import LanguageModel
from tlmviz.trace import Trace
from tlmviz.trace_file import TraceFile
from tlmviz.ui import compute as shared

from . import words
from .controls import INJECTED, MODELS, TWO_WAYS, Choice
from .faults import injected

MOST = 128  # tokens that are read: every tensor of both runs is held meanwhile


@dataclass(frozen=True, eq=False)
class Found:
    """What the doctor says of two runs, and what it is seen by; `proof` is None where they read other tokens.

    `errors` [L + 2, P] are those of the steps `names`, `first` the row and column of the first that stands out; `length` is that
    of the whole text in tokens, of which `read` were read.
    """

    said: Diagnosis
    names: list[str]
    errors: np.ndarray
    first: tuple[int, int] | None
    proof: Proof | None
    layers: int
    read: int
    length: int


@st.cache_resource(max_entries=24, show_spinner=False)
def found(choice: Choice) -> Found:
    """Both runs examined. Raises Error for runs that cannot be laid over each other, and ways that a model has not."""

    def work() -> Found:
        pair, length = RUNS[choice.view](choice)
        said, evidence = examine(*pair)
        layers, read = pair.a.n_layers, len(pair.a)
        if evidence is None:
            return Found(said, [], np.zeros((layers + 2, 0)), None, None, layers, read, length)
        names, errors = steps_table(evidence)
        first = None
        if said.step is not None:
            part = said.step.split(".", 2)[2] if said.layer is not None else said.step
            row = said.layer + 1 if said.layer is not None else 0 if said.step == "embed" else layers + 1
            first = row, names.index(part)
        return Found(said, names, errors, first, proof(evidence, said), layers, read, length)

    return shared.run_in_worker(work, shared.about(choice.text))


def _read(lm: LanguageModel, text: str) -> tuple[list[int], int]:
    """The tokens that are read, and how many the whole text has."""
    part, length = lm.fit(text)
    ids = lm.encode(part)
    return ids[:MOST], max(length, len(ids))


def _with_fault(choice: Choice) -> tuple[Pair, int]:
    ids, length = _read(choice.lm, choice.text)
    bad = injected(choice.lm, choice.fault, choice.layer, choice.value)
    return Pair(choice.lm.trace_ids(ids), bad.trace_ids(ids)), length


def _another_way(choice: Choice) -> tuple[Pair, int]:
    ids, length = _read(choice.lm, choice.text)
    return PRESETS[choice.way](choice.lm, ids), length


def _of_two(choice: Choice) -> tuple[Pair, int]:
    """Runs of two models or files; a model beside a file reads the file's tokens."""
    lms = choice.lm, shared.model(choice.other)
    file = next((lm for lm in lms if isinstance(lm, TraceFile)), None)
    if file is not None:
        ids, length = file.saved.ids, len(file.saved)
    else:
        ids, length = _read(lms[0], choice.text)
        check_vocabulary(*lms)
    return Pair(*(_run(lm, ids) for lm in lms)), length


def _run(lm: LanguageModel | TraceFile, ids: list[int]) -> Trace:
    if isinstance(lm, TraceFile):
        return lm.saved
    if max(ids) >= lm.config.vocab_size:
        raise UnknownName(words.unknown_token(lm.name, lm.config.vocab_size, max(ids)))
    return lm.trace_ids(ids)


RUNS: dict[str, Callable[[Choice], tuple[Pair, int]]] = {
    INJECTED: _with_fault,
    TWO_WAYS: _another_way,
    MODELS: _of_two,
}
