"""The state of the part Rank-1 pictures: which matrix, and, from the picture, its terms, their order and how many."""

from __future__ import annotations

from tlmviz.analysis.notation.model_products import SOURCES
from tlmviz.analysis.notation.rank_one import LONGEST, PRODUCT, WAYS
from tlmviz.ui import link, state
from tlmviz.ui.language import N_

OWN = "My own"
CROSS = "0 0 1 0 0; 0 0 1 0 0; 1 1 1 1 1; 0 0 1 0 0; 0 0 1 0 0"  # two terms


class Rank(state.State):
    """A source, and what it depends on: a model's layer and head, the text that is read, or what is typed."""

    model: str
    text: str
    layer: int = 0
    head: int = 0
    source = state.menu(
        N_("Matrix"),
        {OWN: N_("My own"), **{name: name for name in SOURCES}},
        key="r1src",
        segments=True,
        label_visibility="collapsed",
    )
    typed = state.text(
        N_("Matrix of my own"),
        CROSS,
        key="r1mat",
        longest=LONGEST + 1,
        ends=("1 2; 2 4 × 1 0; 0 1", "0", "1 2 3"),
        more={"live": "150ms", "label_visibility": "collapsed"},
    )
    way = state.live("r1way", PRODUCT, link.choice(WAYS), ends=WAYS)
    count = state.live("r1k", 4, link.whole(0, 9999), ends=(0, 1, 9999))
    sorted = state.live(
        "r1sort",
        True,
        lambda text: link.choice(("largest", "given"))(text) == "largest",
        lambda on: "largest" if on else "given",
        ends=(False,),
    )
