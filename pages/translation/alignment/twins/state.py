"""The state of the part With and without coverage: two models, a sentence that both translate, the width of their beams."""

from __future__ import annotations

from tlmviz.ui import link, state
from tlmviz.ui.language import N_

REPEATERS = (
    "Yesterday I bought bread, milk, cheese, butter, apples, eggs and a bottle of wine.",
    "I like coffee, tea, milk, water, wine, beer and orange juice.",
    "He is a good man, a good father, a good friend and a good neighbour.",
    "The teacher asked the students to open the window, close the door, turn off the light and sit down.",
    "On Monday I work, on Tuesday I work, on Wednesday I rest.",
    "Tom bought apples, Mary bought pears, and John bought bananas.",
    "There are red cars, blue cars, green cars and yellow cars in the street.",
    "The dog chased the cat, the cat chased the mouse, and the mouse ran away.",
    "She said that he said that they said it was fine.", "One, two, three, four, five, six, seven, eight, nine, ten.",
)  # fmt: skip
STRIKING = REPEATERS[4]
_name = link.up_to(200)


class Twins(state.State):
    """What is compared; models and sentences of which there are none give way to the first."""

    without = state.menu(N_("Without"), key="awo", default="", parse=_name)
    covering = state.menu(N_("With coverage"), key="awi", default="", parse=_name)
    sentence = state.menu(
        N_("Sentence"), key="arep", default="", parse=_name, help=N_("Your own sentence, or one that invites repetition."),
    )  # fmt: skip
    width = state.number(N_("Beam"), 1, 20, 1, key="acw", help=N_("1 is greedy."))

    @property
    def models(self) -> tuple[str, str]:
        """Both models, the one without coverage first."""
        return self.without, self.covering
