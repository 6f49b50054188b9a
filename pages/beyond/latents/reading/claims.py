"""What the part Reading digits says about its picture, each where it is true, and what its parts are in any state."""

from __future__ import annotations

from tlmviz import digits
from tlmviz.facades.scenes.language import PLACES
from tlmviz.figures import number
from tlmviz.ui.hints import Hint, within
from tlmviz.ui.language import N_, _, listed, ngettext

from .data import Data
from .state import EMPTY

LISTED = 3  # mistakes that are named
APART = 0.1  # from fewest to most latents, the share read right must grow by more to be said to grow
MOSTLY = 0.5  # of a latent's reading, in one cell


def drawing(data: Data) -> str | None:
    """What the cell that is looked at is read as, where it was drawn into."""
    if not _drawn(data) or data.found is None:
        return None
    cell = data.chosen.cell
    return _(
        "Your drawing at the {place} is read as {read}, with {share}.",
        place=PLACES[cell],
        read=_named(data.read[cell]),
        share=number(data.found.probabilities[cell, data.read[cell]], ".0%"),
    )


def fewer_read(data: Data) -> str | None:
    """How many of the digits are read right without the muted latents, and with all."""
    known, muted = _known(data), data.chosen.muted
    if data.found is None or data.whole_read is None or not known or not muted or _drawn(data):
        return None
    return ngettext(
        "Without latent {which} {right} of the {known} handwritten digits in this picture are read right, with all "
        "{count} latents {whole}.",
        "Without {n} latents {right} of the {known} handwritten digits in this picture are read right, with all "
        "{count} latents {whole}.",
        len(muted),
        which=muted[0],
        right=len(known) - len(_mistakes(data)),
        known=len(known),
        count=data.chosen.latents,
        whole=sum(data.whole_read[at] == data.truth[at] for at in known),
    )


def reads(data: Data) -> str | None:
    """How many of the digits are read right."""
    known = _known(data)
    if data.found is None or not known or data.chosen.muted or len(_heard(data)) < 2 or _drawn(data):
        return None
    return _(
        "{count} learned rows of numbers read {right} of the {known} handwritten digits in this picture right.",
        count=len(_heard(data)),
        right=len(known) - len(_mistakes(data)),
        known=len(known),
    )


def one_reads(data: Data) -> str | None:
    """There is no other."""
    known = _known(data)
    if data.found is None or not known or data.chosen.latents > 1 or data.chosen.muted or _drawn(data):
        return None
    return _(
        "Latent {latent} alone reads {right} of the {known} handwritten digits in this picture right.",
        latent=_heard(data)[0],
        right=len(known) - len(_mistakes(data)),
        known=len(known),
    )


def mistakes(data: Data) -> str | None:
    """Held-out digits that are others."""
    if not (found := _mistakes(data)):
        return None
    named = [
        _(
            "the {digit} at the {place} as {read}",
            digit=data.truth[cell],
            place=PLACES[cell],
            read=_named(data.read[cell]),
        )
        for cell in found[:LISTED]
    ]
    return _("**Read wrong**: {mistakes}.", mistakes=listed(named))


def answered_by_its_reader(data: Data) -> str | None:
    """The answer comes most from a latent that reads mostly there."""
    if data.found is None or (most := _reader(data))[3] < MOSTLY:
        return None
    latent, share, layer, there = most
    return _(
        "**The answer for the cell at the {place}** comes most from latent {latent} ({share} of its weight), and that "
        "latent reads mostly there: in layer {layer} {there} of its weight is on this cell.",
        place=PLACES[data.chosen.cell],
        latent=latent,
        share=number(share, ".0%"),
        layer=layer,
        there=number(there, ".0%"),
    )


def answered_by_another(data: Data) -> str | None:
    """The answer comes most from a latent that reads several cells."""
    if data.found is None or (most := _reader(data))[3] >= MOSTLY:
        return None
    latent, share, _layer, there = most
    return _(
        "**The answer for the cell at the {place}** comes most from latent {latent} ({share} of its weight), which has "
        "other cells to read as well: at most {there} of its weight is on this one, in any layer.",
        place=PLACES[data.chosen.cell],
        latent=latent,
        share=number(share, ".0%"),
        there=number(there, ".0%"),
    )


def more_read_more(data: Data) -> str | None:
    """Every larger number of latents reads more digits right, and the largest clearly more than the smallest."""
    if data.found is None or (said := _counts(data)) is None or not _grows(data):
        return None
    return said + " " + _("**Too few latents cannot keep nine digits apart.**")


