"""One layer's bill: what a Transformer layer costs in operations, bytes and milliseconds, and where a model's
parameters are."""

from collections.abc import Callable

from pages import IN
from pages.cost.layer_bill import claims, view, view_model
from pages.cost.layer_bill.data import Data
from pages.cost.layer_bill.examples import examples
from pages.cost.layer_bill.state import BILL, DRAWN, FFN, GROWTH, HAND, PARAMETERS, Bill
from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Draw, Part, Parts, later, page


def part(name: str, picture: Draw, code: Callable[[Data], str], *tables: Draw) -> Part:
    """A part of the page; below a picture that the browser draws the rest waits for it."""
    pieces = (*tables, CLAIMS, BADGES, EQUATION, CODE)
    return Part(
        Bill,
        Data,
        claims.CLAIMS[name],
        claims.HINTS[name],
        picture,
        notice=claims.NOTICE[name],
        maths=claims.MATHS[name],
        equation=view.EQUATIONS[name],
        code=code,
        beneath=(later(f"beneath-{name}", *pieces),) if name in DRAWN else pieces,
    )


PARTS = {
    BILL: part(BILL, view.picture, view.snippet_of_bill, view.beneath_bill),
    HAND: part(HAND, view.picture, view.snippet_of_toy),
    GROWTH: part(GROWTH, view.picture, view.snippet_of_growth, view.beneath_areas),
    PARAMETERS: part(PARAMETERS, view_model.parameters, view_model.snippet_of_parameters, view_model.tables),
    FFN: part(FFN, view_model.feed_forward, view_model.snippet_of_feed_forward, view_model.units),
}
PART = Parts(Bill, "part", PARTS, controls=view.controls)

if __name__ == "__main__":
    page(IN["cost/layer_bill"], PART, examples)
