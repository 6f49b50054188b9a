"""What the page Pointers says about its pictures, each where it is true, and what their parts are in any state."""

from __future__ import annotations

import numpy as np

from tlmviz.figures import number
from tlmviz.ui.hints import OTHER_TEXT, Hint, first, within
from tlmviz.ui.language import N_, _, ngettext

from .data import Copies, Hull
from .state import HULL, SENTINEL

TRAINED = 5, 50  # points

# --- points of a hull ---------------------------------------------------------------------------------


def exactly(data: Hull) -> str | None:
    """The line is the hull."""
    if not data.verdict.exact or len(data.exact) < 3:
        return None
    return _(
        "Shown examples and no rule, the network visits {drawn} of {count} points, and its line is exactly the hull.",
        drawn=len(data.drawing.order),
        count=number(len(data.points), ","),
    )


def no_area(data: Hull) -> str | None:
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


def nearly(data: Hull) -> str | None:
    """A polygon that is not quite the hull."""
    found = data.verdict
    if found.exact or found.coverage is None:
        return None
    parts = []
    if found.missed:
        parts.append(ngettext("{n} corner left out", "{n} corners left out", len(found.missed)))
    if found.extra:
        parts.append(ngettext("{n} visited that is no corner", "{n} visited that are no corners", len(found.extra)))
    return _(
        "Shown examples and no rule, the network visits {drawn} of {count} points, and its line covers {share} of the "
        "hull's area ({parts}).",
        drawn=len(data.drawing.order),
        count=number(len(data.points), ","),
        share=number(found.coverage, ".2%"),
        parts=", ".join(parts) or _("in another order"),
    )


def no_polygon(data: Hull) -> str | None:
    """The line is no polygon."""
    if data.verdict.exact or data.verdict.coverage is not None or len(data.exact) < 3:
        return None
    return _(
        "Here the network fails: it visits {drawn} of {count} points, and that is no valid polygon: the line crosses "
        "itself or has no area.",
        drawn=len(data.drawing.order),
        count=number(len(data.points), ","),
    )


def unlike_training(data: Hull) -> str | None:
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


def hesitates(data: Hull) -> str | None:
    """The step that is drawn is the one at which it hesitates."""
    if data.step != data.doubtful or not (two := _two_best(data)):
        return None
    return ngettext(
        "The network visits {drawn} of {count} point, each time the one that its attention finds likeliest. At step "
        "{step} it hesitates most: {first} has {p}, {second} {q}.",
        "The network visits {drawn} of {count} points, each time the one that its attention finds likeliest. At step "
        "{step} it hesitates most: {first} has {p}, {second} {q}.",
        len(data.points),
        drawn=len(data.drawing.order),
        count=number(len(data.points), ","),
        step=data.step,
        **two,
    )


def unsure(data: Hull) -> str | None:
    """It is another one."""
    if data.step == data.doubtful or not (two := _two_best(data)):
        return None
    return _("It hesitates most at step {step}: {first} has {p}, {second} {q}.", step=data.doubtful, **two)


def _two_best(data: Hull) -> dict[str, str]:
    """Where it could go where it hesitates, with probabilities; nothing where there is one way."""
    weights = data.drawing.attention[data.doubtful - 1].astype(float)
    if len(weights) < 2:
        return {}
    first, second = np.argsort(-weights, kind="stable")[:2].tolist()
    p, q = (number(weights[at], ".3f") for at in (first, second))
    if q == "0.000":
        return {}
    return {"first": _target(data, first), "p": p, "second": _target(data, second), "q": q}


def _target(data: Hull, index: int) -> str:
    return _("the end") if index == len(data.points) else _("point {index}", index=index)


def on_one_another(data: Hull) -> str | None:
    """Fewer places than points."""
    if data.places == len(data.points):
        return None
    return ngettext(
        "The {count} points have {n} place: those in between lie on one another, and it reads the first of each.",
        "The {count} points have {n} places: some lie on one another, and of those it reads the first.",
        data.places,
        count=number(len(data.points), ","),
    )


HULL_CLAIMS = hesitates, exactly, no_area, nearly, no_polygon, unlike_training, unsure, on_one_another

# --- words of a text ----------------------------------------------------------------------------------


def copied_again(data: Copies) -> str | None:
    """An unknown word is the best guess where it comes again."""
    name, (best, places) = _best_hit(data)
    if not best:
        return None
    return ngettext(
        "It does not know the word {name}, and yet {name} is its best guess {best} of the {places} time that it comes "
        "again: it copies.",
        "It does not know the word {name}, and yet {name} is its best guess {best} of the {places} times that it comes "
        "again: it copies.",
        places,
        name=name,
        best=best,
        places=places,
    )


def not_copied(data: Copies) -> str | None:
    """Unknown words come again and are guessed nowhere."""
    name, (best, places) = _best_hit(data)
    if best or not places:
        return None
    return _(
        "It does not know the word {name}, and does not find it either: where it comes again ({places}), another word "
        "is the best guess.",
        name=name,
        places=places,
    )


def nothing_again(data: Copies) -> str | None:
    """Unknown words come once each."""
    if not data.mix.unknown or data.hits:
        return None
    return _("Not in the vocabulary: {names}. None comes again, so there was nothing to copy.", names=_names(data))


