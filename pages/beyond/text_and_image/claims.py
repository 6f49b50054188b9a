"""What the page Text and image says about its picture, each where it is true."""

from __future__ import annotations

from tlmviz.facades.scenes.language import PLACES
from tlmviz.figures import number
from tlmviz.ui.hints import Hint, within
from tlmviz.ui.language import N_, _, listed, ngettext

from .data import Data


def looked(data: Data) -> str:
    """Where the model looked to say the chosen word of its answer; empty where no cell had more than half of the
    weight."""
    looks, (word, _patch, head, *_turned) = data.looks, data.shown
    if data.found is None or looks is None or word <= len(data.found.answer.asked) or looks.max() < 0.505:
        return ""
    values = {
        "word": data.words[word - 1],
        "cell": PLACES[int(looks.argmax())],
        "share": number(float(looks.max()), ".0%"),
    }
    if not head:
        return _(
            " To say “{word}”, its heads looked at the cell at the {cell}, which has {share} of the weight.", **values
        )
    layer, at = divmod(head - 1, data.found.answer.maps.shape[2])
    return _(
        " To say “{word}”, head L{layer}H{at} looked at the cell at the {cell}, which has {share} of the weight.",
        layer=layer,
        at=at,
        **values,
    )


def verdict(data: Data) -> str:
    """What the first model says, and what is true."""
    if data.found is None:
        return ""
    said, truth = data.found.answer.text, data.found.truth
    if truth is None:
        return _("The model says “{said}”. What is true is left open, as digits were drawn.", said=said)
    if said == truth:
        return _("The model says “{said}”, which is correct.", said=said)
    if not said:
        return _("The model says nothing: wrong, it is “{truth}”.", truth=truth)
    return _("The model says “{said}”: wrong, it is “{truth}”.", said=said, truth=truth)


def right(data: Data) -> str | None:
    """The first model's answer is the true one."""
    if data.found is None or data.found.answer.text != data.found.truth:
        return None
    return verdict(data) + looked(data)


def wrong(data: Data) -> str | None:
    """It is not."""
    if data.found is None or data.found.truth in (None, data.found.answer.text):
        return None
    return verdict(data) + looked(data)


def unknown(data: Data) -> str | None:
    """Nobody knows, as a digit was drawn."""
    if data.found is None or data.found.truth is not None:
        return None
    return verdict(data) + looked(data)


def _named(cells: list[int]) -> str:
    if not cells:
        return _("nothing")
    if len(cells) > 3:
        return _("{n} cells", n=len(cells))
    return listed([_("the {place}", place=PLACES[cell]) for cell in cells])


def _marked(data: Data) -> str:
    """What the turned model marks, in words."""
    assert data.found is not None
    marking = data.found.marking
    if not marking.marked and marking.patches.max() > 0.5:
        return _("no whole cell")
    return _named(marking.marked)


def marks_right(data: Data) -> str | None:
    """The second model marks what the answer speaks of."""
    if data.found is None or data.found.marking.marked != data.found.true_cells:
        return None
    return _("The patches mark {marked}, which is correct.", marked=_marked(data))


def marks_wrong(data: Data) -> str | None:
    """It does not."""
    if data.found is None or data.found.true_cells is None or data.found.marking.marked == data.found.true_cells:
        return None
    return _(
        "The patches mark {marked}: wrong, it is {truth}.", marked=_marked(data), truth=_named(data.found.true_cells)
    )


def marks_unknown(data: Data) -> str | None:
    """Nobody knows, as a digit was drawn."""
    if data.found is None or data.found.true_cells is not None:
        return None
    return _("The patches mark {marked}. What is true is left open, as digits were drawn.", marked=_marked(data))


def drawn(data: Data) -> str | None:
    """What follows where a digit has no label."""
    if not (count := len(data.chosen.drawn)):
        return None
    return ngettext(
        "{n} digit was drawn by hand: nobody knows its label, so an answer that depends on it is left open.",
        "{n} digits were drawn by hand: nobody knows their labels, so an answer that depends on them is left open.",
        count,
    )


CLAIMS = right, wrong, unknown, marks_right, marks_wrong, marks_unknown, drawn
HINTS = (Hint(N_("Put another digit into a cell, or draw one."), within),)


def compared(data: Data) -> str | None:
    """Which of both does better on fresh pictures: below the picture, as it takes many passes."""
    answered, marked, _usual = data.accuracy
    first, second = (number(part["side"], ".0%") for part in (answered, marked))
    if first == second:
        return None
    values = {"first": first, "second": second}
    if answered["side"] > marked["side"]:
        return _(
            "The second model is the weaker one at neighbours: of fresh questions about one (left of, right of, above, "
            "below) it marks {second} rightly, where the first answers {first}.",
            **values,
        )
    return _(
        "The second model is the better one at neighbours: of fresh questions about one (left of, right of, above, "
        "below) it marks {second} rightly, where the first answers {first}.",
        **values,
    )


NOTICE = (
    N_(
        "Left, you lay out a picture of real handwritten digits that training never saw, or draw one. The model sees "
        "36 patches of 4 × 4 pixels, four to a cell, and not which digits they are."
    ),
    N_(
        "In the middle words look at patches. Choose a word: the orange says where each head looked when the model "
        "read it, or was about to say it. Choose a patch instead: the fuller a word's orange, the more it looked there."
    ),
    N_(
        "On the right a second model does it the other way round: each patch looks at the words, and says whether it "
        "is part of what the answer speaks of (blue outline). Choose a patch to see which word it looked at."
    ),
    N_(
        "Both models can be wrong. What is true follows from the labels of the digits, so a wrong answer is shown as "
        "one."
    ),
    N_(
        "Models that read photographs can be watched too: `tlmviz.watch` lays the maps of a ViT or of CLIP over a "
        "picture of yours, in a notebook and on the page [Attention explorer](./explorer)."
    ),
)
MATHS = (
    N_(
        "A word's row sums to 1 over the 36 patches, a patch's row to 1 over the words. The row shown for a word of "
        "the answer is that of the word before it, whose output chose it."
    ),
    N_(
        "Note 000 says that K and V must be the same thing in cross-attention: they are made from the same source, by "
        "two different matrices."
    ),
)
