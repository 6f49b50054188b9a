"""A value of a page's data that is kept for all sessions: what it depends on is its signature."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import streamlit as st

Value = TypeVar("Value")


class Cached(Generic[Value]):
    """Of an instance the value; of the class the function, for whoever has other arguments."""

    def __init__(self, work: Callable[..., Value], most: int | None) -> None:
        self.__doc__, self.names = work.__doc__, tuple(inspect.signature(work).parameters)
        self._kept = st.cache_resource(max_entries=most, show_spinner=False)(work)

    def __get__(self, data: Any, owner: type) -> Any:
        return self._kept if data is None else self._kept(*(_value(data, name) for name in self.names))


def _value(data: Any, name: str) -> Any:
    own = name in vars(data) or hasattr(type(data), name)
    return getattr(data if own else data.chosen, name)


def cached(most: int | None) -> Callable[[Callable[..., Value]], Cached[Value]]:
    """A property of a page's `Data`, kept for the `most` arguments that came last.

        @cached(16)
        def losses(model: str, text: str, rate: float) -> Losses:

    has no `self`: its parameters name attributes of the data or, where it has none of that name, of `data.chosen`, and
    are its key. So nothing can be read that it is not kept by. It is shared, and nobody may change it.
    """
    return lambda work: Cached(work, most)
