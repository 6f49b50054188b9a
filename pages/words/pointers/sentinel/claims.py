"""What the part Words of a text says about its picture, each where it is true, and what is seen in any state."""

from __future__ import annotations

from tlmviz.figures import number
from tlmviz.ui.hints import OTHER_TEXT, Hint, first
from tlmviz.ui.language import N_, _, ngettext

from .data import Data


def copied_again(data: Data) -> str | None:
    """An unknown word is the best guess where it comes again."""
    name, (best, places) = _best_hit(data)
    if not best:
        return None
    return ngettext(
        "It does not know the word {name}, and yet {name} is its best guess {best} of the {n} time that it comes "
        "again: it copies.",
        "It does not know the word {name}, and yet {name} is its best guess {best} of the {n} times that it comes "
        "again: it copies.",
        places,
        name=name,
        best=best,
    )


def not_copied(data: Data) -> str | None:
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


def nothing_again(data: Data) -> str | None:
    """Unknown words come once each."""
    if not data.mix.unknown or data.hits:
        return None
    return _(
        "Not in the vocabulary: {names}. None comes again, so there was nothing to copy.",
        names=", ".join(data.mix.unknown),
    )


def all_known(data: Data) -> str | None:
    """No unknown word."""
    if data.mix.unknown:
        return None
    return _(
        "Every word of this text is in the vocabulary, and still {share} of what the model predicts is copied.",
        share=_copied(data),
    )


def helped(data: Data) -> str | None:
    """The pointer is worth something on this text."""
    one, two = _losses(data)
    if float(one) >= float(two):
        return None
    return _("On this text the mixture loses {one} nats per word, its twin without a pointer {two}.", one=one, two=two)


def hindered(data: Data) -> str | None:
    """It is not."""
    one, two = _losses(data)
    if float(one) < float(two):
        return None
    return _(
        "On this text the pointer does not help: the mixture loses {one} nats per word, its twin without one {two}.",
        one=one,
        two=two,
    )


def where_it_comes_again(data: Data) -> str | None:
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


def moved(data: Data) -> str | None:
    """The sentinel's score is moved."""
    if not data.chosen.shift:
        return None
    return _(
        "With {shift} added to the sentinel's score {now} of what is predicted is copied; as it was learned {before}.",
        shift=number(data.chosen.shift, "+.1f"),
        now=_copied(data),
        before=number(1 - float(data.unmoved.gate.mean()), ".1%"),
    )


CLAIMS = copied_again, not_copied, nothing_again, all_known, helped, hindered, where_it_comes_again, moved
HINTS = (Hint(N_("Point at a word; then type a text of your own."), first(text=OTHER_TEXT)),)


def _best_hit(data: Data) -> tuple[str, tuple[int, int]]:
    return max(data.hits.items(), key=lambda item: item[1][0], default=("", (0, 0)))


def _copied(data: Data) -> str:
    return number(1 - float(data.mix.gate.mean()), ".1%")


def _losses(data: Data) -> tuple[str, str]:
    one, two = (number(float(each.mean()), ".2f") for each in data.nats)
    return one, two


NOTICE = (
    N_(
        "Each word is shaded by how much of its prediction was copied: 1 − g, where g is the gate. Arcs lead to "
        "the earlier words that the pointer looked at, and the bars show which words could have stood there."
    ),
    N_(
        "A bar is the sum of two parts: what the vocabulary's softmax writes and what the pointer copies. A word "
        "with a dotted line is not in the vocabulary: it has a copied part only."
    ),
    N_(  # measured: models/stories-sentinel/card.md
        "It does not always find a name: on held-out stories with an invented one, that name is the best guess at "
        "40.4% of the 282 places where it comes again, and without a pointer at none."
    ),
)
MATHS = (
    N_(
        "The sentinel is one more key in the pointer's softmax; its share is g. Moving its score by d makes g eᵈ / "
        "(g eᵈ + 1 − g) of g."
    ),
    N_(
        "Unknown words are read as stand-ins, in order of appearance, and have columns of their own after the "
        "vocabulary."
    ),
)
