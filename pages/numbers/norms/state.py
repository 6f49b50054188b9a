"""The state of the page Norms: the part that is open."""

from __future__ import annotations

from tlmviz.ui import state
from tlmviz.ui.language import N_

TOKENS, MAPS, SCORES, LOGITS, ISOTROPY = "tokens", "maps", "scores", "logits", "isotropy"


class Part(state.State):
    """Which part of the page is open."""

    part = state.parts(
        N_("Part"),
        {
            TOKENS: N_("Norms"),
            MAPS: N_("Convolution"),
            SCORES: N_("Scores: √d"),
            LOGITS: N_("Logits: √E"),
            ISOTROPY: N_("Isotropy"),
        },
        key="noview",
        spelled={TOKENS: "Norms", MAPS: "Convolution", SCORES: "Scores", LOGITS: "Logits", ISOTROPY: "Isotropy"},
    )
