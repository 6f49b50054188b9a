"""RoPE planes: every pair of dimensions turns with its position, and of the positions a score sees only their
distance."""

from pages import IN
from pages.positions.rope_planes import claims, guess, view, view_passes
from pages.positions.rope_planes.data import Data
from pages.positions.rope_planes.examples import examples
from pages.positions.rope_planes.state import CLOCKS, HEADS, LAYOUTS, STEPS, Choice
from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Draw, Part, Parts, later, page


def part(name: str, picture: Draw, *below: Draw, before: tuple[Draw, ...] = ()) -> Part:
    """One of the parts, with what it has `below` its claims."""
    return Part(
        Choice,
        Data,
        claims.CLAIMS[name],
        claims.HINTS[name],
        picture,
        notice=claims.NOTICE[name],
        maths=claims.MATHS[name],
        equation=view.EQUATIONS[name],
        code=view.SNIPPETS[name],
        before=before,
        beneath=(later("beneath-planes", CLAIMS, *below, BADGES, EQUATION, CODE, seen=False),),
    )


PART = Parts(
    Choice,
    "part",
    {
        CLOCKS: part(CLOCKS, view.clocks, view.numbers, before=(guess.seen,)),
        STEPS: part(STEPS, view.steps),
        LAYOUTS: part(LAYOUTS, view_passes.layouts),
        HEADS: part(HEADS, view_passes.heads),
    },
    controls=view.controls,
)

if __name__ == "__main__":
    page(IN["positions/rope_planes"], PART, examples)
