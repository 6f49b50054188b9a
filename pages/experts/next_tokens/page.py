"""Next tokens: what is predicted several tokens ahead from every position, and how that makes writing quicker."""

from pages import IN
from pages.experts.next_tokens import claims, data, view
from pages.experts.next_tokens.examples import examples
from pages.experts.next_tokens.state import CHAINED, PARALLEL, PREDICTIONS, WRITING, Ahead
from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Draw, Part, Parts, later, page


def part(kind: str, model: str, notice: tuple[str, ...], below: Draw, *equations: Draw) -> Part:
    """A view of one way to look ahead."""
    return Part(
        Ahead,
        data.compute,
        claims.CLAIMS[kind],
        claims.HINTS[kind],
        view.picture,
        notice=notice,
        maths=(claims.TRAINED[model], *claims.MATHS),
        equation=view.EQUATIONS[model],
        code=view.SNIPPETS[kind],
        before=(view.cut,),
        beneath=(CLAIMS, later("beneath-ahead", below, BADGES), *equations, EQUATION, later("ahead-python", CODE)),
    )


PARTS = {
    f"{kind} {model}": made
    for model in (CHAINED, PARALLEL)
    for kind, made in (
        (PREDICTIONS, part(PREDICTIONS, model, claims.OF_CHAINS[model], view.accuracy)),
        (WRITING, part(WRITING, model, claims.OF_PASSES, view.speed, view.rejection)),
    )
}
PART = Parts(Ahead, "part", PARTS, controls=view.controls)

if __name__ == "__main__":
    page(IN["experts/next_tokens"], PART, examples)
