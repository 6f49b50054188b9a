"""The state of the page Word vectors: the part that is open."""

from __future__ import annotations

from tlmviz.ui import state
from tlmviz.ui.language import N_

PAIRS, STEP, TRAINING, GLOVE, FASTTEXT = "pairs", "step", "training", "glove", "fasttext"
LONGEST = 1000  # words of a text that a part counts


class Part(state.State):
    """Which part of the page is open."""

    part = state.parts(
        N_("Part"),
        {
            PAIRS: N_("Text to pairs"),
            STEP: N_("One step"),
            TRAINING: N_("Train now"),
            GLOVE: N_("GloVe"),
            FASTTEXT: N_("FastText"),
        },
        key="wvpart",
    )
