"""The state of the part FastText: a word, real or not."""

from __future__ import annotations

from tlmviz.ui import state
from tlmviz.ui.language import N_

LONGEST = 30  # letters of a word: a hundred n-grams
SAMPLES = ("beautifull", "girl", "doggish", "walkingly", "café", "слово")


class Word(state.State):
    """The word that is taken apart, as it was typed."""

    word = state.text(
        N_("Word"),
        SAMPLES[0],
        key="ftw",
        ends=SAMPLES,
        more={
            "live": "150ms",
            "label_visibility": "collapsed",
            "placeholder": "Any word, also one that does not exist",
        },
    )
