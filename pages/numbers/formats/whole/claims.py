"""What the part Whole model says about its picture, each where it is true, and what its parts are in any state."""

from __future__ import annotations

import numpy as np

from tlmviz.analysis.numbers.rounded_model import ACTIVATIONS, BOTH, WEIGHTS
from tlmviz.analysis.numbers.scaling import TENSOR
from tlmviz.figures import number
from tlmviz.ui.hints import Hint, to
from tlmviz.ui.language import N_, _, ngettext

from ..state import PERS
from .data import Data


def nothing_rounded(data: Data) -> str | None:
    """No matrix is chosen."""
    if data.counts[0]:
        return None
    return _("No matrix is chosen, so nothing is rounded: choose some behind *More*.")


def costs(data: Data) -> str | None:
    """The text takes more bits."""
    before, after = _bits(data)
    if not data.counts[0] or not float(after) > float(before):
        return None
    return _(
        "{how}, {model} needs {after} bits for each byte of this text instead of {before}: it predicts it worse.",
        how=_how(data),
        model=data.chosen.model,
        after=after,
        before=before,
    )


def costs_nothing(data: Data) -> str | None:
    """The text takes as many bits as before."""
    before, after = _bits(data)
    if not data.counts[0] or after != before:
        return None
    return _(
        "{how}, {model} needs {after} bits for each byte of this text, as it does in FP32.",
        how=_how(data),
        model=data.chosen.model,
        after=after,
    )


def gains_by_chance(data: Data) -> str | None:
    """The text takes fewer bits: predictions moved, and the right tokens won by it."""
    before, after = _bits(data)
    if not data.counts[0] or not float(after) < float(before):
        return None
    return _(
        "{how}, {model} needs {after} bits for each byte of this text, in FP32 {before}. That is chance: its "
        "predictions moved, and on this text the right tokens won by it.",
        how=_how(data),
        model=data.chosen.model,
        after=after,
        before=before,
    )


def other_choices(data: Data) -> str | None:
    """Some tokens thought likeliest are others now."""
    changed, count = int((~data.loss.same).sum()), len(data.loss.same)
    if not changed:
        return None
    return ngettext(
        "**{n} of {count} predictions** has another first choice than in FP32.",
        "**{n} of {count} predictions** have another first choice than in FP32.",
        changed,
        count=count,
    )


def sides(data: Data) -> str | None:
    """Which of the two sides moves predictions more."""
    if not data.counts[0] or data.by_side is None:
        return None
    weights, activations = (f"{data.by_side[side]:.3f}" for side in (WEIGHTS, ACTIVATIONS))
    if float(activations) > float(weights):
        said = _(
            "**Activations** are what moves predictions: alone by {activations} nats, weights alone by {weights}.",
            activations=activations,
            weights=weights,
        )
    elif float(weights) > float(activations):
        said = _(
            "**Weights** are what moves predictions: alone by {weights} nats, activations alone by {activations}.",
            activations=activations,
            weights=weights,
        )
    else:
        said = None
    return said


CLAIMS = nothing_rounded, costs, costs_nothing, gains_by_chance, other_choices, sides
HINTS = (Hint(N_("Choose *INT4* and *per tensor*."), to("rounding", format="int4", per=TENSOR)),)


def _bits(data: Data) -> tuple[str, str]:
    before, after = data.loss.bits_per_byte
    return f"{before:.3f}", f"{after:.3f}"


def _how(data: Data) -> str:
    rounded, all_ = data.counts
    what = _("all its matrices") if rounded == all_ else _("{some} of its {all} matrices", some=rounded, all=all_)
    per, format = _(PERS[data.setting.scheme.per]), data.setting.scheme.kept.name
    return _("With {what} in {format} (a scale {per})", what=what, format=format, per=per)


def costs_most(data: Data) -> str | None:
    """Which matrix costs most alone, and what the head does, which is in no layer."""
    costs = np.nan_to_num(data.alone, nan=-1.0)
    part, layer = np.unravel_index(int(costs.argmax()), costs.shape)
    return _(
        "Alone, **{part}** of layer {layer} moves predictions most, by {most} nats; the head, which is in no layer, by "
        "{head}.",
        part=data.names[part],
        layer=int(layer),
        most=number(float(costs.max()), ".2g"),
        head=number(data.head_alone, ".2g"),
    )


def how_made(data: Data) -> str:
    """How many products are rounded, and how they are made."""
    scheme, (rounded, all_) = data.setting.scheme, data.counts
    if scheme.kept.integer and scheme.factors_out and data.setting.sides == BOTH:
        how = _("true integers, multiplied in 8 bits and added in 32")
    else:
        how = _("simulated in float32")
    return _("{some} of the model's {all} matrices are rounded; {how}.", some=rounded, all=all_, how=how)


NOTICE = (
    N_(
        "**Bits per byte** is what the text costs; **KL** how far each prediction moved, even where the right "
        "token happened to win by it: on a text this short the loss may fall by chance, KL cannot."
    ),
    N_(
        "Matrices **q k v o** belong to attention, **gate up down** to the MLP, **head** makes the logits. "
        "The map below rounds one of them at a time."
    ),
)


MATHS = (
    N_(
        "**Simulated**: float32 arithmetic on numbers rounded to the format, as hardware that adds in FP32 would "
        "find. INT8 and INT4 with a scale per tensor or channel are multiplied as true integers and added in 32 "
        "bits."
    ),
    N_(
        "Norms, softmax, rotations, the residual stream and routers stay FP32. Scales are taken at each product "
        "from the numbers themselves (dynamic), not from earlier texts as the H100's engine does."
    ),
)
