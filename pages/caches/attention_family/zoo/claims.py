"""What the part Model zoo says about its charts, each where it is true."""

from __future__ import annotations

import math

from tlmviz.figures import number
from tlmviz.ui.hints import Hint, within
from tlmviz.ui.language import N_, _

from .data import SAME, Data


def _short(choice: str) -> str:
    """A choice without what follows its first comma, which would read as another one in a list."""
    return choice.partition(",")[0]


def as_good_and_smaller(data: Data) -> str | None:
    """A choice that keeps less and is no worse for all that can be told."""
    line = data.smallest
    if line is None:
        return None
    values = {
        "choice": _short(line["choice"]),
        "few": f"{line['cache_bytes_per_token']:,.0f}",
        "many": f"{data.baseline['cache_bytes_per_token']:,.0f}",
    }
    if line["difference"] <= 0:
        return _(
            "With {choice} a model keeps {few} bytes of each token in place of {many}, and foresees stories no worse.",
            **values,
        )
    said = (
        _(
            "With {choice} a model keeps {few} bytes of each token in place of {many} and foresees stories worse by "
            "{more} bits per byte, which lies within the band of seed noise."
        )
        if line["verdict"] == SAME
        else _(
            "With {choice} a model keeps {few} bytes of each token in place of {many} and foresees stories worse by "
            "{more} bits per byte; with one training of the baseline nobody knows whether that is chance."
        )
        if math.isinf(data.noise.limit)
        else _(
            "With {choice} a model keeps {few} bytes of each token in place of {many} and foresees stories worse by "
            "{more} bits per byte: outside the band of seed noise, yet within the dotted lines, so it may still be "
            "chance."
        )
    )
    return said.format(more=number(line["difference"], ".3f"), **values)


def smaller_is_worse(data: Data) -> str | None:
    """No such choice."""
    if data.choices.empty or data.smallest is not None:
        return None
    return _("No choice here keeps less of each token than the baseline without foreseeing stories worse.")


def alone(data: Data) -> str | None:
    """A table of nothing to compare."""
    return _("The table has the baseline alone: there is nothing to compare it with.") if data.choices.empty else None


def chance(data: Data) -> str | None:
    """The band."""
    noise = data.noise
    if noise.seeds < 2:
        return None
    return _(
        "The band is chance: {seeds} trainings of the baseline differ in nothing but their random start, the seed. "
        "Their mean is {mean} bits per byte, and the best is {spread} below the worst; the band reaches as far to "
        "either side of the mean.",
        seeds=noise.seeds,
        mean=f"{noise.centre:.4f}",
        spread=f"{noise.spread:.4f}",
    )


def limits(data: Data) -> str | None:
    """The dotted lines."""
    noise = data.noise
    if math.isinf(noise.limit):
        return None
    return _(
        "*Better* and *worse* are said only beyond the dotted lines, {limit} from the mean: each choice was trained "
        "once, and of {choices} that change nothing one would fall there one time in twenty (simulated, normal noise).",
        limit=f"{noise.limit:.4f}",
        choices=noise.choices,
    )


def unequal_sizes(data: Data) -> str | None:
    """What is not equal."""
    sizes = data.table["parameters"].dropna()
    if len(sizes) < 2 or number(share := sizes.max() / sizes.min() - 1, ".0%") == "0%":
        return None
    return _(
        "One recipe, one corpus of small stories, one size but for what a choice itself needs: parameters differ by up "
        "to {share}.",
        share=number(share, ".0%"),
    )


CLAIMS = (as_good_and_smaller, smaller_is_worse, alone, chance, limits, unequal_sizes)
HINTS = (Hint(N_("Choose a line of the table below."), within),)
NOTICE = (
    N_(
        "*Bits per byte* says how well a model foresees stories that it has not read: how many bits it needs for a "
        "letter. Each model differs from the first line, the *baseline*, in the one thing that is named."
    ),
    N_("Another size may order the choices differently."),
)
MATHS = (
    N_("The band holds three in four trainings more: one would fall outside about one time in four."),
    N_("Speeds are of a CPU and of this code, measured once: differences of a few per cent mean nothing."),
)
