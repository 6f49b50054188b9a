"""The controls of the view "Streams": its part, the token, who reads the unrolled sum, and which stream is muted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from pages.streams.mhc import compute as page
from pages.streams.mhc.controls import TOKEN, Reading, place
from tlmviz.analysis.streams.unrolled import part_names
from tlmviz.figures import placed
from tlmviz.figures.streams import graph, mixing
from tlmviz.ui import frame
from tlmviz.ui.components import frame_listener

DEPTH, SUM, MUTE = PARTS = ("Through depth", "Unrolled sum", "Mute")
CHARTS = {DEPTH: "sxdepth", SUM: "sxfans"}  # keys of the pictures whose slider chooses the token
HEAD = "the mean that the head reads"
_WALK = "_sxwalk"  # session: the Walk of the picture that the browser has
_MENU = "_sxtok"


@dataclass(frozen=True)
class Choice:
    """A part of the view, its text and token, and the tokens that the slider of its picture reaches."""

    reading: Reading
    part: str
    token: int
    start: int  # the token that the picture's slider begins at
    window: range
    reader: int = 0  # of the unrolled sum: an entry of `readers`

    @property
    def first(self) -> int:
        """The slider's start, counted from the first token that it reaches."""
        return self.start - self.window.start

    @property
    def slice(self) -> slice:
        """The tokens that the slider reaches."""
        return slice(self.window.start, self.window.stop)


@dataclass(frozen=True)
class Muting:
    """A text, the stream that is zero, and the place from which on it is, an index of `part_names`."""

    part: ClassVar[str] = MUTE
    reading: Reading
    stream: int
    start: int


@dataclass(frozen=True)
class Walk:
    """The picture that the browser has: what it shows, the token its slider began at, and the token looked at."""

    picture: tuple | None
    start: int
    token: int
    number: int  # a new one for each picture: the slider's last message belongs to one of them


def choose(reading: Reading, strongest: Callable[[Reading], int]) -> tuple[Choice | Muting, DeltaGenerator]:
    """The part and what it needs; and the place for its picture, which the listener to its slider follows.

    `strongest` tells which stream costs the most when it is muted: that one is muted at first.
    """
    left, middle, right = st.columns([0.36, 0.24, 0.4], vertical_alignment="center")
    body, below = st.container(), st.container()
    part = left.segmented_control(
        "Part",
        PARTS,
        default=PARTS[0],
        key="sxpart",
        bind="query-params",
        required=True,
        label_visibility="collapsed",
    )
    if part == MUTE:
        return _muting(reading, middle, right, strongest(reading)), body
    reader = _reader(reading, right) if part == SUM else 0
    with below:
        choice = _walked(reading, part, reader)
    _token_menu(choice, middle)
    return choice, body


def readers(reading: Reading) -> list[str]:
    """Who can read the unrolled sum, in words: the head, every final stream, every sublayer."""
    return [
        HEAD,
        *(f"final stream {n}" for n in range(page.most_streams(reading.model))),
        *(f"what {sublayer} reads" for sublayer in reading.sublayers),
    ]


def choose_all_places(passes: int) -> bool:
    """Whether a map that takes long is measured."""
    return st.toggle(
        f"Measure every stream from every place ({passes} passes)", key="sxall", bind="query-params"
    )


def _reader(reading: Reading, column) -> int:
    options = readers(reading)
    _forget_unless_in(options, "sxto")
    return options.index(
        column.selectbox("Reader", options, key="sxto", bind="query-params", label_visibility="collapsed")
    )


def _muting(reading: Reading, left, right, strongest: int) -> Muting:
    streams = [f"Stream {n}" for n in range(reading.connection.streams)]
    places = [f"from {part} on" for part in part_names(reading.lm.config.n_layers)]
    indices = []
    for column, label, options, key, start in (
        (left, "Muted stream", streams, "sxmute", strongest),
        (right, "Muted", places, "sxfrom", 0),
    ):
        _forget_unless_in(options, key)
        option = column.selectbox(
            label, options, start, key=key, bind="query-params", label_visibility="collapsed"
        )
        indices.append(options.index(option))
    return Muting(reading, *indices)


def _forget_unless_in(options: list[str], key: str) -> None:
    """Forget what a menu was set to where another model lacks it."""
    if st.session_state.get(key, options[0]) not in options:
        del st.session_state[key]


def _token_menu(choice: Choice, column) -> None:
    tokens = choice.reading.tokens
    st.session_state[_MENU] = choice.token
    column.selectbox(
        "Token",
        range(len(tokens)),
        key=_MENU,
        on_change=lambda: TOKEN.set(st.session_state[_MENU]),
        format_func=lambda i: placed(i, tokens[i]),
        label_visibility="collapsed",
    )


def _walked(reading: Reading, part: str, reader: int) -> Choice:
    """The token looked at, the one that the picture's slider begins at, and those that it reaches.

    The token that the user leaves the slider at becomes the token looked at. The picture stays as it was: drawn anew at every
    stop, its slider would jump back while the user still moves it.
    """
    token, _ = place(reading)
    picture = (reading, part, reader, frame.theme().name)
    walk = st.session_state.get(_WALK, Walk(None, token, token, 0))
    if walk.picture != picture or walk.token != token:  # another picture, or a token chosen elsewhere
        walk = Walk(picture, token, token, walk.number + 1)
    window = graph.window(len(reading.tokens), walk.start, _frame_bytes(reading, part))
    left = frame_listener.left_at(CHARTS[part], f"sxwalk{walk.number}")
    if left is not None and left < len(window) and window.start + left != walk.token:
        token = window.start + left
        walk = replace(walk, token=token)
        TOKEN.set(token)
    st.session_state[_WALK] = walk
    return Choice(reading, part, token, walk.start, window, reader)


def _frame_bytes(reading: Reading, part: str) -> int:
    """About how much one token's frame takes; a plain residual's ribbons are sent once."""
    parts = len(reading.sublayers) + 1
    if part == DEPTH:
        return mixing.depth_bytes(parts, reading.connection.streams)
    moving = sum(kind != "residual" for kind in page.family(reading.model))
    return graph.fan_bytes(moving, parts)
