"""What the translation pages share: the model, the sentence, and cached searches. All of it is in the URL."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

import tlmviz
from tlmviz.analysis.attention.stacks import Stack, read_stack
from tlmviz.analysis.translation.alignment import ALIGNMENTS, error_rates, read_alignments
from tlmviz.checkpoints import registry
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.records import Search
from tlmviz.errors import BadCheckpoint, BadText
from tlmviz.facades.translator import Hypothesis, Translator
from tlmviz.tokens import output_names

from . import compute, frame, inputs, state, texts
from .language import N_

DEFAULT_MODEL = "eng-fra"
EXAMPLES = texts.SENTENCES
DEFAULT_SENTENCE = EXAMPLES["A cold day"]
SENTENCE: state.Control = state.text(
    N_("English sentence"), DEFAULT_SENTENCE, key="english", more={"live": "150ms", "label_visibility": "collapsed"}
)
TRANSLATION: state.Control = state.text(
    N_("French translation"), "", key="edfr", more={"live": "150ms", "label_visibility": "collapsed"}
)
START = "⟨start⟩"
STRANGE = 0.5  # share of a sentence's tokens that must be more than bytes


@st.cache_data(show_spinner=False)
def models() -> dict[str, str]:
    """The bundled translation models: name -> description."""
    return tlmviz.list_models("translation")


@st.cache_resource(max_entries=compute.KEPT_MODELS, show_spinner=False)
def model(name: str) -> Translator:
    """A loaded translation model, shared by all sessions. Raises BadCheckpoint for a model of another kind."""
    mt = tlmviz.load(name)
    if not isinstance(mt, Translator):
        raise BadCheckpoint(texts.no_translator(mt.name, ", ".join(models())))
    return mt


@st.cache_data(show_spinner=False)
def transformers() -> dict[str, str]:
    """The bundled translation models that are Transformers: name -> description."""
    return registry.translating_transformers()


def sentence_box(mt: Translator, **widget: Any) -> str | None:
    """The sentence that every translation page reads, updated at each pause in typing; None when it cannot be read.

    What is wrong is said below the box, and the text stays in it. `widget` are options of the box.
    """
    typed: str = inputs.shared(SENTENCE, **widget)
    try:
        mt.encode(typed or "")
    except BadText as error:
        (st.warning if typed else st.info)(frame.worded(error))
        return None
    if mt.familiar(typed) < STRANGE:
        st.warning(texts.UNLIKE_ENGLISH)
    return typed


def example_sentences() -> None:
    """Sentences to start from, beside one another."""
    inputs.text_buttons(EXAMPLES, "sentence", _use_example, texts.SENTENCES_TO_START)


@st.cache_resource(max_entries=64, show_spinner=False)
def search(name: str, text: str, options: BeamOptions, pins: tuple[tuple[int, int], ...] = ()) -> Search:
    """A beam search, kept: penalties and alignment re-rank it without searching again (`Search.hypotheses`)."""
    mt = model(name)
    return compute.run_in_worker(lambda: mt.search(text, options, dict(pins)), compute.about(text))


@st.cache_resource(max_entries=64, show_spinner=False)
def translation(name: str, text: str, beam: int = 5) -> Hypothesis:
    """The best translation under the usual penalties."""
    mt = model(name)
    return compute.run_in_worker(lambda: mt.translate(text, beam), compute.about(text))


def without_ranking(options: BeamOptions) -> BeamOptions:
    """The options without what only ranks: two that are equal here share one search."""
    return replace(options, penalties=BeamOptions().penalties, align=None, n_best=None)


def _use_example(sentence: str) -> None:
    st.session_state["english"] = sentence
    SENTENCE.set(sentence)


def own_search(name: str, text: str) -> Search:
    """The model's own search for a translation, shared with the other pages."""
    return search(name, text, without_ranking(BeamOptions()))


def own_translation(name: str, text: str) -> tuple[int, ...]:
    """Ids of the model's best translation, its end token included."""
    return own_search(name, text).hypotheses()[0].tokens


@dataclass(frozen=True)
class SentencePair:
    """A sentence with the translation that the decoder reads (teacher forcing), as ids with the end token."""

    model: str
    text: str
    translation: tuple[int, ...]

    @property
    def mt(self) -> Translator:
        """The model that reads both."""
        return model(self.model)

    @property
    def source(self) -> list[str]:
        """Names of the source tokens [S]."""
        return self.mt.names(self.mt.encode(self.text))

    @property
    def targets(self) -> list[str]:
        """Names of the tokens that must be predicted [T]."""
        return output_names(self.mt.tokenizer, self.translation)

    @property
    def decoder_inputs(self) -> list[str]:
        """Names of the tokens that the decoder reads [T]: the targets, shifted by one."""
        return [START, *self.targets[:-1]]


def translation_box(model_name: str, text: str, place: Any) -> SentencePair:
    """The translation to read: what is typed, or the model's own. Raises BadText where it is too long."""
    mt, own = model(model_name), own_translation(model_name, text)
    typed = inputs.shared(TRANSLATION, place, placeholder=texts.own_placeholder(mt.text(own)))
    ids = mt.encode_target(typed or "")
    if not ids:
        return SentencePair(model_name, text, own)
    if len(ids) >= mt.config.context:
        raise BadText(texts.long_translation(len(ids), mt.config.context))
    return SentencePair(model_name, text, (*ids, mt.tokenizer.end_of_text))


def pair_boxes(name: str) -> SentencePair | None:
    """A sentence and beside it its translation; None without texts that can be read, which a sentence says."""
    left, right = st.columns(2)
    with left:
        text = sentence_box(model(name))
    if text is None:
        return None
    try:
        with st.spinner("Translating …", show_time=True):
            return translation_box(name, text, right)
    except BadText as error:  # the translation is still being written
        st.warning(frame.worded(error))
        return None


@st.cache_resource(max_entries=16, show_spinner=False)
def stack(pair: SentencePair, which: str) -> Stack:
    """A Transformer's "encoder" or "decoder" on a sentence and its translation, with all that one pass made."""
    return compute.run_in_worker(
        lambda: read_stack(pair.mt, pair.text, list(pair.translation), which), compute.about(pair.text)
    )


@st.cache_data(max_entries=compute.KEPT_MODELS, show_spinner=False)
def alignment_errors(name: str) -> tuple[list[str], np.ndarray, int] | None:
    """Alignment error rate of every map and of their mean, lowest first, and how many sentences; None without
    alignments."""
    if not ALIGNMENTS.is_file():
        return None
    mt, pairs = model(name), read_alignments(ALIGNMENTS)
    rates = compute.run_in_worker(lambda: error_rates(mt, pairs))
    if len(mt.maps) == 1:
        rates = rates.drop("mean")
    return list(rates.index), rates.to_numpy(), len(pairs)


def best_map(name: str) -> int | None:
    """The one of a model's maps with the lowest alignment error; its own choice where none was measured."""
    mt, measured = model(name), alignment_errors(name)
    heads = [] if measured is None else [label for label in measured[0] if label in mt.maps]
    return mt.maps.index(heads[0]) if heads else mt.align
