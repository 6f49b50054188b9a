"""The state of the part Write or copy: a name, a sentence that it is put into, and the width of the beam."""

from __future__ import annotations

from tlmviz.ui import link, state
from tlmviz.ui.language import N_

HERE = "…"  # in a sentence: the place of the name
SENTENCES = (
    f"Does {HERE} know you?",
    f"{HERE} gave the book to Mary.",
    f"I think that {HERE} is tired.",
    f"Have you seen {HERE} today?",
    f"{HERE} is waiting for the bus.",
)
_short = link.up_to(200)


class Pointing(state.State):
    """A name and a sentence; a sentence of which there is none gives way to the first."""

    text: str  # of the page; "" where there is none
    name = state.text(
        N_("Name"),
        "Quizzbeck",
        key="cname",
        ends=("Tom", "Xanthippe"),
        more={"live": "150ms"},
        help=N_("Any name: no model has seen the one that you make up."),
    )
    sentence = state.menu(
        N_("Sentence"), key="csentence", default="", parse=_short, help=N_("The name stands where the dots are.")
    )
    width = state.number(N_("Beam"), 1, 20, 5, key="cwidth", help=N_("1 is greedy."))

    @property
    def read(self) -> str:
        """The sentence with the name in it."""
        return self.sentence.replace(HERE, self.name)
