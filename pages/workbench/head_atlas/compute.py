"""Everything the page Head atlas computes, cached."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from tlmviz.analysis.workbench.survey import Survey, find
from tlmviz.checkpoints.folders import survey_folders
from tlmviz.checks import Check
from tlmviz.checks import workbench_survey as checks
from tlmviz.errors import UnknownName
from tlmviz.language_model import LanguageModel
from tlmviz.trace import Trace
from tlmviz.ui import compute as shared

from . import words
from .words import ONE

if TYPE_CHECKING:
    from .controls import Choice


def survey(name: str) -> Survey:
    """A survey by its name, as far as it goes. Raises UnknownName where it is gone, BadFile for what is none."""
    folder = survey_folders().get(name)
    if folder is None:
        raise UnknownName(words.no_survey(name[:60]))
    return _opened(folder, _stamp(folder))


def _stamp(folder: Path) -> tuple[float, int]:
    """What changes when a survey goes on."""
    times = [path.stat().st_mtime for path in folder.glob("*") if path.is_file()]
    return max(times, default=0.0), sum(1 for _ in (folder / "shards").glob("*.npz"))


@st.cache_resource(max_entries=8, show_spinner=False)
def _opened(folder: Path, stamp: tuple[float, int]) -> Survey:
    settings = Survey(folder).settings
    if Survey(folder).finished:
        found = Survey.open(folder)
        _ = found.heads
        return found
    lm = _reader(settings["model"], settings["layers"], settings["heads"])
    return Survey.so_far(folder, str if lm is None else lm.tokenizer.name)


def reader(name: str) -> LanguageModel | None:
    """The model that a survey is of; None where it is not here, or has other heads."""
    settings = survey(name).settings
    return _reader(settings["model"], settings["layers"], settings["heads"])


def _reader(model: str, layers: int, heads: int) -> LanguageModel | None:
    if model not in shared.models():
        return None
    lm = shared.model(model)
    return lm if (lm.config.n_layers, lm.config.n_heads) == (layers, heads) else None


@st.cache_resource(max_entries=64, show_spinner=False)
def matching(choice: Choice) -> np.ndarray:
    """Which heads the query names. Raises BadQuery."""
    return find(choice.found.heads, choice.query)


@dataclass(frozen=True, eq=False)
class Passage:
    """One of a head's top passages: what the survey says of it, and the pass over it where the model is here."""

    number: int
    value: float
    text: str
    source: str
    start: int
    trace: Trace | None = None
    weights: np.ndarray | None = None  # [T, T]
    row: int = 0  # where the statistic is largest


def tops(choice: Choice) -> list[Passage]:
    """The passages in which a head's statistic is largest, the largest first."""
    found = choice.found
    rows = found.tops
    rows = rows[
        (rows.layer == choice.head[0]) & (rows["head"] == choice.head[1]) & (rows.statistic == choice.by)
    ]
    texts = found.passages.set_index("passage")
    return [
        Passage(int(row.passage), float(row.value), str(text.text), str(text.source), int(text.start))
        for row in rows.sort_values("rank").itertuples()
        if row.passage in texts.index
        for text in [texts.loc[row.passage]]
    ]


def read(choice: Choice) -> Passage | None:
    """The chosen passage read by the survey's model; without a pass where it is not here, None where there is no passage."""
    passages = tops(choice)
    if not passages:
        return None
    chosen, lm = passages[min(choice.top, len(passages) - 1)], reader(choice.survey)
    if lm is None:
        return chosen
    text, _ = lm.fit(chosen.text)
    trace = shared.trace(choice.found.settings["model"], text)
    layer, head = choice.head

    def work() -> tuple[np.ndarray, int]:
        rows = trace.row_statistics()[choice.by][layer, head, 1:].float().numpy()
        return trace.attention(layer, head).float().numpy(), 1 + int(np.nan_to_num(rows, nan=-1.0).argmax())

    weights, row = shared.run_in_worker(work, len(trace))
    return Passage(**{**vars(chosen), "trace": trace, "weights": weights, "row": row})


def measured(choice: Choice) -> list[Check]:
    """One head's number of the passage that is shown, computed again now."""
    if choice.view != ONE:
        return []
    passage = read(choice)
    if passage is None or passage.trace is None:
        return []
    trace = passage.trace
    stored = [(choice.by, *choice.head, passage.value)]
    return shared.run_in_worker(lambda: [checks.survey_equals_pass(trace, stored)], len(trace))
