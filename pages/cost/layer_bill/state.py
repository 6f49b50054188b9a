"""The state of the page One layer's bill: the part that is open, a layer's sizes, and what is looked at in the loaded
model."""

from __future__ import annotations

from typing import Any

from tlmviz.analysis.cost.layer import BYTES, COUNTED, MOST, Sizes, fitted
from tlmviz.errors import BadShape
from tlmviz.ui import inputs, link, state
from tlmviz.ui.language import N_

BILL, HAND, GROWTH, PARAMETERS, FFN = "bill", "hand", "growth", "parameters", "ffn"
DRAWN = (BILL, HAND, GROWTH)  # in the browser
SPELLED = {  # in links, and as they were first called
    BILL: N_("One layer"),
    HAND: N_("By hand"),
    GROWTH: N_("Word by word"),
    PARAMETERS: N_("Parameters"),
    FFN: N_("Feed-forward"),
}
BY_PART, BY_LAYER = "By part", "By layer"
LONGEST_TEXT = 2000  # tokens of a text that is written word by word
LONGEST_ANSWERS = 800  # characters of all cells that are filled in
START = Sizes()
TOY = (4, 8, 2)
NAMES = ("n", "d", "h", "g", "f", "gated", "batch", "bytes", "head")  # the fields that are a layer's sizes


def toy_sizes(toy: tuple[int, int, int]) -> Sizes:
    """The layer that is filled in by hand: FP32, every head with keys and values of its own. Raises BadShape."""
    n, d, h = toy
    return Sizes(n, d, h, h, 4 * d, bytes=4)


def _toy(text: str) -> tuple[int, int, int]:
    """Reads n.d.h; raises ValueError for what is no layer."""
    n, d, h = (link.whole(1, 100_000)(part) for part in text.split("."))
    try:
        toy_sizes((n, d, h))
    except BadShape as error:
        raise ValueError(text) from error
    return n, d, h


def _count(name: str, key: str) -> Any:
    most = MOST[name]
    return state.live(key, getattr(START, name), link.whole(1, most), ends=(1, most))


def _on(text: str) -> bool:
    return bool(link.whole(0, 1)(text))


class Bill(state.State):
    """A layer, its toy that is filled in by hand, the text that it writes, and the loaded model's part that is looked
    at."""

    model: str
    text: str = ""  # what the loaded model reads, in the part on its feed-forward parts
    part = state.parts(N_("View"), SPELLED, key="lbview", spelled=SPELLED)
    prompted = inputs.TEXT
    n = _count("n", "lbn")
    d = _count("d", "lbd")
    h = _count("h", "lbh")
    g = _count("g", "lbg")
    f = _count("f", "lbf")
    batch = _count("batch", "lbbatch")
    gated = state.live("lbgate", False, _on, lambda on: str(int(on)), ends=(True,))
    bytes = state.live("lbbytes", START.bytes, lambda text: int(link.choice(tuple(map(str, BYTES)))(text)), ends=BYTES)
    head = state.live("lbhead", 0, link.whole(0, MOST["d"]), ends=(MOST["d"],))  # 0: d / h
    counted = state.live("lbcount", COUNTED[1], link.choice(COUNTED), ends=COUNTED)
    prompt = state.live("lbprompt", 16, link.whole(1, LONGEST_TEXT), ends=(1, LONGEST_TEXT))
    steps = state.live("lbsteps", 100, link.whole(1, LONGEST_TEXT), ends=(1, LONGEST_TEXT))
    toy = state.live("lbtoy", TOY, _toy, lambda toy: ".".join(map(str, toy)), ends=((3, 6, 3),))
    answers = state.live("lbcells", "", link.up_to(LONGEST_ANSWERS))
    grouping = state.menu(N_("Grouped"), (BY_PART, BY_LAYER), key="lbby", segments=True, label_visibility="collapsed")
    layer = state.menu(  # None: the middle one
        N_("Layer"), key="lblayer", parse=link.whole(0, 99_999), show="layer {}".format, label_visibility="collapsed"
    )
    every = state.toggle(
        N_("Every layer, one after the other"),
        key="lball",
        help=N_("This model is large: leaving out each layer in turn takes several seconds."),
    )

    @property
    def fitted(self) -> tuple[Sizes, str]:
        """Sizes that can be near those asked for, and why they are others."""
        return fitted({name: getattr(self, name) for name in NAMES})
