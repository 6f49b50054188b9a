"""The state of the part Train now: the text, the window, the rate, and whose neighbours are named."""

from __future__ import annotations

from tlmviz.ui import state
from tlmviz.ui.language import N_

MOST = 100_000  # characters of a text
RATES = (0.01, 0.025, 0.05, 0.1, 0.2, 0.5)


class Training(state.State):
    """A text, "" for the stories that come with the app; words on each side; the rate; a word whose neighbours are
    named."""

    text = state.text(
        N_("Your text"),
        "",
        key="wlive",
        height=92,
        longest=MOST,
        more={
            "max_chars": MOST,
            "placeholder": "Paste a text of your own: a chapter, a few stories. While this is empty, short stories "
            "that a small model wrote are read.",
        },
    )
    window = state.slider(N_("Window"), 1, 10, 5, key="wlwin", help=N_("Words read on each side."))
    rate = state.menu(
        N_("Rate"), RATES, key="wlrate", default=0.05, widget="select_slider", help=N_("How far every step goes.")
    )
    near = state.text(N_("Neighbours of"), "red", key="wlnear", ends=("zebra",), more={"live": "150ms"})
