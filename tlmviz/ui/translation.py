"""What the translation pages share: the model, the sentence, and cached searches. All of it is in the URL."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

import tlmviz
from tlmviz.decoding.beam import BeamOptions
from tlmviz.decoding.records import Search
from tlmviz.errors import BadCheckpoint, BadText
from tlmviz.translator import Hypothesis, Translator

from .compute import alone

DEFAULT_MODEL = "eng-fra"
EXAMPLES = {
    "Adjective after the noun": "The black cat is sleeping on the red chair.",
    "Greedy loses": "I am cold.",
    "One word becomes two": "She never eats meat.",
    "Words to repeat": "He talked and talked and talked about his new car.",
    "Two clauses": "I wanted to call you yesterday, but I lost my phone.",
    "A question": "Where did you buy that beautiful dress?",
}
DEFAULT_SENTENCE = EXAMPLES["Adjective after the noun"]
STRANGE = 0.5  # share of a sentence's tokens that must be more than bytes


@st.cache_data(show_spinner=False)
def models() -> dict[str, str]:
    """The bundled translation models: name -> description."""
    return tlmviz.list_models("translation")


@st.cache_resource(max_entries=8, show_spinner=False)
def model(name: str) -> Translator:
    """A loaded translation model, shared by all sessions. Raises BadCheckpoint for a model of another kind."""
    mt = tlmviz.load(name)
    if mt.task != "translation":
        raise BadCheckpoint(f"{mt.name} does not translate; choose one of {', '.join(models())}.")
    return mt


def sentence_box(mt: Translator) -> str | None:
    """The sentence that every translation page reads, updated at each pause in typing; None when it cannot be read.

    What is wrong is said below the box, and the text stays in it.
    """
    typed = st.text_input(
        "English sentence",
        DEFAULT_SENTENCE,
        key="english",
        live="150ms",
        bind="query-params",
        label_visibility="collapsed",
    )
    try:
        mt.encode(typed or "")
    except BadText as error:
        (st.warning if typed else st.info)(str(error))
        return None
    if mt.familiar(typed) < STRANGE:
        st.warning(
            "Most of this is unlike the English that the model learned from: what follows is its guess."
        )
    return typed


def examples() -> None:
    """Sentences to start from."""
    with st.popover("Examples", width="stretch"):
        for label, example in EXAMPLES.items():
            st.button(
                label, key=f"sentence-{label}", help=example, on_click=_use, args=(example,), width="stretch"
            )


@st.cache_resource(max_entries=64, show_spinner=False)
def search(name: str, text: str, options: BeamOptions, pins: tuple[tuple[int, int], ...] = ()) -> Search:
    """A beam search, kept: penalties and alignment re-rank it without searching again (`Search.hypotheses`)."""
    mt = model(name)
    return alone(text, lambda: mt.search(text, options, dict(pins)))


@st.cache_resource(max_entries=64, show_spinner=False)
def translation(name: str, text: str, beam: int = 5) -> Hypothesis:
    """The best translation under the usual penalties."""
    mt = model(name)
    return alone(text, lambda: mt.translate(text, beam))


def same_search(options: BeamOptions) -> BeamOptions:
    """The options without what only ranks: two that are equal here share one search."""
    return replace(options, penalties=BeamOptions().penalties, align=None, n_best=None)


def _use(example: str) -> None:
    st.session_state["english"] = example