def all_known(data: Copies) -> str | None:
    """No unknown word."""
    if data.mix.unknown:
        return None
    return _(
        "Every word of this text is in the vocabulary, and still {share} of what the model predicts is copied.",
        share=_copied(data),
    )


def every_name(data: Copies) -> str | None:
    """Several unknown words come again."""
    if len(data.hits) < 2:
        return None
    said = [
        _("{word} {best} of {places}", word=word, best=best, places=places)
        for word, (best, places) in data.hits.items()
    ]
    return _("How often each unknown word is the best guess where it comes again: {each}.", each="; ".join(said))


def helped(data: Copies) -> str | None:
    """The pointer is worth something on this text."""
    one, two = _losses(data)
    if float(one) >= float(two):
        return None
    return _("On this text the mixture loses {one} nats per word, its twin without a pointer {two}.", one=one, two=two)


def hindered(data: Copies) -> str | None:
    """It is not."""
    one, two = _losses(data)
    if float(one) < float(two):
        return None
    return _(
        "On this text the pointer does not help: the mixture loses {one} nats per word, its twin without one {two}.",
        one=one,
        two=two,
    )


def where_it_comes_again(data: Copies) -> str | None:
    """The losses of unknown words that return."""
    if not data.again.any():
        return None
    one, two, own = (number(float(each[data.again].mean()), ".2f") for each in (*data.nats, data.own))
    return ngettext(
        "Where an unknown word comes again ({n} place): {loss} and {twin} nats. Any unknown word counts as right "
        "there, as the twin knows no other; that very word costs the mixture {own}.",
        "Where an unknown word comes again ({n} places): {loss} and {twin} nats. Any unknown word counts as right "
        "there, as the twin knows no other; that very word costs the mixture {own}.",
        int(data.again.sum()),
        loss=one,
        twin=two,
        own=own,
    )


def moved(data: Copies) -> str | None:
    """The sentinel's score is moved."""
    if not data.chosen.shift:
        return None
    return _(
        "With {shift} added to the sentinel's score {now} of what is predicted is copied; as it was learned {before}.",
        shift=number(data.chosen.shift, "+.1f"),
        now=_copied(data),
        before=number(1 - float(data.unmoved.gate.mean()), ".1%"),
    )


SENTINEL_CLAIMS = (
    copied_again,
    not_copied,
    nothing_again,
    all_known,
    every_name,
    helped,
    hindered,
    where_it_comes_again,
    moved,
)
HINTS = {
    HULL: (Hint(N_("Drag a point, double-click to add or remove one."), within),),
    SENTINEL: (Hint(N_("Point at a word; then type a text of your own."), first(text=OTHER_TEXT)),),
}


def _best_hit(data: Copies) -> tuple[str, tuple[int, int]]:
    return max(data.hits.items(), key=lambda item: item[1][0], default=("", (0, 0)))


def _names(data: Copies) -> str:
    return ", ".join(data.mix.unknown)


def _copied(data: Copies) -> str:
    return number(1 - float(data.mix.gate.mean()), ".1%")


def _losses(data: Copies) -> tuple[str, str]:
    one, two = (number(float(each.mean()), ".2f") for each in data.nats)
    return one, two


# --- in any state -------------------------------------------------------------------------------------

ON_HELD_OUT = 40.4, 282  # percent of so many places: models/stories-sentinel/card.md


def hull_notice() -> tuple[str, ...]:
    """What the points and lines are."""
    return (
        _(
            "The rays are the attention of one step: from the point reached last to every point that could come next, "
            "as wide as the probability. The network goes where it is highest; the box is the end marker, by which it "
            "says that it is done."
        ),
        _("The dashed line is the exact hull, by SciPy; of points on one line it joins the two ends."),
        _(
            "Nothing forces the line to be a hull. Points close to an edge make the rays split, and a corner may be "
            "left out (ringed) or a point taken that is none (crossed)."
        ),
        _(
            "Attention has no fixed number of places: the same weights answer for more points than it was ever trained "
            "on, and for fewer."
        ),
    )


def hull_maths() -> tuple[str, ...]:
    """What to notice with formulas."""
    return (
        _(
            "Visited points are masked (score −∞), which the paper does not do; the end marker is an (N + 1)-th key "
            "that competes in the same softmax."
        ),
    )


def sentinel_notice() -> tuple[str, ...]:
    """What the words and bars are."""
    share, places = ON_HELD_OUT
    return (
        _(
            "Each word is shaded by how much of its prediction was copied: 1 − g, where g is the gate. Arcs lead to "
            "the earlier words that the pointer looked at, and the bars show which words could have stood there."
        ),
        _(
            "A bar is the sum of two parts: what the vocabulary's softmax writes and what the pointer copies. A word "
            "with a dotted line is not in the vocabulary: it has a copied part only."
        ),
        _(
            "It does not always find a name: on held-out stories with an invented one, that name is the best guess at "
            "{share} of the {places} places where it comes again, and without a pointer at none.",
            share=number(share / 100, ".1%"),
            places=places,
        ),
    )


def sentinel_maths() -> tuple[str, ...]:
    """What to notice with formulas."""
    return (
        _(
            "The sentinel is one more key in the pointer's softmax; its share is g. Moving its score by d makes g eᵈ / "
            "(g eᵈ + 1 − g) of g."
        ),
        _(
            "Unknown words are read as stand-ins, in order of appearance, and have columns of their own after the "
            "vocabulary."
        ),
    )
