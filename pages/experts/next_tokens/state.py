"""The state of the page Next tokens: two texts, what the modules read, who proposes, and the place and the pass looked
at."""

from __future__ import annotations

from tlmviz.ui import link, state
from tlmviz.ui.language import N_

PREDICTIONS, WRITING = "predictions", "writing"
CHAINED, PARALLEL = "stories-mtp", "stories-mtp-parallel"  # how the model looks ahead
OWN, GIVEN = "own", "given"  # what the modules read
MODULES, SMALLER = "modules", "smaller"  # who proposes
LONGEST = 120  # tokens of a text: all their chains are sent whole
MOST_NEW = 120
DEFAULT = "Once upon a time there was a little girl named Lily. She loved to play outside. One day, she saw a big dog."
BEGINNING = "Once upon a time there was a little girl named Lily. One day,"


def _other_text() -> None:
    """The place and the pass belong to the text that they were chosen in."""
    Ahead.place.set(0)
    Ahead.step.set(0)


def _typed(default: str, key: str) -> state.Control:
    box = {"live": "150ms", "label_visibility": "collapsed"}
    return state.text(N_("Text"), default, key=key, more=box, changed=_other_text, ends=("", "Tom ran.", "😀 🐈‍⬛ é"))


class Ahead(state.State):
    """A text that is predicted several tokens ahead, or the beginning of one that is written several tokens a pass."""

    view = state.menu(
        N_("View"),
        {PREDICTIONS: N_("Predictions"), WRITING: N_("Writing")},
        key="nview",
        segments=True,
        spelled={PREDICTIONS: "Predictions", WRITING: "Writing"},
    )
    reads = state.menu(
        N_("The modules read"),
        {OWN: N_("what was predicted"), GIVEN: N_("the text")},
        key="nreads",
        segments=True,
        spelled={OWN: "what was predicted", GIVEN: "the text"},
    )
    model = state.menu(
        N_("Looks ahead by"),
        {CHAINED: N_("modules in a row"), PARALLEL: N_("heads side by side")},
        key="nmodel",
        segments=True,
    )
    proposer = state.menu(
        N_("Proposals from"),
        {MODULES: N_("The model itself"), SMALLER: N_("A smaller model")},
        key="nfrom",
        segments=True,
        spelled={MODULES: "Its own modules", SMALLER: "A smaller model"},
    )
    count = state.number(N_("New tokens"), 1, MOST_NEW, 40, key="nnew")
    temperature = state.slider(N_("Temperature"), 0.0, 1.5, 0.0, key="ntemp", step=0.1)
    words = _typed(DEFAULT, "ntext")
    beginning = _typed(BEGINNING, "nbegin")
    place = state.live(  # from 1; 0: the last of the chains that are right the furthest
        "nplace", 0, link.whole(0, LONGEST), ends=(0, 1, LONGEST)
    )
    step = state.live(  # from 1; 0: the first pass that writes the most
        "npass", 0, link.whole(0, MOST_NEW), ends=(0, 1, MOST_NEW)
    )
    for _control in (model, proposer, count, temperature):
        _control.changed = _other_text

    @property
    def part(self) -> str:
        """The part of the page that is open."""
        return f"{self.view} {self.model}"

    @property
    def writing(self) -> bool:
        """Whether text is written, not looked at."""
        return self.view == WRITING

    @property
    def parallel(self) -> bool:
        """Whether heads side by side look ahead: each reads the position's own state, and no token behind it."""
        return self.model == PARALLEL

    @property
    def text(self) -> str:
        """The text that is read."""
        return self.beginning if self.writing else self.words
