"""The state of the part One number: a format and what is typed, both set in the picture, and a kind of a model's
numbers."""

from __future__ import annotations

from tlmviz.analysis.numbers.formats import BY_KEY, find, read
from tlmviz.errors import BadText
from tlmviz.ui import link, state
from tlmviz.ui.language import N_

LONGEST = 60  # characters of what is typed
WEIGHTS, ACTIVATIONS, GRADIENTS = "weights", "activations", "gradients"
KINDS = {WEIGHTS: N_("weights"), ACTIVATIONS: N_("activations"), GRADIENTS: N_("gradients")}


def _readable(text: str) -> str:
    """A number, or bits that the longest format can have."""
    try:
        read(text, find("fp32"))
    except BadText as error:
        raise ValueError(text) from error
    if len(text) > LONGEST:
        raise ValueError(text)
    return text


class Bits(state.State):
    """A format's key and a number as it is typed; and which of the numbers of a model on a text the table speaks of."""

    model: str = ""
    text: str | None = None
    format = state.live("nfmt", "e4m3", link.choice(tuple(BY_KEY)), ends=tuple(BY_KEY))
    number = state.live(
        "nnum",
        "0.1",
        _readable,
        ends=("70000", "1e-8", "0x7f", "-0", "448.0001", "0.7", "nan", "-inf", "1e400", "0x1ff", "6", "-7.4", "1e-5"),
    )
    kind = state.menu(N_("Numbers"), KINDS, key="nkind", default=GRADIENTS, segments=True, label_visibility="collapsed")
