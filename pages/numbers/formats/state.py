"""The state of the page Formats: the part that is open, and the format and scales under which its parts round a
model."""

from __future__ import annotations

from tlmviz.analysis.numbers.formats import BY_KEY
from tlmviz.analysis.numbers.scaling import BLOCK, BLOCKS, CHANNEL, KEYS, SHARED, TENSOR, Scheme
from tlmviz.ui import state
from tlmviz.ui.language import N_

BITS, PRODUCT, WHOLE = "bits", "product", "whole"
PERS = {
    TENSOR: N_("per tensor"),
    CHANNEL: N_("per channel"),
    BLOCK: N_("per block"),
    SHARED: N_("per block, powers of 2"),
}
BLOCKED = BLOCK, SHARED


class Part(state.State):
    """Which part of the page is open."""

    part = state.parts(
        N_("Part"), {BITS: N_("One number"), PRODUCT: N_("One product"), WHOLE: N_("Whole model")}, key="nfpart"
    )


class Rounding(state.State):
    """A format, and what shares a scale."""

    format = state.menu(
        N_("Format"),
        {key: BY_KEY[key].name for key in KEYS},
        key="scf",
        spelled={key: BY_KEY[key].name for key in KEYS},
        label_visibility="collapsed",
        segments=True,
    )
    per = state.menu(
        N_("A scale"),
        PERS,
        key="scper",
        default=BLOCK,
        spelled=PERS,
        label_visibility="collapsed",
        help=N_("What shares a scale. A channel is a token's row of X and an output's row of W."),
    )
    block = state.menu(N_("Numbers in a block"), BLOCKS, key="scblock", default=32)

    @property
    def scheme(self) -> Scheme:
        """What a matrix is rounded under."""
        return Scheme(self.format, self.per, self.block)

    @property
    def name(self) -> str:
        """The format's name."""
        return BY_KEY[self.format].name
