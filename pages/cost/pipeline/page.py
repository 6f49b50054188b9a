"""Pipeline: a model's layers shared by several devices, when each works and when it waits, schedule by schedule."""

from pages import IN
from pages.cost.pipeline import claims, view
from pages.cost.pipeline.data import Data
from pages.cost.pipeline.examples import examples
from pages.cost.pipeline.state import Choice
from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, later, page

PART = Part(
    Choice,
    Data,
    claims.CLAIMS,
    claims.HINTS,
    view.picture,
    controls=view.controls,
    notice=claims.NOTICE,
    maths=claims.MATHS,
    equation=view.EQUATION,
    code=view.snippet,
    beneath=(
        CLAIMS,
        later("beneath-pipeline", view.all_schedules),
        view.rules,
        BADGES,
        EQUATION,
        later("pipeline-python", CODE),
    ),
)

if __name__ == "__main__":
    page(IN["cost/pipeline"], PART, examples)
