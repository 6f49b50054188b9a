"""What the pages on word vectors share: the models. Which one is shown is in the URL."""

from __future__ import annotations

import streamlit as st

import tlmviz
from tlmviz.errors import BadCheckpoint
from tlmviz.facades.word_vectors import WordVectors
from tlmviz.ui import texts

DEFAULT_MODEL = "words-negative"


@st.cache_data(show_spinner=False)
def models() -> dict[str, str]:
    """The models of word vectors: name -> description."""
    return tlmviz.list_models("words")


@st.cache_resource(max_entries=8, show_spinner=False)
def model(name: str) -> WordVectors:
    """A loaded model, shared by all sessions. Raises BadCheckpoint for a model of another kind."""
    wv = tlmviz.load(name)
    if not isinstance(wv, WordVectors):
        raise BadCheckpoint(texts.no_vectors(wv.name, ", ".join(models())))
    return wv
