"""The question before the picture of the page mHC: how far mixing without a constraint carries the embedding."""

from __future__ import annotations

from tlmviz.analysis.streams.mixing import carried
from tlmviz.ui import guess, markdown
from tlmviz.ui.language import _

from . import claims
from .data import Data

FACTOR = 5.0  # from one answer to the next
CLEAR = 1.2  # less is hardly more than at the start


def seen(data: Data) -> bool:
    """Whether the picture may be drawn; else the question is."""
    return guess.first("mhc", (tuple(data.family.items()), data.chosen.text), lambda: question(data))


def question(data: Data) -> guess.Question | None:
    """The largest factor at which the embedding is carried in any stream; None for a family without free mixing."""
    family = data.family
    most = {kind: carried(data.by(name).mixing.res) for kind, name in family.items() if "hyper" in family}
    free = most.get("hyper", 0.0)
    if free < CLEAR:
        return None
    ladder = (each for each in guess.ladder(free, (family["hyper"], data.chosen.text), FACTOR) if each > 2)
    asks = _(
        "{model} mixes its streams by matrices that nothing holds in bounds. After up to {count} of them, how many "
        "times as large as at the start is the embedding carried, where it is carried most?",
        model=markdown.plain(family["hyper"]),
        count=len(data.sublayers),
    )
    return guess.question(
        asks,
        free,
        (1.0, *ladder, free * FACTOR, free * FACTOR**2),
        _measured(family, most),
        show=lambda value: f"× {guess.three_digits(value)}",
    )


def _measured(family: dict[str, str], most: dict[str, float]) -> str:
    """The largest factor of every model of a family, connection -> name."""
    said = [
        _(
            "{model} carries it at up to **{factor}**",
            model=markdown.plain(family["hyper"]),
            factor=claims.factor(most["hyper"]),
        )
    ]
    others = ((family[kind], value) for kind, value in most.items() if kind != "hyper")
    said += [
        _("{model} at {factor}", model=markdown.plain(name), factor=claims.factor(value)) for name, value in others
    ]
    return _("Over all tokens of this text {measured}.", measured="; ".join(said))
