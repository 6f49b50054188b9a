"""The state of the page Why it looks there: one weight of one head, and the path of sources that is followed from
it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tlmviz.analysis.workbench.composition import KINDS
from tlmviz.analysis.workbench.following import Step
from tlmviz.ui import link, state
from tlmviz.ui.language import N_

SCORE, HEADS = "score", "heads"
LONGEST = 12  # steps of a path
Place = tuple[int, int, int, int]  # layer, head, query, key
_whole = link.whole(0, 99_999)


def _place(text: str) -> Place:
    layer, head, query, key = map(_whole, text.split("."))
    return layer, head, query, key


def _write(place: Place) -> str:
    return ".".join(map(str, place))


def _path(text: str) -> tuple[Place, ...]:
    return tuple(map(_place, text.split(",")[:LONGEST])) if text else ()


def _pair(text: str) -> tuple[str, str]:
    writer, reader = text.split(".")
    return writer, reader


@dataclass
class _Pin(state.Control):
    """The weight that the picture pins: the head, the query and the key that all pages share."""

    def get(self) -> Any:
        view = link.view()
        return *view.head, view.query, view.key

    def set(self, value: Any) -> None:
        layer, head, query, key = value
        link.remember(replace(link.view(), head=(layer, head), query=query, key=key))


PIN = _Pin("", (0, 0, 0, 0), _place, _write)


class Why(state.State):
    """A weight of a head, pinned, the steps that are followed from it, and which of them is shown."""

    model: str
    text: str
    pin: Place
    view = state.parts(
        N_("View"),
        {SCORE: N_("One score"), HEADS: N_("All pairs of heads")},
        key="whyview",
        spelled={SCORE: "One score", HEADS: "All pairs of heads"},
    )
    path = state.live(  # what is followed, behind the pinned weight
        "whypath", (), _path, lambda path: ",".join(map(_write, path)), ends=(((4, 2, 17, 16),),)
    )
    at = state.live("whyat", 0, link.whole(0, LONGEST), ends=(1, LONGEST))  # which step is shown
    every = state.live(
        "whyall", False, lambda text: link.choice(("0", "1"))(text) == "1", lambda on: str(int(on)), ends=(True,)
    )
    kind = state.live("whykind", "k", link.choice(KINDS), ends=KINDS)
    pair = state.live("whypair", None, _pair, lambda pair: ".".join(pair or ()))  # of heads, that is to be opened

    @property
    def first(self) -> Step:
        """The pinned weight."""
        return Step(*self.pin)