def more_read_no_more(data: Data) -> str | None:
    """They do not."""
    return None if data.found is None or _grows(data) else _counts(data)


CLAIMS = (
    drawing,
    fewer_read,
    reads,
    one_reads,
    mistakes,
    answered_by_its_reader,
    answered_by_another,
    more_read_more,  # these take many passes
    more_read_no_more,
)
HINTS = (Hint(N_("Click a cell, or draw over its digit."), within),)


def _heard(data: Data) -> list[int]:
    return [latent for latent in range(data.chosen.latents) if latent not in data.chosen.muted]


def _known(data: Data) -> list[int]:
    """The cells with a held-out digit."""
    return [cell for cell, truth in enumerate(data.truth) if truth not in (None, digits.NOTHING)]


def _mistakes(data: Data) -> list[int]:
    return [cell for cell in _known(data) if data.found is not None and data.read[cell] != data.truth[cell]]


def _drawn(data: Data) -> bool:
    """Whether the chosen cell is read, and holds a drawing."""
    return data.found is not None and data.chosen.drawn[data.chosen.cell] not in ("", EMPTY)


def _reader(data: Data) -> tuple[int, float, int, float]:
    """The latent from which the chosen cell's answer comes most, its share, and the layer in which most of its reading
    lies on the cell, with that share."""
    latent = int(data.asked.argmax())
    there = data.on_the_cell[:, latent]
    return latent, float(data.asked[latent]), int(there.argmax()), float(there.max())


def _named(read: int) -> str:
    return _("nothing") if read == digits.NOTHING else _("an 8") if read == 8 else _("a {digit}", digit=read)


def _counts(data: Data) -> str | None:
    if len(data.right) < 2:
        return None
    shares, whole = (
        ", ".join(f"M = {latents}: {number(share, '.1%')}" for latents, share in each.items())
        for each in (data.right, data.whole)
    )
    return _(
        "Of {count} held-out digits, written by other hands, nine to a picture, are read right: {shares}. All nine of "
        "a picture are: {whole}.",
        count=len(digits.held_out()),
        shares=shares,
        whole=whole,
    )


def _grows(data: Data) -> bool:
    shares = list(data.right.values())
    return all(a < b for a, b in zip(shares, shares[1:])) and shares[-1] - shares[0] > APART


def said(data: Data) -> str:
    """What the chosen cell is read as, beside the picture."""
    if data.found is None:
        return ""
    cell, muted = data.chosen.cell, len(data.chosen.muted)
    truth, read = data.truth[cell], data.read[cell]
    left_out = ngettext(" ({n} of its latents muted)", " ({n} of its latents muted)", muted) if muted else ""
    values = {
        "place": PLACES[cell],
        "read": _named(read),
        "muted": left_out,
        "share": number(100 * data.found.probabilities[cell, read], ".1f") + "%",
    }
    if truth is None and data.moved:
        return _(
            "Your drawing at the {place}, put in the middle and made as large as the examples, is read as {read}, with "
            "{share}{muted}.",
            **values,
        )
    if truth is None:
        return _("Your drawing at the {place} is read as {read}, with {share}{muted}.", **values)
    if read == truth:
        return _("At the {place}: read as {read} with {share}{muted}, right.", **values)
    return _("At the {place}: read as {read} with {share}{muted}, wrong, it is {truth}.", **values, truth=_named(truth))


NOTICE = (
    N_(
        "The picture's 576 pixels are 576 tokens. A **latent** is a learned row of numbers that belongs to no pixel: "
        "in every layer it reads all pixels by attention (the colours, with the picture's ink in them), then all "
        "latents look at one another (the bars, when you point at a map)."
    ),
    N_(
        "In the end a learned question for each cell reads the latents, and they alone say what is there: the bars of "
        "the last row say how much the chosen cell's answer takes from each latent."
    ),
    N_(
        "In layer 0 a latent has read nothing yet: it asks the same of every picture. From layer 1 on it asks with "
        "what it has found."
    ),
    N_(
        "Whatever you draw is read as one of ten digits or as nothing: it knows nothing else. A drawing is first put "
        "in the middle of its cell, as large and as thin as the examples: the maps show what is read."
    ),
)
MATHS = (
    N_(
        "Every layer has its own read and mix weights, as in the notes' loop; Perceiver (Jaegle et al. 2021) shares "
        "them between layers. A feed-forward layer follows, which the notes' loop leaves out. The answer's questions "
        "are those of Perceiver IO (Jaegle et al. 2022)."
    ),
)
