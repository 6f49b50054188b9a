"""What is below a live picture: it waits until the browser has painted the picture, and what is costly until it is
seen.

Charts that arrive with a picture hold it up by 100 ms, and by more than a second where Plotly is yet to be loaded; and
charts that nobody looks at cost the server as much as the picture.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from . import frame
from .components.below import PAINTED, listen

_PICTURE = "_picture"  # in a session: the number of the live picture that was sent last
_DRAWING = "_drawing_below"  # in a session: while what is below a picture is drawn


def next_picture() -> int:
    """The number of the live picture that is about to be sent; the browser announces it when it is painted.

    One that is itself below a picture has the number of that one: nothing waits for it.
    """
    number = int(st.session_state.get(_PICTURE, 0))
    if st.session_state.get(_DRAWING):
        return number
    st.session_state[_PICTURE] = number + 1
    return number + 1


def when_painted(area: str, draw: Callable[[], None], seen: bool = True) -> None:
    """A fragment in a container with the key `area`: `draw` runs again for every live picture, after it is painted.

    In a session's first run only its place is kept; unless `seen` is False it stays empty until it is on the screen.
    Called inside the fragment that sends the picture, it runs with that; called beside it, it runs when the browser
    asks. An Error's sentence is shown in its place.
    """
    with st.container(key=area):
        _fragment(area, draw, seen)


def copy_as_python(area: str, code: str) -> None:
    """`frame.copy_as_python` after the picture: what colours code is 1.5 MB of script."""
    when_painted(area, lambda: frame.copy_as_python(code))


@frame.fragment
def _fragment(area: str, draw: Callable[[], None], seen: bool) -> None:
    drawn = max(1, st.session_state.get(_PICTURE, 0)) if st.session_state.get(PAINTED) else 0
    place = st.container()
    if st.session_state.get(PAINTED):
        st.session_state[_DRAWING] = True
        try:
            with place:
                frame.saying_errors(draw)()
        finally:
            st.session_state[_DRAWING] = False
    listen(area, drawn, seen)  # last: who waits for the page's parts looks at what this says


def after(picture: object, area: str, draw: Callable[[], None], seen: bool = True) -> None:
    """`when_painted` where there is a `picture` to wait for; else `draw` now."""
    if picture:
        when_painted(area, draw, seen)
    else:
        draw()
