"""Everything pages compute, cached and one at a time.

Traces are shared, read-only objects: they are made in inference mode and never copied.
"""

from __future__ import annotations

import functools
import gc
import importlib
import math
import os
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
import streamlit as st
import torch
from streamlit.runtime.scriptrunner import get_script_run_ctx

import tlmviz
from tlmviz.analysis.attention import tags
from tlmviz.analysis.attention.interventions import combine, mute_heads, scale_scores
from tlmviz.analysis.attention.tags import tag_heads
from tlmviz.checkpoints import registry, sizes
from tlmviz.checkpoints.folders import added_models
from tlmviz.config import ModelConfig
from tlmviz.errors import BadCheckpoint
from tlmviz.facades.language_model import LanguageModel
from tlmviz.tracing.trace import Trace
from tlmviz.ui import texts

from .components.attention_view import encode_overview
from .work_queue import Line

if TYPE_CHECKING:
    from tlmviz.checks import Check

Result = TypeVar("Result")
DEFAULT_MODEL = "stories-rope"
DEFAULT_STREAM_MODEL = "stories-mhc"
DEFAULT_EXPERT_MODEL = "stories-moe"
CORES = int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1))
DEEP = 2048  # tokens: above, a pass takes many seconds
SHORT = 150  # tokens: below, a second thread costs twice the CPU and saves a quarter of the time
BESIDE = 3  # threads of passes with one thread each: two long texts do not keep short ones waiting
SECONDS = 1.0  # of a processor: what took longer when it ran last leaves a thread to presses
CHARACTERS = 4  # that a token has, about
KEPT_MODELS = (
    56  # all bundled ones, about 6 MB each: a class opens them all, and reading one again costs more than a pass
)
_took_seconds: set[object] = set()  # code of work that took SECONDS when it ran last


@st.cache_resource(show_spinner=False)
def worker() -> Line:
    """The process's line for model computation; whoever asks while it is busy waits in it.

    Two torch calls at once on a few cores fight over the same threads and become many times slower than one after the
    other; and a thread that stays keeps its memory and its helpers warm. Where a pass has one thread anyway, as in a
    pool of processes, work that takes long goes on beside the next.
    """
    return Line(1 if CORES > 1 else BESIDE)


def run_in_worker(work: Callable[[], Result], n_tokens: int = 1, gradients: bool = False) -> Result:
    """Run `work` in the worker and return its result: one thread for short texts, all cores from SHORT tokens on.

    Raises TooLong where the host limits the seconds of a press, see `Line.wait`.
    """
    return worker().wait(submit(work, n_tokens, gradients))


def submit(
    work: Callable[[], Result], n_tokens: int = 1, gradients: bool = False, long: bool = False
) -> Future[Result]:
    """Hand `work` to the worker, as `run_in_worker` does, without waiting for it.

    It is `long` if it takes seconds, as long texts do, and whatever did when it ran last.
    """
    code = getattr(getattr(work, "func", work), "__code__", type(work))  # of a partial's function too

    def run() -> Result:
        torch.set_num_threads(1 if n_tokens <= SHORT else CORES)
        began = time.thread_time()  # others that compute meanwhile are not in it
        try:
            with torch.inference_mode(not gradients):
                return work()
        finally:
            (_took_seconds.add if time.thread_time() - began > SECONDS else _took_seconds.discard)(code)

    context = get_script_run_ctx(suppress_warning=True)
    long = long or n_tokens > SHORT or code in _took_seconds
    return worker().submit(run, context and context.session_id, long, deep=n_tokens > DEEP)


def about(text: str) -> int:
    """About how many tokens a text has, without encoding it."""
    return len(text) // CHARACTERS


@st.cache_resource(max_entries=KEPT_MODELS, show_spinner=False)
def model(name: str) -> LanguageModel:
    """A loaded language model, shared by all sessions. Raises BadCheckpoint for a model of another kind."""
    # The worker computes in inference mode: weights that it asked for first would never have a gradient.
    with torch.inference_mode(False):
        lm = tlmviz.load(name)
    if lm.task not in ("language", "trace"):
        raise BadCheckpoint(texts.no_language_model(lm.name))
    return cast(LanguageModel, lm)  # a file of one pass stands in for one, and says itself what it cannot do


def models() -> dict[str, str]:
    """The language models there are, installed and opened ones too: name -> description."""
    return _listed("language", tuple(added_models()))


def offered() -> dict[str, str]:
    """What the menu offers for a language model: the files that `tlmviz run` was given, and the language models."""
    return _listed("trace", tuple(added_models())) | models()


@st.cache_data(show_spinner=False)
def _listed(task: str, added: tuple[str, ...]) -> dict[str, str]:
    later = added_models().keys() - set(added)  # while this was asked for: another key's
    return {name: says for name, says in tlmviz.list_models(task).items() if name not in later}


@st.cache_data(show_spinner=False)
def configs() -> dict[str, ModelConfig]:
    """The bundled language models' configurations, without their weights: name -> configuration."""
    return {name: registry.language_config(name) for name in models() if name not in added_models()}


