"""The state of the page Training: the part that is open, and whose tokens its step reads."""

from __future__ import annotations

from tlmviz.ui import state
from tlmviz.ui.language import N_

GRADIENTS, DYNAMIC, FLOAT8, MASTER, WARMUP, DROPOUT = PARTS = (
    "gradients",
    "dynamic",
    "float8",
    "master",
    "warmup",
    "dropout",
)
STORIES, TEXT = "stories", "text"


class Part(state.State):
    """Which part of the page is open."""

    part = state.parts(
        N_("Part"),
        {
            GRADIENTS: N_("Gradients"),
            DYNAMIC: N_("Dynamic scaling"),
            FLOAT8: N_("FP8"),
            MASTER: N_("Master weights"),
            WARMUP: N_("Warm-up"),
            DROPOUT: N_("Dropout"),
        },
        key="lsview",
        spelled={
            GRADIENTS: "Gradients",
            DYNAMIC: "Dynamic scaling",
            FLOAT8: "FP8",
            MASTER: "Master weights",
            WARMUP: "Warm-up",
            DROPOUT: "Dropout",
        },
    )


class Reading(state.State):
    """Whose tokens a training step reads."""

    batch = state.menu(
        N_("Batch"),
        {STORIES: N_("A batch of stories"), TEXT: N_("My text")},
        key="lsbatch",
        segments=True,
        label_visibility="collapsed",
        spelled={STORIES: "A batch of stories", TEXT: "My text"},
    )
