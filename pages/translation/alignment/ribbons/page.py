"""The part Ribbons: attention between the two sentences, which can be moved by hand."""

from __future__ import annotations

from tlmviz.ui import below, frame

from .. import guess
from .. import view as shared
from . import claims, data, view


def show(model: str, text: str) -> None:
    """The chosen hypothesis as it is written under the pins, and what is below."""
    with frame.picture_first():
        with frame.after_picture():
            base = shared.plain(model, text)
        if not guess.seen(base):
            return
        shown = data.compute(base)
        frame.claim(claims.CLAIMS, shown)
        view.picture(shown)
    frame.next_step(claims.HINTS, shown)
    frame.claims(claims.CLAIMS, shown, more=claims.NOTICE)
    below.when_painted("beneath-ribbons", lambda: _beneath(shown))


def _beneath(shown: data.Data) -> None:
    frame.badges(shown.base.checks)
    frame.equation(*shared.PINNED)
    frame.copy_as_python(view.snippet(shown))
