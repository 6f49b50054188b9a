"""The state of the page Alignment: the part that is open, the sentence, and which of its translations is read by which
map."""

from __future__ import annotations

from tlmviz.ui import link, state, translation
from tlmviz.ui.language import N_

RIBBONS, TRANSLATION, BY_HAND, TWINS, FORCE, SCORES, COPIED = VIEWS = (
    "Ribbons",
    "Translation",
    "Matrix by hand",
    "With and without coverage",
    "Force attention",
    "Three scores",
    "Write or copy",
)
# Maps: of the lowest alignment error, the model's own choice, all of them.
BEST, OWN, MEAN = ("best", "default", "mean")
CARRY = f"{link.SLOT}carry_pins"  # session: that Force attention was gone to, and takes the pins of the ribbons over


def _map(text: str) -> str:
    """A map's name: one of the three, or layer and head; raises ValueError."""
    if text in (BEST, OWN, MEAN):
        return text
    layer, head = map(link.whole(0, 99), text.split("."))
    return f"{layer}.{head}"


def _opened() -> None:
    state.st.session_state[CARRY] = Alignment.view.get() == FORCE


class Alignment(state.State):
    """Which part is open; a sentence, its translation by rank (from 1), the map that counts as a_ij, and what ranks."""

    model: str
    text: str
    sentence = translation.SENTENCE
    view = state.parts(
        N_("View"),
        {
            RIBBONS: N_("Ribbons"),
            TRANSLATION: N_("Translation"),
            BY_HAND: N_("Matrix by hand"),
            TWINS: N_("With and without coverage"),
            FORCE: N_("Force attention"),
            SCORES: N_("Three scores"),
            COPIED: N_("Write or copy"),
        },
        key="aview",
    )
    rank = state.menu(
        N_("Hypothesis"),
        key="ahyp",
        default=1,
        parse=link.whole(1, 20),
        help=N_("The texts that the search ended with, ranked under the penalties of this page."),
    )
    map = state.menu(
        N_("Attention map"),
        key="amap",
        default=BEST,
        parse=_map,
        help=N_(
            "A recurrent model has one. Of a Transformer's, the head with the lowest alignment error is shown; the "
            "mean of all errs less and is a blur."
        ),
    )
    width = state.number(N_("Beam"), 1, 20, 5, key="abeam", help=N_("1 to 20 texts are kept."))
    beta = state.number(N_("Weight β"), 0.0, 1000.0, 0.2, step=0.1, key="abeta", help=N_("0 switches the penalty off."))
    floor = state.number(
        N_("Floor"),
        0.001,
        1.0,
        0.01,
        step=0.01,
        key="afloor",
        more={"format": "%.3f"},
        help=N_("Coverage below it counts as this much. Without it a token without attention would cost log 0 = −∞."),
    )


Alignment.view.changed = _opened
