"""The state of the part Text: how words are coloured; and, shared by all pages, the pinned query and the head."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tlmviz.ui import inputs, link, state

COLORS = ("reads", "loss")


@dataclass
class _Pinned(state.Control):
    """The pinned query, which all pages share."""

    def get(self) -> Any:
        return link.view().query

    def set(self, value: Any) -> None:
        link.remember(replace(link.view(), query=value, key=None))


PINNED = _Pinned("", None, link.whole(0, 99_999))
OPENED = inputs.OpenedHead()


class Reading(state.State):
    """What colours the words: what the pinned one reads, or their loss."""

    color = state.live("lcol", COLORS[0], link.choice(COLORS), ends=COLORS)
