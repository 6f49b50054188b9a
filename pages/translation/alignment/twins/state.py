"""The state of the part With and without coverage: two models, a sentence that both translate, the width of their
beams."""

from __future__ import annotations

from tlmviz.ui import link, state
from tlmviz.ui.language import N_
from tlmviz.ui.texts import REPEATERS

STRIKING = REPEATERS[4]
_name = link.up_to(200)


class Twins(state.State):
    """What is compared; models and sentences of which there are none give way to the first."""

    text: str  # of the page; "" where there is none
    without = state.menu(N_("Without"), key="awo", default="", parse=_name)
    covering = state.menu(N_("With coverage"), key="awi", default="", parse=_name)
    sentence = state.menu(
        N_("Sentence"),
        key="arep",
        default="",
        parse=_name,
        help=N_("Your own sentence, or one that invites repetition."),
    )
    width = state.number(N_("Beam"), 1, 20, 1, key="acw", help=N_("1 is greedy."))

    @property
    def models(self) -> tuple[str, str]:
        """Both models, the one without coverage first."""
        return self.without, self.covering
