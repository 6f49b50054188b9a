"""What the part Reading a digit says about its picture, each where it is true, and what its parts are in any state."""

from __future__ import annotations

from math import sqrt

from tlmviz import digits
from tlmviz.figures import number
from tlmviz.ui.language import N_, _, listed, ngettext

from .data import Data


def one_decides(data: Data) -> str | None:
    """One latent without which it is read as another digit."""
    if not (others := _others(data)):
        return None
    latent = min(others, key=lambda each: float(data.without[each].probabilities[data.found.digit]))
    return _(
        "{count} learned rows of numbers read this picture as a {digit}, with {share}. Without latent {latent} they would read a "
        "{other}.",
        count=data.chosen.latents - len(data.chosen.muted), digit=data.found.digit, share=_share(data), latent=latent,
        other=others[latent],
    )  # fmt: skip


def none_decides(data: Data) -> str | None:
    """No latent is needed alone."""
    if not data.without or _others(data):
        return None
    return _(
        "{count} learned rows of numbers read this picture as a {digit}, with {share}, and still do without any one of them.",
        count=data.chosen.latents - len(data.chosen.muted), digit=data.found.digit, share=_share(data),
    )  # fmt: skip


def one_reads(data: Data) -> str | None:
    """All others are muted."""
    if data.found is None or data.without:
        return None
    [latent] = set(range(data.chosen.latents)) - set(data.chosen.muted)
    return _(
        "Latent {latent} alone reads this picture as a {digit}, with {share}.",
        latent=latent,
        digit=data.found.digit,
        share=_share(data),
    )


def wrong(data: Data) -> str | None:
    """A held-out digit that is another."""
    if data.found is None or data.truth in (None, data.found.digit):
        return None
    return _("**It is wrong**: the digit is a {truth}.", truth=data.truth)


def like_those_it_knows(data: Data) -> str | None:
    """What a drawing is most like, where the answer is among it."""
    if data.found is None or data.truth is not None or data.found.digit not in data.nearest:
        return None
    return _(
        "**Most like your drawing** are, of the {count} digits it learned from, {nearest}.",
        count=_known(),
        nearest=_nearest(data),
    )


def unlike_those_it_knows(data: Data) -> str | None:
    """What a drawing is most like, where the answer is not among it."""
    if data.found is None or data.truth is not None or data.found.digit in data.nearest:
        return None
    return _(
        "**Do not trust its answer**: of the {count} digits it learned from, {nearest} are most like your drawing, pixel by "
        "pixel. It was never shown strokes drawn like this.",
        count=_known(), nearest=_nearest(data),
    )  # fmt: skip


def as_good(data: Data) -> str | None:
    """The numbers of latents make no difference that is not chance."""
    said = _counts(data)
    if said is None or not _by_chance(data):
        return None
    return said + " " + _("So small a difference is chance.")


def better(data: Data) -> str | None:
    """The numbers of latents make a difference."""
    said = _counts(data)
    return None if said is None or _by_chance(data) else said


def most_missed(data: Data) -> str | None:
    """The latent whose muting costs most, over all held-out digits."""
    shares = [number(100 * share, ".1f") for share in data.muted_one_by_one]
    least = min(range(len(shares)), key=lambda latent: float(shares[latent]))
    if shares.count(shares[least]) > 1:
        return None
    return _(
        "**Latent {latent}** is missed most: without it {share}% of the held-out digits are read right.",
        latent=least,
        share=shares[least],
    )


CLAIMS = (
    one_decides,
    none_decides,
    one_reads,
    wrong,
    like_those_it_knows,
    unlike_those_it_knows,
    as_good,
    better,
    most_missed,
)


def _others(data: Data) -> dict[int, int]:
    """Latent -> what is read without it, where that is another digit."""
    return {latent: read.digit for latent, read in data.without.items() if read.digit != data.found.digit}


def _share(data: Data) -> str:
    return number(100 * data.found.probabilities[data.found.digit], ".1f") + "%"


def _known() -> str:
    return f"{len(digits.training()):,}"


def _nearest(data: Data) -> str:
    return listed([_("a {digit}", digit=digit) for digit in data.nearest])


def _counts(data: Data) -> str | None:
    if len(data.right) < 2:
        return None
    shares = ", ".join(f"M = {latents}: {count}" for latents, count in data.right.items())
    return _(
        "Of {count} held-out digits, written by other hands, it reads right: {shares}.",
        count=len(digits.held_out()),
        shares=shares,
    )


def _by_chance(data: Data) -> bool:
    """Whether best and worst lie within two standard deviations of a count."""
    count, least, most = len(digits.held_out()), min(data.right.values()), max(data.right.values())
    return most - least <= 2 * sqrt(least * (count - least) / count)


def said(data: Data) -> str:
    """What the picture is read as, beside it."""
    if data.found is None:
        return ""
    muted = len(data.chosen.muted)
    left_out = ngettext(" ({n} of its latents muted)", " ({n} of its latents muted)", muted) if muted else ""
    values = {"digit": data.found.digit, "share": _share(data), "muted": left_out, "truth": data.truth}
    if data.truth is None and data.moved:
        return _(
            "Your drawing, put in the middle and made as large as the examples, is read as {digit}, with {share}{muted}.",
            **values,
        )
    if data.truth is None:
        return _("Your drawing is read as {digit}, with {share}{muted}.", **values)
    if data.found.digit == data.truth:
        return _("Read as {digit} with {share}{muted}: right.", **values)
    return _("Read as {digit} with {share}{muted}: wrong, it is a {truth}.", **values)


NOTICE = (
    N_("The picture's 64 pixels are 64 tokens. A **latent** is a learned row of numbers that belongs to no pixel: in every "
       "layer it reads all pixels by attention (the colours, with the picture's ink as dots), then all latents look at one "
       "another (the bars, when you point at a map). The answer is read off the latents alone."),
    N_("In layer 0 a latent has read nothing yet: it asks the same of every picture. From layer 1 on it asks with what it has "
       "found, so its map follows the digit."),
    N_("Whatever you draw is read as one of ten digits: it knows nothing else. A drawing is first put in the "
       "middle, as large and as thin as the examples: the dots in the maps are what is read."),
    N_("Mute a latent (click its map, then the button; or double-click): no other one sees it, and the answer leaves it out."),
)  # fmt: skip
MATHS = N_(
    "Every layer has its own read and mix weights, as in the notes' loop; Perceiver (Jaegle et al. 2021) shares them between "
    "layers. A feed-forward layer follows, which the notes' loop leaves out."
)
