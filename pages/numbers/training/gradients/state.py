"""The state of the part Gradients: which gradients, and the format, the scale and the tensor that the picture holds."""

from __future__ import annotations

from tlmviz.analysis.numbers.loss_scaling import ACTIVATIONS, FORMATS, SCALES, WEIGHTS
from tlmviz.ui import link, state
from tlmviz.ui.language import N_

LONGEST = 60  # characters of a tensor's name


def _power(text: str) -> int:
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    whole = link.whole(0, 99_999)(digits)
    return min(max(-whole if sign else whole, SCALES[0]), SCALES[-1])


_KEYS = tuple(each.key for each in FORMATS)


class Gradients(state.State):
    """A model and what its step reads, None for stories; which gradients, how kept and how scaled."""

    model: str
    text: str | None
    kind = state.menu(
        N_("Gradients by"),
        {ACTIVATIONS: N_("by activations"), WEIGHTS: N_("by weights")},
        key="lskind",
        segments=True,
        label_visibility="collapsed",
    )
    format = state.live("lsfmt", "fp16", link.choice(_KEYS), ends=_KEYS)
    k = state.live("lsk", 0, _power, ends=(SCALES[0], 16, SCALES[-1]))
    part = state.live("lspart", "", link.up_to(LONGEST), ends=("", "xyz"))  # a tensor; "" for all
