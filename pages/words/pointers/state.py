"""The state of the page Pointers: points and a step of the hull's network, a text and a word of the copying one."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from tlmviz.analysis.words.hulls import SCATTERS, scattered
from tlmviz.ui import link, state
from tlmviz.ui.language import N_

HULL, SENTINEL = "hull", "sentinel"  # the parts
MOST = 1000  # points
UNIT = 1000  # coordinates are whole thousandths of the square
LONGEST = 250  # words of a text: the pointer's rows are sent whole
TEXT = (
    "Once upon a time there was a little girl named Zorbina. Zorbina loved her red ball. One day, Zorbina lost the "
    "ball. "
    '"I am sad," said Zorbina. A big dog named Quillo came. Quillo helped Zorbina find the ball.'
)
Points = tuple[tuple[int, int], ...]


def _points(text: str) -> Points:
    """Points of a link in thousandths; raises ValueError."""
    points = link.pairs(text) if text else ()
    if len(points) > MOST or any(not 0 <= value <= UNIT for point in points for value in point):
        raise ValueError(text[:80])
    return points


class Choice(state.State):
    """The part that is shown, and what each of them is about."""

    part = state.menu(
        N_("Part"),
        {HULL: N_("Points of a hull"), SENTINEL: N_("Words of a text")},
        key="pointer",
        segments=True,
        label_visibility="collapsed",
    )
    kind = state.menu(N_("Points"), tuple(SCATTERS), key="hkind", default="Square", segments=True)
    number = state.number(N_("How many"), 1, MOST, 24, key="hn", help=N_("The network was trained on 5 to 50 points."))
    seed = state.number(N_("Draw number"), 0, 9999, 24, key="hseed")
    points = state.live(  # moved by hand; none: as they were drawn
        "hpts", (), _points, link.write_pairs, ends=(((100, 100), (900, 100), (900, 900), (450, 450)),)
    )
    step = state.live("hstep", 0, link.whole(0, MOST + 1), ends=(1, MOST + 1))  # from 1; 0: the least certain one
    text = state.text(N_("Text"), TEXT, key="ptext", more={"live": "150ms", "label_visibility": "collapsed"})
    shift = state.slider(
        N_("Copy more ← · → write more"),
        -10.0,
        10.0,
        0.0,
        key="pshift",
        step=0.5,
        help=N_("What is added to the sentinel's score: at −10 the model does little but copy, at 10 it only writes."),
    )
    # That is predicted, from 1; 0: copied most.
    word = state.live("pword", 0, link.whole(0, LONGEST), ends=(1, LONGEST))

    @property
    def shown(self) -> Points:
        """The points, moved or as they were drawn."""
        drawn = np.rint(scattered(self.kind, self.number, self.seed) * UNIT).astype(int)
        return self.points or tuple((int(x), int(y)) for x, y in drawn)

    @property
    def array(self) -> Float[np.ndarray, "n 2"]:
        """They, in the unit square."""
        return np.array(self.shown, np.float64).reshape(-1, 2) / UNIT


for _control in (Choice.kind, Choice.number, Choice.seed):
    _control.changed = lambda: Choice.points.set(())  # what was moved is no longer there
Choice.text.changed = lambda: Choice.word.set(0)
