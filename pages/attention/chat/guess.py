"""The question before the pictures of the page Chat: whose words all heads together read most."""

from __future__ import annotations

from tlmviz.analysis.attention.roles import PARTIES
from tlmviz.figures import number
from tlmviz.ui import guess
from tlmviz.ui.language import _

from .claims import NAMES
from .data import Data

CLEAR = 0.01  # of all attention, by which the first must lead the second: less is a tie


def seen(data: Data) -> bool:
    """Whether the pictures may be drawn; else the question is."""
    chosen = data.chosen
    return guess.first("chat", (chosen.model, chosen.turns, chosen.source), lambda: question(data))


def question(data: Data) -> guess.Question | None:
    """Which party gets most of the attention of all heads; None where nobody does, and where few are there."""
    means = data.means
    best, second, *others = sorted(means, key=lambda party: -means[party])
    if means[best] - means[second] < CLEAR:
        return None
    says = _(
        "Most goes to **{best}**: {most} of the attention of all heads, in the mean; then {next} to {second}.",
        best=_(NAMES[best]),
        most=number(means[best], ".0%"),
        next=number(means[second], ".0%"),
        second=_(NAMES[second]),
    )
    return guess.question(
        _("All heads together, from the {source}: whose words get most of the attention?", source=data.chosen.source),
        best,
        [party for party in (second, *others) if means[party] > 0],
        says,
        show=lambda party: _(NAMES[party]),
        order=PARTIES.index,
    )