@st.cache_data(show_spinner=False)
def stream_models() -> dict[str, str]:
    """The bundled models with hyper-connections, and their plain twin: name -> description."""
    return registry.stream_models()


def expert_models() -> dict[str, str]:
    """The language models with experts, installed and opened ones too: name -> description."""
    return _expert_models(tuple(added_models()))


@st.cache_data(show_spinner=False)
def _expert_models(added: tuple[str, ...]) -> dict[str, str]:
    return registry.expert_models()


@functools.cache
def size(name: str) -> str:
    """How large a model is, in a word."""
    return sizes.size(name)


class TextRead:
    """What the data of a page has in which one model reads one text: `chosen`, the page's state, names both."""

    chosen: Any

    @property
    def lm(self) -> LanguageModel:
        """The model that reads the text."""
        return model(self.chosen.model)

    @property
    def trace(self) -> Trace:
        """The pass over the text that all pages share."""
        return trace(self.chosen.model, self.chosen.text)


def trace(
    name: str, text: str, muted: tuple[tuple[int, int], ...] = (), how: str = "zero", factor: float = 1.0
) -> Trace:
    """One forward pass over a text, optionally with heads muted and scores rescaled."""
    return (_of_short if about(text) <= SHORT else _of_long)(name, text, muted, how, factor)


# A trace holds about 22 kB per token of the default model, so these bound memory as well as number. A class that goes
# through the menu of models with a text of its own each finds the passes of others over the short ones.
@st.cache_resource(max_entries=64, show_spinner=False)
def _of_short(name: str, text: str, muted: tuple[tuple[int, int], ...], how: str, factor: float) -> Trace:
    return _pass(name, text, muted, how, factor)


@st.cache_resource(max_entries=8, show_spinner=False)
def _of_long(name: str, text: str, muted: tuple[tuple[int, int], ...], how: str, factor: float) -> Trace:
    return _pass(name, text, muted, how, factor)


def _pass(name: str, text: str, muted: tuple[tuple[int, int], ...], how: str, factor: float) -> Trace:
    lm = model(name)
    edits = combine(mute_heads(muted, how), scale_scores(factor, lm.config.n_layers) if factor != 1.0 else {})

    def work() -> Trace:
        watched = lm.trace(text, edit=edits)
        if not edits:
            watched.statistics()  # kept with the trace: every picture of it shows them
            tag_heads(watched)
        return watched

    return run_in_worker(work, about(text))


@st.cache_resource(max_entries=64, show_spinner=False)  # 200 kB each
def overview(name: str, text: str) -> np.ndarray:
    """Every head's pooled map as bytes, [L * H, n, n], for the attention view."""
    watched = trace(name, text)
    return run_in_worker(lambda: encode_overview(watched), about(text))


@st.cache_resource(max_entries=256, show_spinner=False)  # frozen values: shared, not pickled
def checks(name: str, text: str, quick: bool = False) -> list[Check]:
    """All identities, measured on a text; `quick` leaves out those that need further forward passes."""
    from tlmviz.checks import applicable, attention  # late: no picture needs the checks

    lm, watched = model(name), trace(name, text)
    entries = [entry for entry in applicable(lm) if entry.__module__ == attention.__name__ and entry.quick >= quick]
    return run_in_worker(lambda: [entry(lm, watched) for entry in entries], about(text))


@st.cache_resource(show_spinner=False)
def warm_up() -> bool:
    """Once per process, before the first visitor: threads, the default model, one pass."""
    if DEFAULT_MODEL in models():
        overview(DEFAULT_MODEL, texts.OPENING)
    return True


def warm_up_charts() -> None:
    """Once per process: what tables, charts and badges need, and the heap set aside from garbage collection."""
    for name in ("pandas", "tlmviz.figures", "tlmviz.checks"):
        importlib.import_module(name)
    gc.collect()
    gc.freeze()


@st.cache_data(max_entries=32, show_spinner=False)
def striking_row(name: str, text: str, besides: tuple[int, int] | None = None) -> tags.Row:
    """The head of a model, and the query and key, that show the most on a text; `besides` as `tags.striking_row` has
    it."""
    lm, watched = model(name), trace(name, text)
    reads = lm if lm.task == "language" else None
    return run_in_worker(lambda: tags.striking_row(watched, tags.tag_heads(watched), reads, besides), about(text))


@st.cache_data(max_entries=64, show_spinner=False)
def bits_per_byte(name: str, text: str) -> float:
    """What a text costs a model that reads it from its beginning, as `lm.bits_per_byte` has it but without a further
    pass."""
    losses = run_in_worker(trace(name, text).loss_per_token, about(text))
    return float(losses.double().sum()) / math.log(2) / len(text.encode("utf-8", "replace"))


def previous_head(name: str, text: str) -> tuple[int, int]:
    """Layer and head of a model that look most at the token before."""
    watched = trace(name, text)
    # NaN where nothing has a token before it.
    best = int(np.nan_to_num(watched.statistics()["previous"]).argmax())
    return divmod(best, watched.n_heads)
