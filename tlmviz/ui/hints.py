"""What a page says that its reader can do next, each where it can be done.

A hint is one act in words and a function of the page's data that gives the state to which the act leads, or None where
there is nothing to act on or it is done already. A page lists its hints in `claims.py`; the first that can be done
stands below the picture (`frame.next_step`). Tests do what is said, and compare what is shown before and after.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from .inputs import DEFAULT_TEXT
from .language import N_

Done = Callable[[Any], Any]
OTHER_TEXT = "The dog saw a big red ball, and the cat saw the dog."


@dataclass(frozen=True)
class Hint:
    """A sentence, the state to which it leads, and whether what it promises is there: of the data before and after."""

    said: str
    done: Done
    seen: Callable[[Any, Any], bool] | None = None


def within(data: Any) -> Any:
    """Done by an act inside the picture: the state is as it was. Of data without a state it is the data."""
    return getattr(data, "chosen", data)


def to(*path: str, **values: Any) -> Done:
    """Done by choosing these values, or what these functions of the data give, of the state or of what it holds at
    `path`; None where they are chosen."""

    def done(data: Any) -> Any:
        state = within(data)
        after = _put(data, state, path, values)
        return None if after == state else after

    return done


def first(*path: str, **values: Any) -> Done:
    """As `to`, while these fields are as the page opens with: who has chosen something else needs no hint."""

    def done(data: Any) -> Any:
        state = part = within(data)
        for name in path:
            part = getattr(part, name)
        opened = (getattr(part, name) == _default(part, name) for name in values)
        return _put(data, state, path, values) if all(opened) else None

    return done


def where(holds: Callable[[Any], Any], done: Done = within) -> Done:
    """As `done`, where something holds of the data."""
    return lambda data: done(data) if holds(data) else None


def _put(data: Any, part: Any, path: tuple[str, ...], values: dict[str, Any]) -> Any:
    if path:
        return replace(part, **{path[0]: _put(data, getattr(part, path[0]), path[1:], values)})
    return replace(part, **{name: value(data) if callable(value) else value for name, value in values.items()})


def _default(part: Any, name: str) -> Any:
    """What a field is at first; one without a control is the text that all pages share."""
    controls = getattr(part, "controls", {})
    return controls[name].default if name in controls else DEFAULT_TEXT


OWN_TEXT = Hint(N_("Type a text of your own."), first(text=OTHER_TEXT))
