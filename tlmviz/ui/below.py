"""What is below a live picture: it waits until the browser has painted the picture, and is drawn only where it is seen.

Charts that arrive with a picture hold it up by 100 ms, and by more than a second where Plotly is yet to be loaded; and
charts that nobody looks at cost the server as much as the picture.
"""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from . import frame
from .components.below import asked_for

# In a session: that its browser has painted a live picture, and the number of the one sent last.
PAINTED, _PICTURE = "_painted", "_picture"


def next_picture() -> int:
    """The number of the live picture that is about to be sent; the browser announces it when it is painted."""
    st.session_state[_PICTURE] = st.session_state.get(_PICTURE, 0) + 1
    return int(st.session_state[_PICTURE])


def when_painted(area: str, draw: Callable[[], None]) -> None:
    """A fragment in a container with the key `area`: `draw` runs again for every live picture, after it is painted.

    In a session's first run only its place is kept. Called inside the fragment that sends the picture, it runs with
    that; called beside it, it runs when the browser asks. An Error's sentence is shown in its place.
    """
    with st.container(key=area):
        _fragment(area, draw)


def copy_as_python(area: str, code: str) -> None:
    """`frame.copy_as_python` after the picture: what colours code is 1.5 MB of script."""
    when_painted(area, lambda: frame.copy_as_python(code))


@frame.fragment
def _fragment(area: str, draw: Callable[[], None]) -> None:
    drawn = max(1, st.session_state.get(_PICTURE, 0)) if st.session_state.get(PAINTED) else 0
    if asked_for(area, drawn):
        st.session_state[PAINTED] = True
    if st.session_state.get(PAINTED):
        draw()
