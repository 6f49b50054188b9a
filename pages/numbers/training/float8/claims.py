"""What the part FP8 says about its pictures, each where it is true."""

from __future__ import annotations

from tlmviz.analysis.numbers.float8 import CURRENT, DELAYED, FORMATS, NONE, STEPS
from tlmviz.figures import number
from tlmviz.ui.hints import Hint, to
from tlmviz.ui.language import N_, _, ngettext

from .data import Data

LAST = 4  # steps whose mean loss is a run's end


def points_alike(data: Data) -> str | None:
    """With scales, how far the last step goes FP32's way."""
    if data.chosen.scaling == NONE:
        return None
    return _(
        "In 8 bits, step {step} of training points where FP32's would, to a cosine of {cosine}: each tensor is scaled "
        "to what its format holds, and {vanished} of the numbers in its gradients become 0.",
        step=STEPS,
        cosine=number(data.run.cosine, ".3f"),
        vanished=share(data.vanished),
    )


def without_scales(data: Data) -> str | None:
    """Without scales, what vanishes."""
    if data.chosen.scaling != NONE:
        return None
    return _(
        "Without scales {vanished} of the numbers in the gradients become 0 in E5M2, and step {step} of training "
        "points where FP32's would to a cosine of {cosine}.",
        vanished=share(data.vanished),
        step=STEPS,
        cosine=number(data.run.cosine, ".3f"),
    )


def grown_beyond(data: Data) -> str | None:
    """How often a scale of past steps has no room for what comes."""
    if data.chosen.scaling != DELAYED:
        return None
    cut, times = data.cut
    return ngettext(
        "**A scale from the past** ({n} step): {cut} of {times} times a tensor's largest number had grown beyond its "
        "room, and was cut.",
        "**A scale from the past** ({n} steps): {cut} of {times} times a tensor's largest number had grown beyond its "
        "room, and was cut.",
        int(data.chosen.window),
        cut=f"{cut:,}",
        times=f"{times:,}",
    )


def learns(data: Data) -> str | None:
    """Both losses at the end."""
    ours, plain = (number(float(run.losses[-LAST:].mean()), ".3f") for run in (data.run, data.plain))
    return _(
        "**The last {last} losses** are {ours} nats per token in the mean; in FP32 the same steps come to {plain}.",
        last=LAST,
        ours=ours,
        plain=plain,
    )


CLAIMS = points_alike, without_scales, grown_beyond, learns
HINTS = (
    Hint(N_("Take the scales away (*none*)."), to(scaling=NONE)),
    Hint(N_("Give each number of this step a scale (*this step*)."), to(scaling=CURRENT)),
)


def share(part: float) -> str:
    """A share in percent; small ones with a digit that counts."""
    if 0 < part < 1e-4:
        return number(100 * part, ".1g") + "%"
    return number(part, ".0%" if part >= 0.1 or part == 0 else ".2%")


def formats(tensor: str) -> str:
    """What a tensor is kept in."""
    return FORMATS[tensor[-1]].name


NOTICE = (
    N_(
        "**Two formats.** E4M3 has a bit more of precision and holds up to 448: what goes forward lies close "
        "together. E5M2 has more range, up to 57,344: gradients differ by powers of ten."
    ),
    N_(
        "**Delayed**: the largest of a tensor is known only when all of it is there. A scale from past steps lets "
        "a product begin at once; what has grown since is cut to the format's largest. The first step has no past "
        "and looks at itself."
    ),
    N_(
        "Sums, norms, softmax, the residual stream and the weights themselves stay FP32. The arithmetic is "
        "simulated: numbers are rounded to 8 bits and multiplied as float32, whose products of two such numbers "
        "are exact."
    ),
)


MATHS = (
    N_(
        "Backward, $dX = G_8 W_8$ and $dW = G_8^\\top X_8$: both products have what was rounded, and scales are "
        "divided out at their end."
    ),
)
