"""What the part Gradients says about its picture, each where it is true, and what its parts are in any state."""

from __future__ import annotations

import numpy as np

from tlmviz.analysis.numbers.loss_scaling import ACTIVATIONS, LENGTH, MOST_LOST, SCALES, scaled
from tlmviz.figures import number
from tlmviz.figures.numbers.loss_scaling import power_of_two
from tlmviz.ui import markdown
from tlmviz.ui.hints import Hint, to, where
from tlmviz.ui.language import N_, _

from .data import Data


def all_zero(data: Data) -> str | None:
    """There is nothing to keep."""
    if data.sizes.total:
        return None
    return _("All of these gradients are 0: {name}.", name=_name(data))


def one_too_large(data: Data) -> str | None:
    """A gradient overflows: the step is of no use."""
    large = data.shares().overflow
    if not data.sizes.total or not large:
        return None
    return _(
        "With the loss multiplied by S = {scale}, {share} of the gradients are too large for {format}. One is enough: "
        "such a step is skipped.",
        scale=power_of_two(data.chosen.k),
        share=share(large),
        format=data.format.name,
    )


def many_vanish(data: Data) -> str | None:
    """More is lost than a safe scale may lose."""
    found = data.shares()
    if not data.sizes.total or found.overflow or found.lost <= MOST_LOST:
        return None
    return _(
        "With the loss multiplied by S = {scale}, {lost} of this step's gradients become 0 in {format} and teach "
        "nothing; another {few} keep fewer bits.",
        scale=power_of_two(data.chosen.k),
        format=data.format.name,
        lost=share(found.lost),
        few=share(found.subnormal),
    )


def nearly_all_kept(data: Data) -> str | None:
    """The scale is safe."""
    found = data.shares()
    if not data.sizes.total or found.overflow or found.lost > MOST_LOST:
        return None
    return _(
        "With the loss multiplied by S = {scale}, {format} keeps {kept} of this step's gradients: {lost} become 0 and "
        "none is too large.",
        scale=power_of_two(data.chosen.k),
        format=data.format.name,
        kept=share(1 - found.lost),
        lost=share(found.lost),
    )


def safe_scales(data: Data) -> str | None:
    """Between which limits scales are safe."""
    if data.safe is None:
        return None
    least, most = map(power_of_two, data.safe)
    if least == most:
        return _("Only S = {least} loses at most {few} and makes none too large.", least=least, few=share(MOST_LOST))
    return _(
        "**Safe scales** lose at most {few} and make none too large: from {least} to {most}.",
        few=share(MOST_LOST),
        least=_("{scale}, where the slider begins,", scale=least) if data.safe[0] == SCALES[0] else least,
        most=_("{scale}, where it ends", scale=most) if data.safe[1] == SCALES[-1] else most,
    )


def no_safe_scale(data: Data) -> str | None:
    """There is none: the gradients reach further than the format."""
    if data.safe is not None or not data.sizes.total:
        return None
    sizes = data.sizes.by_size.sum(1)
    held = np.flatnonzero(sizes)
    return _(
        "**No scale is safe**: these gradients spread over {doublings} doublings, and none of the scales here brings "
        "nearly all of them between {format}'s smallest number and its largest.",
        doublings=int(held[-1] - held[0] + 1),
        format=data.format.name,
    )


def hardest_hit(data: Data) -> str | None:
    """Which tensor loses most, where some differ."""
    from_all = {name: _lost(data, name) for name in data.counts}
    worst = max(from_all, key=from_all.__getitem__)
    if share(from_all[worst]) == share(min(from_all.values())):
        return None
    return _(
        "Of all tensors **{name}** loses most: {lost} of its gradients. Click its cell to see it alone.",
        name=markdown.plain(worst),
        lost=share(from_all[worst]),
    )


CLAIMS = (all_zero, one_too_large, many_vanish, nearly_all_kept, safe_scales, no_safe_scale, hardest_hit)
HINTS = (
    Hint(
        N_("Drag S until hardly any is lost."),
        where(lambda data: data.safe and data.chosen.k < data.safe[0], to(k=lambda data: data.safe[1])),
        lambda before, after: before.shares().lost > MOST_LOST >= after.shares().lost,
    ),
    Hint(
        N_("Drag S back until none is too large."),
        where(lambda data: data.safe and data.chosen.k > data.safe[1], to(k=lambda data: data.safe[1])),
        lambda before, after: before.shares().overflow > 0 == after.shares().overflow,
    ),
    Hint(N_("Choose *E4M3*."), to(format="e4m3")),
)


def _lost(data: Data, name: str) -> float:
    sizes = data.counts[name]
    return float(scaled(sizes, data.format, data.chosen.k).lost) if sizes.total else 0.0


def _name(data: Data) -> str:
    if data.part:
        return markdown.plain(data.part)
    return _("those by activations") if data.chosen.kind == ACTIVATIONS else _("those by weights")


def share(part: float) -> str:
    """A share in per cent; 0% and 100% only where it is."""
    if part in (0, 1):
        return f"{part:.0%}"
    written = f"{100 * part:.3g}"
    if part < 1e-5 or part > 1 - 1e-5:
        return str(_("under 0.001%") if part < 0.5 else _("over 99.999%"))
    return f"{float(written):.15g}%" if float(written) < 100 else f"{100 * part:.3f}%"


def title(data: Data) -> str:
    """What the picture is of."""
    kind = _("gradients by activations") if data.chosen.kind == ACTIVATIONS else _("gradients by weights")
    return f"{data.chosen.model}: {kind}"


def least_error(data: Data) -> str | None:
    """Which of the scales that were really run is best, and which is the largest that works."""
    fine = [each for each in data.passes if np.isfinite(each.error)]
    if not fine:
        return None
    best = min(fine, key=lambda each: each.error)
    return _(
        "Really run, the step is nearest to FP32's at S = {best}, {error} off; the largest scale that works is {most}.",
        best=power_of_two(best.k),
        error=number(best.error, ".2%"),
        most=power_of_two(fine[-1].k),
    )


def every_overflows(data: Data) -> str | None:
    """None of them works."""
    if any(np.isfinite(each.error) for each in data.passes):
        return None
    return _("Really run, the step overflows at every scale.")


PASSES = least_error, every_overflows


def how_run() -> str:
    """What is measured of the passes."""
    return _(
        "|g in FP16 / S − g| / |g| over all weights, matrix products rounded to FP16 forwards and backwards, as by "
        "torch.autocast; of stories the first {tokens} tokens. A scale below 1 stands for a batch so many times "
        "larger.",
        tokens=LENGTH,
    )


NOTICE = (
    N_(
        "Each bar is a doubling of size. Left of the format's smallest number there is only 0; between that and "
        "its smallest normal number (subnormal) a gradient keeps fewer and fewer of its bits. The loss is a mean, "
        "so each gradient by activations is divided by the number of tokens."
    ),
    N_(
        "The loss times S makes every gradient S times as large: the hill moves right as a whole. Before the "
        "weights are changed, gradients are divided by S again, in FP32. Each cell at the right is one tensor."
    ),
)


MATHS = (
    N_(
        "$S=2^k$ moves exponents and rounds nothing, so the shares are exact: counts by exponent, with the limits "
        "at which a format rounds to 0, to its smallest normal number, or to infinity (65520 for FP16), ties to "
        "even."
    ),
    N_(
        "The gradients are FP32's, each rounded alone. In a real pass what is lost in one layer is missing in "
        "those before it: the curve below the picture is such a pass."
    ),
)
