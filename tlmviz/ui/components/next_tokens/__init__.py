"""The most probable next tokens as bars on a fixed scale from 0 to 100%, and buttons that write them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tlmviz import figures
from tlmviz.ui.components.scripts import component

_component = component("tlmviz_next_tokens", Path(__file__).parent)


@dataclass(frozen=True)
class Bar:
    """One token: its probability, and that after the cuts, 0 where it is cut. `before` is its probability with all
    heads."""

    token: int
    name: str
    p: float
    after: float
    before: float | None = None
    pinned: bool = False


@dataclass(frozen=True)
class Cut:
    """A cut through the bars: behind so many rows, or at a probability."""

    label: str
    rows: int | None = None
    p: float | None = None


@dataclass(frozen=True)
class Writing:
    """What the buttons can do: the token that is written next (None at an end, which `note` then says), and how many
    were."""

    next: tuple[int, str] | None = None
    written: int = 0
    note: str = ""


@dataclass(frozen=True)
class Bars:
    """What is shown: K tokens, most probable first, those with probability 0 left out; `after` names what they
    follow."""

    rows: Sequence[Bar]
    after: str
    cuts: Sequence[Cut] = ()
    note: str = ""
    writing: Writing | None = field(default=None)  # None where nothing can be written
    attributed: bool = False  # whether a token can be pinned


def next_tokens(bars: Bars, *, text: str, key: str, height: int, on_asked: Callable[[], None]) -> None:
    """Draw the bars. `text` is what they follow: while the browser writes on, each new one makes it ask for the next
    token.

    What is clicked is in the state of `key` as "asked", when `on_asked` is called. `height` in pixels.
    """
    data = {**asdict(bars), "text": text, "height": height, "colors": figures.palette()}
    data["rows"] = [row for row in data["rows"] if row["p"] > 0.0]
    _component(key=key, data=data, on_asked_change=on_asked)
