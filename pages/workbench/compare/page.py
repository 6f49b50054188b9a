"""Compare: two prompts, two models or two precisions side by side, and what changed from one to the other."""

from collections.abc import Sequence

from pages import IN
from pages.workbench.compare import claims, view
from pages.workbench.compare.data import Data
from pages.workbench.compare.examples import examples
from pages.workbench.compare.state import MODELS, PRECISIONS, PROMPTS, Compare
from tlmviz.ui.claims import Claim
from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Draw, Part, Parts, Piece, later, page


def part(name: str, said: Sequence[Claim], *beneath: Draw | Piece) -> Part:
    """One of the views, with what stands beneath its picture."""
    return Part(
        Compare,
        Data,
        said,
        claims.HINTS,
        view.picture,
        notice=claims.NOTICE[name],
        maths=claims.MATHS,
        equation=view.EQUATION,
        code=view.snippet,
        before=(view.wait,),
        beneath=(view.further, *beneath, EQUATION, later("compare-python", CODE)),
    )


PART = Parts(
    Compare,
    "view",
    {
        PROMPTS: part(PROMPTS, claims.PROMPTS_CLAIMS, CLAIMS, BADGES),
        MODELS: part(MODELS, claims.ONE_TEXT_CLAIMS, CLAIMS),
        PRECISIONS: part(PRECISIONS, claims.ONE_TEXT_CLAIMS, view.costs, CLAIMS),
    },
    controls=view.controls,
)

if __name__ == "__main__":
    page(IN["workbench/compare"], PART, examples)
