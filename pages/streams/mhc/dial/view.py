"""The view "Sinkhorn dial" of the page mHC: a matrix made doubly stochastic, half step by half step, in the browser."""

from __future__ import annotations

import streamlit as st

from pages.streams.mhc import compute as stream_state
from tlmviz.analysis.streams import mixing as streams
from tlmviz.ui import compute, frame

from . import component as view
from . import compute as stream_dial_state
from . import words as stream_dial_words


def show(name: str, text: str) -> None:
    """Draw the view for a model and a text."""
    config = compute.model(name).config
    logits = stream_dial_state.logits(name, text)
    if logits is None:
        _without_logits(name, config.connection.kind)
    stream_dial_state.open_link()
    controls = st.container(horizontal=True, gap="small")
    own = logits is None or not stream_dial_state.of_model(controls)
    st.session_state["_sd_model"] = not own
    if own:
        _own(controls)
    else:
        _of_model(name, text, logits, config.connection.iterations)
    stream_dial_state.share(own)


def _of_model(name: str, text: str, logits, iterations: int) -> None:
    trace = compute.trace(name, text)
    names = streams.sublayers(trace.n_layers)
    token, sublayer = stream_state.place(len(trace), len(names))
    step, temperature = stream_dial_state.position()
    data = view.of_model(logits.numpy(), trace.tokens, names, iterations)
    _dial(data, own=False, name=name, origin=f"{name}:{len(trace)}", token=token, sublayer=sublayer)
    frame.what_to_notice(*stream_dial_words.POINTS, stream_dial_words.DEPTH_POINT)
    frame.badges(stream_state.checks(name, text))
    frame.equation(*stream_dial_words.EQUATION)
    frame.copy_as_python(stream_dial_words.model_snippet(name, text, token, sublayer, step, temperature))


def _own(controls) -> None:
    own = stream_dial_state.own_matrix(controls)
    said = stream_dial_words.verdict(own.support, len(own.logits))
    data = view.of_matrix(stream_dial_state.typed(), own.words, own.logits, own.kind, own.support, said)
    _dial(data, own=True, name="Own matrix", origin="own", token=0, sublayer=0)
    frame.what_to_notice(*stream_dial_words.POINTS, stream_dial_words.SUPPORT_POINT)
    frame.badges(stream_dial_state.own_checks(own))
    frame.equation(*stream_dial_words.EQUATION)
    step, temperature = stream_dial_state.position()
    frame.copy_as_python(stream_dial_words.matrix_snippet(own.text, own.kind, step, temperature))


def _dial(data: dict, *, own: bool, name: str, origin: str, token: int, sublayer: int) -> None:
    step, temperature = stream_dial_state.position()
    view.dial(
        data,
        own=own,
        name=name,
        origin=origin,
        key=stream_dial_state.KEY,
        place={"token": token, "sublayer": sublayer, "step": step, "temperature": temperature},
        on_place=stream_dial_state.keep_place,
        on_edited=stream_dial_state.keep_edited,
        on_taken=stream_dial_state.keep_taken,
    )


def _without_logits(name: str, connection: str) -> None:
    said, other = st.columns([0.76, 0.24], vertical_alignment="center")
    said.info(stream_dial_words.without_logits(name, connection))
    if compute.DEFAULT_STREAM_MODEL in compute.stream_models():
        other.button(
            f"Show {compute.DEFAULT_STREAM_MODEL}", key="sd-model", on_click=_show_default, width="stretch"
        )


def _show_default() -> None:
    st.session_state["smodel"] = compute.DEFAULT_STREAM_MODEL
