"""Encoder-only: hidden words guessed from both sides, what [CLS] reads, and three kinds of models on one sentence."""

from collections.abc import Callable

from pages import IN
from pages.beyond.encoder_only import claims, guess, view
from pages.beyond.encoder_only.data import Data
from pages.beyond.encoder_only.examples import examples
from pages.beyond.encoder_only.state import CLS, HIDDEN, KINDS, MASKS, Choice
from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Draw, Part, Parts, later, page

BENEATH = CLAIMS, BADGES, EQUATION, CODE


def part(name: str, picture: Callable[[Data], None], area: str = "", before: tuple[Draw, ...] = ()) -> Part:
    """One of the parts; what is beneath a live picture waits for it in an area."""
    return Part(
        Choice,
        Data,
        claims.CLAIMS[name],
        claims.HINTS[name],
        picture,
        notice=claims.NOTICE[name],
        maths=claims.MATHS,
        equation=view.EQUATION,
        code=view.snippet,
        before=before,
        beneath=(later(area, *BENEATH),) if area else BENEATH,
    )


PART = Parts(
    Choice,
    "part",
    {
        CLS: part(CLS, view.cls, "beneath-What"),
        HIDDEN: part(HIDDEN, view.hidden, "beneath-Hidd", (guess.seen,)),
        MASKS: part(MASKS, view.masks),
        KINDS: part(KINDS, view.kinds),
    },
    controls=view.controls,
)

if __name__ == "__main__":
    page(IN["beyond/encoder_only"], PART, examples)
