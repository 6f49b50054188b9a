"""What several views of the page mHC draw: text and menu, the way to another model, and pictures whose tokens the
browser plays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import streamlit as st

from tlmviz.figures import THEMES
from tlmviz.ui import compute as shared
from tlmviz.ui import frame, inputs
from tlmviz.ui.components import frame_listener
from tlmviz.ui.language import _

from . import claims
from .data import Data
from .state import Streams

WARM = {name: theme.warm for name, theme in THEMES.items()}  # what is negative, in pictures
Shown = TypeVar("Shown", bound=Data)


def controls(model: str) -> Streams | None:
    """The text and the menu of views; what they say. None, with a sentence, where there is no text."""
    text = inputs.text_box(shared.model(model))
    if text is None:
        return None
    view = Streams.view.draw()
    return replace(Streams.of_session(model=model, text=text), view=view)


def note_missing(data: Data) -> None:
    """A sentence where the family lacks a kind of connection."""
    if sentence := claims.missing(data):
        st.caption(sentence)


def offer(place, key: str, model: str = shared.DEFAULT_STREAM_MODEL, width: str = "stretch") -> None:
    """A button at `place` that opens a model. The menu of models is outside of the fragment, so the whole app runs
    again."""
    if model not in shared.stream_models():
        return
    show = _("Show {model}", model=model)
    if place.button(show, key=key, on_click=st.session_state.update, args=({"smodel": model},), width=width):
        st.rerun(scope="app")


@dataclass(frozen=True)
class _Walk:
    """The picture that the browser has: what it shows, the token its slider began at, and the token looked at."""

    picture: tuple
    start: int
    token: int
    number: int  # a new one for each picture: the slider's last message belongs to one of them


@dataclass(frozen=True)
class Walk(Generic[Shown]):
    """The data of the token that the user left a picture's slider at, the token it began at, and those that it
    reaches."""

    data: Shown
    start: int
    window: range


def walked(chart: str, data: Shown, shows: tuple, window: Callable[[int], range] | None = None) -> Walk[Shown]:
    """Where the slider of a picture stands that `shows` these things of a text.

    The token that the user leaves it at becomes the token looked at. The picture stays as it was: drawn anew at every
    stop, its slider would jump back while the user still moves it.
    """
    picture = (data.chosen.model, data.chosen.text, *shows, frame.theme().name)
    key, token = f"_walk_{chart}", data.token
    walk = st.session_state.get(key, _Walk((), token, token, 0))
    if walk.picture != picture or walk.token != token:  # another picture, or a token chosen elsewhere
        walk = _Walk(picture, token, token, walk.number + 1)
    reached = window(walk.start) if window else range(len(data.tokens))
    left = frame_listener.left_at(chart, f"{chart}-walk{walk.number}")
    if left is not None and left < len(reached) and reached.start + left != walk.token:
        walk = replace(walk, token=reached.start + left)
        Streams.token.set(walk.token)
        Streams.token.put()
        data = replace(data, chosen=replace(data.chosen, token=walk.token))
    st.session_state[key] = walk
    return Walk(data, walk.start, reached)
