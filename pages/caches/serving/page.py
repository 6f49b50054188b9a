"""Serving: several prompts in one memory of pages, scheduled step by step."""

from pages import IN
from pages.caches.serving import claims, data, view
from pages.caches.serving.examples import examples
from pages.caches.serving.state import Serving
from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, later, page

PART = Part(
    Serving,
    data.compute,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    equation=view.EQUATION,
    code=view.snippet,
    before=(view.left_out,),
    beneath=(later("beneath-serving", view.side_by_side, CLAIMS, BADGES, view.answers, EQUATION, CODE),),
)

if __name__ == "__main__":
    page(IN["caches/serving"], PART, examples)
