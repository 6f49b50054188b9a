"""What the part Dropout says about its picture, each where it is true, and what its parts are in any state."""

from __future__ import annotations

from tlmviz.figures import number
from tlmviz.ui.hints import Hint, to
from tlmviz.ui.language import N_, _, ngettext

from .data import MASKS, Data
from .state import MOST_MASKS


def evaluation(data: Data) -> str | None:
    """Nothing is dropped."""
    if not data.chosen.evaluating and data.chosen.p:
        return None
    if data.chosen.evaluating:
        return _("In evaluation nothing is dropped and nothing is made larger: X passes as it is.")
    return _("At a rate of 0 nothing is dropped: X passes as it is.")


def comes_back(data: Data) -> str | None:
    """The mean of many masks comes back to X."""
    if data.chosen.evaluating or data.chosen.raw or not data.chosen.p:
        return None
    return ngettext(
        "A mask drops {p}% of X at random and makes the rest {times} times as large. One mask is off by {error} of X's "
        "size.",
        "A mask drops {p}% of X at random and makes the rest {times} times as large. The mean of {n} masks comes back "
        "to X: it is off by about {error} of X's size, a single mask by {single}.",
        data.chosen.masks,
        p=data.chosen.p,
        times=f"{1 / (1 - data.rate):.3g}",
        error=f"{data.error:.1%}",
        single=f"{(data.rate / (1 - data.rate)) ** 0.5:.1%}",
    )


def does_not_come_back(data: Data) -> str | None:
    """Without 1/q it does not."""
    if data.chosen.evaluating or not data.chosen.raw or not data.chosen.p:
        return None
    return _(
        "A mask drops {p}% of X at random and leaves the rest as it is: the mean of masks comes to {kept}% of X, and "
        "no number of them mends that.",
        p=data.chosen.p,
        kept=100 - data.chosen.p,
    )


CLAIMS = evaluation, comes_back, does_not_come_back
HINTS = (
    Hint(N_("Choose *training*."), to(evaluating=False)),
    Hint(N_("Move the number of masks to its end."), to(masks=MOST_MASKS)),
    Hint(N_("Switch off *kept ones times 1/q*."), to(raw=True)),
)


def costs(data: Data) -> str | None:
    """What masks do to the loss."""
    found = data.losses
    plain, masked = f"{found.plain:.3f}", f"{float(found.masked.mean()):.3f}"
    if float(masked) <= float(plain):
        return None
    return _(
        "Masks make the text harder to predict: {masked} nats per token in the mean of {masks} masks, {plain} without.",
        masked=masked,
        masks=MASKS,
        plain=plain,
    )


def together(data: Data) -> str | None:
    """What the mean of all masks' predictions loses."""
    found = data.losses
    averaged, masked = f"{found.averaged:.3f}", f"{float(found.masked.mean()):.3f}"
    if float(averaged) >= float(masked):
        return None
    return _(
        "The mean of all masks' predictions loses {averaged}, less than masks do in the mean ({masked}): the loss is "
        "no straight line in the numbers that a mask changes.",
        averaged=averaged,
        masked=masked,
    )


LOSSES = costs, together


def range_of(data: Data) -> str:
    """Where the masks act, and how far they are apart."""
    found = data.losses
    return _(
        "{masks} masks, each over the embedding and all that attention and feed-forward parts add; from {least} to "
        "{most} nats per token.",
        masks=len(found.masked),
        least=number(float(found.masked.min()), ".3f"),
        most=number(float(found.masked.max()), ".3f"),
    )


def title(data: Data) -> str:
    """What the picture is of."""
    return _("{model}, dropout on {place}: tokens by channels", model=data.chosen.model, place=data.places[data.place])


NOTICE = (
    N_(
        "In training every pass drops other numbers, each with probability p, and what is left is made larger by "
        "1/q, with q = 1 − p. The error of a mean of masks falls with the square root of their number: a hundred "
        "times the masks, a tenth of the error."
    ),
)


MATHS = (
    N_(
        "One number: $\\operatorname{Var}(\\hat x)=x^2\\,p/q$, so the mean of n masks is off by "
        "$|x|\\sqrt{p/(q\\,n)}$; the chart takes the root mean square over all numbers of X. Without 1/q the error "
        "stays at $p\\,|x|$."
    ),
    N_("The identity's error is counted in standard errors of such a mean."),
)
