"""Experts: which feed-forward networks each token reaches, by whose scores, and what becomes of it without them."""

from collections.abc import Callable

from pages import IN
from pages.experts.experts import claims, data, view, view_charts
from pages.experts.experts.examples import examples
from pages.experts.experts.state import CAPACITY, COST, LOAD, MUTING, ROUTING, TRAINING, Experts
from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Draw, Later, Part, Parts, Piece, later, page


def part(name: str, picture: Draw, code: Callable[[data.Data], str], *beneath: Draw | Piece | Later) -> Part:
    """A view of the page."""
    return Part(
        Experts,
        data.compute,
        claims.CLAIMS[name],
        claims.HINTS[name],
        picture,
        notice=claims.NOTICE[name],
        maths=claims.MATHS[name],
        equation=view.EQUATIONS[name],
        code=code,
        before=(view.refused,),
        beneath=beneath,
    )


PARTS = {
    ROUTING: part(
        ROUTING, view.rows, view.snippet_of_routing, later("beneath-routing", CLAIMS, BADGES, EQUATION, CODE)
    ),
    LOAD: part(LOAD, view_charts.load, view_charts.snippet_of_load, view_charts.readers, CLAIMS, EQUATION, CODE),
    MUTING: part(
        MUTING, view.rows, view.snippet_of_muting, later("beneath-muting", view.losses, BADGES, EQUATION, CODE)
    ),
    CAPACITY: part(
        CAPACITY, view.rows, view.snippet_of_capacity, later("beneath-capacity", view.factors, CLAIMS, EQUATION, CODE)
    ),
    TRAINING: part(TRAINING, view_charts.training, view_charts.snippet_of_training, CLAIMS, EQUATION, CODE),
    COST: part(COST, view_charts.cost, view_charts.snippet_of_cost, CLAIMS, EQUATION, CODE),
}
PART = Parts(Experts, "view", PARTS, controls=view.controls)

if __name__ == "__main__":
    page(IN["experts/experts"], PART, examples)
