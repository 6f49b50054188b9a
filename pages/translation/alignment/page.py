"""Alignment & coverage: where each translated word looked, what was looked at twice or never, and what that costs."""

from pages import IN
from pages.translation.alignment import view
from pages.translation.alignment.by_hand import part as by_hand
from pages.translation.alignment.copied import part as copied
from pages.translation.alignment.examples import examples
from pages.translation.alignment.forced import part as forced
from pages.translation.alignment.forced.state import Forced
from pages.translation.alignment.ribbons import part as ribbons
from pages.translation.alignment.ribbons.state import Ribbons
from pages.translation.alignment.scores import part as scores
from pages.translation.alignment.state import BY_HAND, COPIED, FORCE, RIBBONS, SCORES, TRANSLATION, TWINS, Alignment
from pages.translation.alignment.twins import part as twins
from pages.translation.alignment.written import part as written
from tlmviz.ui.part import Parts, page

PART = Parts(
    Alignment,
    "view",
    {
        RIBBONS: ribbons.PART,
        TRANSLATION: written.PART,
        BY_HAND: by_hand.PART,
        TWINS: twins.PART,
        FORCE: forced.PART,
        SCORES: scores.PART,
        COPIED: copied.PART,
    },
    also=(Ribbons, Forced),
    controls=view.controls,
)

if __name__ == "__main__":
    page(IN["translation/alignment"], PART, examples)
