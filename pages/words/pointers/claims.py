"""What the part Points of a hull says about its picture, each where it is true, and what is seen in any state."""

from __future__ import annotations

import numpy as np

from tlmviz.figures import number
from tlmviz.ui.hints import Hint, within
from tlmviz.ui.language import N_, _, ngettext

from .data import Data

TRAINED = 5, 50  # points


def exactly(data: Data) -> str | None:
    """The line is the hull."""
    if not data.verdict.exact or len(data.exact) < 3:
        return None
    return _(
        "Shown examples and no rule, the network visits {drawn} of {count} points, and its line is exactly the hull.",
        drawn=len(data.drawing.order),
        count=number(len(data.points), ","),
    )


def no_area(data: Data) -> str | None:
    """Points on one line or in one place."""
    if len(data.exact) > 2:
        return None
    if not data.verdict.exact:
        return _(
            "The points lie on one line, so their hull has no area; the network visits {drawn} of {count} points.",
            drawn=len(data.drawing.order),
            count=number(len(data.points), ","),
        )
    if len(data.exact) == 1:
        return ngettext(
            "There is one place to go, and the network visits it: {drawn} of {n} point.",
            "All {n} points lie in one place, and the network visits it once: {drawn} of {n} points.",
            len(data.points),
            drawn=len(data.drawing.order),
        )
    return _(
        "The points lie on one line: the network visits {drawn} of {count} points, exactly the two ends.",
        drawn=len(data.drawing.order),
        count=number(len(data.points), ","),
    )


def nearly(data: Data) -> str | None:
    """A polygon that is not quite the hull."""
    found = data.verdict
    if found.exact or found.coverage is None:
        return None
    parts = []
    if found.missed:
        parts.append(ngettext("{n} corner left out", "{n} corners left out", len(found.missed)))
    if found.extra:
        parts.append(ngettext("{n} visited that is no corner", "{n} visited that are no corners", len(found.extra)))
    said = parts[0] if parts else _("in another order")
    for more in parts[1:]:
        said = said + ", " + more
    return _(
        "Shown examples and no rule, the network visits {drawn} of {count} points, and its line covers {share} of the "
        "hull's area ({parts}).",
        drawn=len(data.drawing.order),
        count=number(len(data.points), ","),
        share=number(found.coverage, ".2%"),
        parts=said,
    )


def no_polygon(data: Data) -> str | None:
    """The line is no polygon."""
    if data.verdict.exact or data.verdict.coverage is not None or len(data.exact) < 3:
        return None
    return _(
        "Here the network fails: it visits {drawn} of {count} points, and that is no valid polygon: the line crosses "
        "itself or has no area.",
        drawn=len(data.drawing.order),
        count=number(len(data.points), ","),
    )


def unlike_training(data: Data) -> str | None:
    """So many points it never saw."""
    least, most = TRAINED
    if least <= len(data.points) <= most:
        return None
    return ngettext(
        "It was never trained on {n:,} point: the sets that it saw had {least} to {most}.",
        "It was never trained on {n:,} points: the sets that it saw had {least} to {most}.",
        len(data.points),
        least=least,
        most=most,
    )


def hesitates(data: Data) -> str | None:
    """The step that is drawn is the one at which it hesitates."""
    if data.step != data.doubtful or not (two := _two_best(data)):
        return None
    return ngettext(
        "The network visits {drawn} of {n:,} point, each time the one that its attention finds likeliest. At step "
        "{step} it hesitates most: {first} has {p}, {second} {q}.",
        "The network visits {drawn} of {n:,} points, each time the one that its attention finds likeliest. At step "
        "{step} it hesitates most: {first} has {p}, {second} {q}.",
        len(data.points),
        drawn=len(data.drawing.order),
        step=data.step,
        **two,
    )


def unsure(data: Data) -> str | None:
    """It is another one."""
    if data.step == data.doubtful or not (two := _two_best(data)):
        return None
    return _("It hesitates most at step {step}: {first} has {p}, {second} {q}.", step=data.doubtful, **two)


def _two_best(data: Data) -> dict[str, str]:
    """Where it could go where it hesitates, with probabilities; nothing where there is one way."""
    weights = data.drawing.attention[data.doubtful - 1].astype(float)
    if len(weights) < 2:
        return {}
    first, second = np.argsort(-weights, kind="stable")[:2].tolist()
    p, q = (number(weights[at], ".3f") for at in (first, second))
    if q == "0.000":
        return {}
    return {"first": _target(data, first), "p": p, "second": _target(data, second), "q": q}


def _target(data: Data, index: int) -> str:
    return _("the end") if index == len(data.points) else _("point {index}", index=index)


def on_one_another(data: Data) -> str | None:
    """Fewer places than points."""
    if data.places == len(data.points):
        return None
    return ngettext(
        "The {count} points have {n} place: those in between lie on one another, and it reads the first of each.",
        "The {count} points have {n} places: some lie on one another, and of those it reads the first.",
        data.places,
        count=number(len(data.points), ","),
    )


CLAIMS = hesitates, exactly, no_area, nearly, no_polygon, unlike_training, unsure, on_one_another
HINTS = (Hint(N_("Drag a point, double-click to add or remove one."), within),)
NOTICE = (
    N_(
        "The rays are the attention of one step: from the point reached last to every point that could come next, "
        "as wide as the probability. The network goes where it is highest; the box is the end marker, by which it "
        "says that it is done."
    ),
    N_("The dashed line is the exact hull, by SciPy; of points on one line it joins the two ends."),
    N_(
        "Nothing forces the line to be a hull. Points close to an edge make the rays split, and a corner may be "
        "left out (ringed) or a point taken that is none (crossed)."
    ),
    N_(
        "Attention has no fixed number of places: the same weights answer for more points than it was ever trained "
        "on, and for fewer."
    ),
)
MATHS = (
    N_(
        "Visited points are masked (score −∞), which the paper does not do; the end marker is an (N + 1)-th key "
        "that competes in the same softmax."
    ),
)
