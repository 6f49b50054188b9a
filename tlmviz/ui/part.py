"""A part of a page, which holds the order that every part has; a page is one part, or several behind a menu.

From top to bottom: controls, what is said or asked before, the first claim, the picture, what to do next, and what is
beneath: further claims, badges, equation and code, unless the part says otherwise. What differs is a function of the
part's data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Protocol

import streamlit as st

from . import deferred, frame, menu
from .claims import Claim
from .hints import Hint
from .state import State

Draw = Callable[[Any], object]  # takes the part's data; False: there is nothing to show


class Piece(Enum):
    """What the frame draws beneath a picture, from what each part has."""

    CLAIMS = auto()  # all but the first, of `claims`; `notice`, `maths`
    BADGES = auto()  # `data.checks`
    EQUATION = auto()  # `equation`
    CODE = auto()  # `code(data)`


CLAIMS, BADGES, EQUATION, CODE = Piece


@dataclass(frozen=True)
class Later:
    """Pieces that wait until the picture is painted, in a container with the key `area`."""

    area: str
    pieces: tuple[Draw | Piece, ...]
    seen: bool


def later(area: str, *pieces: Draw | Piece, seen: bool = True) -> Later:
    """These pieces once the picture is painted and, unless `seen` is False, their place is on the screen; at once where
    the part has drawn none."""
    return Later(area, pieces, seen)


@dataclass(frozen=True)
class Part:
    """A state, the data of a state, what is said of it and how it is drawn.

    `controls` gets by name what is given and the state annotates, and returns the state, None where it has said that
    there is nothing to read; without any the session's state is taken. A function of `before` or a picture that has
    drawn a sentence in its place returns False; only `before` ends the page.
    """

    state: type[State]
    data: Callable[[Any], Any]
    claims: Sequence[Claim]
    hints: Sequence[Hint]
    picture: Draw
    controls: Callable[..., State | None] | None = None
    notice: Sequence[str] = ()
    maths: Sequence[str] = ()
    equation: tuple[str, ...] = ()
    code: Callable[[Any], str] | None = None
    before: tuple[Draw, ...] = ()
    beneath: tuple[Draw | Piece | Later, ...] = (CLAIMS, BADGES, EQUATION, CODE)

    @property
    def states(self) -> tuple[type[State], ...]:
        """What a link sets."""
        return (self.state,)

    def show(self, given: Mapping[str, Any], chosen: State | None = None) -> None:
        """Draw it. `given` is what the page knows already: the model, and what its parts share; `chosen` the state that
        the page's own controls gave a part without any."""
        with frame.picture_first():
            if self.controls:
                chosen = self.controls(**_needed(self.state, given))
            elif not isinstance(chosen, self.state):
                chosen = self.state.of_session(**_needed(self.state, given))
            if chosen is None:
                return
            data = self.data(chosen)
            if any(each(data) is False for each in self.before):
                return
            frame.claim(self.claims, data)
            pictured = self.picture(data) is not False
        frame.next_step(self.hints, data)
        for piece in self.beneath:
            self._draw(piece, data, pictured)

    def _draw(self, piece: Draw | Piece | Later, data: Any, pictured: bool) -> None:
        if isinstance(piece, Later):
            deferred.after(pictured, piece.area, lambda: self._each(piece.pieces, data), piece.seen)
        elif isinstance(piece, Piece):
            FRAME[piece](self, data)
        else:
            piece(data)

    def _each(self, pieces: Sequence[Draw | Piece], data: Any) -> None:
        for piece in pieces:
            self._draw(piece, data, True)

    def _claims(self, data: Any) -> None:
        frame.claims(self.claims, data, more=self.notice, maths=self.maths)


FRAME: dict[Piece, Callable[[Any, Any], None]] = {
    CLAIMS: Part._claims,
    BADGES: lambda part, data: frame.measured(lambda: data.checks),
    EQUATION: lambda part, data: frame.equation(*part.equation),
    CODE: lambda part, data: frame.copy_as_python(part.code(data)),
}


@dataclass(frozen=True)
class Own:
    """One of `Parts` that draws itself, as its order is its own: `draw` gets by name what is given and the first of its
    `states` annotates."""

    states: tuple[type[State], ...]
    draw: Callable[..., object]

    def show(self, given: Mapping[str, Any], chosen: State | None = None) -> None:
        """Draw it; `chosen` is in what is given."""
        self.draw(**_needed(self.states[0], given))


def _needed(state: type[State], given: Mapping[str, Any]) -> dict[str, Any]:
    """Of what is given, what a state annotates and no control holds."""
    return {name: given[name] for name in state.__annotations__.keys() - state.controls.keys() if name in given}


@dataclass(frozen=True)
class Parts:
    """Parts behind the menu `field` of a state, which may have a menu of their own; `also` are states that several of
    them share.

    `controls` draws what they share and the menu, and returns the state: parts of the same state have no controls of
    their own, others are given its fields. None in its place: the menu alone.
    """

    state: type[State]
    field: str
    parts: Mapping[str, Part | Own | Parts]
    also: tuple[type[State], ...] = ()
    controls: Callable[..., State | None] | None = None

    @property
    def states(self) -> tuple[type[State], ...]:
        """What a link sets."""
        every = self.state, *self.also, *(state for each in self.parts.values() for state in each.states)
        return tuple(dict.fromkeys(every))

    def show(self, given: Mapping[str, Any], *_: object) -> None:
        """The menu, and the chosen part."""
        with frame.shared_controls() as place:
            with place:
                chosen = (self.controls or self._menu)(**_needed(self.state, given))
            if chosen is not None:
                self.parts[getattr(chosen, self.field)].show({**given, **vars(chosen)}, chosen)

    def _menu(self, **given: Any) -> State:
        self.state.controls[self.field].draw()
        return self.state.of_session(**given)


class Entry(frame.Entry, Protocol):
    """What SECTIONS says of a page."""

    models: str


def page(entry: Entry, part: Part | Parts, examples: Callable[[], None]) -> None:
    """Draw a page: its title and its sentence as the menu has them, its examples and its part, for the model that is
    chosen."""

    def show() -> None:
        part.show(given)

    show.__qualname__ = entry.folder.replace("/", "-")  # what Streamlit tells fragments apart by
    frame.heading(entry, examples, *part.states)
    given = {"model": st.session_state[menu.MENUS[entry.models].key]} if entry.models else {}
    frame.fragment(show)()
