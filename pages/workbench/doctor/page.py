"""Doctor: two runs of one text, where they part, and the cause by name with its number."""

from pages import IN
from pages.workbench.doctor import claims, view
from pages.workbench.doctor.data import Data
from pages.workbench.doctor.examples import examples
from pages.workbench.doctor.state import Doctor, Sizes
from tlmviz.ui.part import BADGES, CLAIMS, CODE, EQUATION, Part, Parts, later, page

PART = Parts(
    Doctor,
    "view",
    {
        name: Part(
            Doctor,
            Data,
            said,
            claims.HINTS,
            view.picture,
            notice=claims.NOTICE[name],
            maths=claims.MATHS,
            equation=view.EQUATION,
            code=view.snippet,
            before=(view.wait,),
            beneath=(later("beneath-doctor", view.further, CLAIMS, BADGES, EQUATION, CODE, seen=False),),
        )
        for name, said in claims.CLAIMS.items()
    },
    also=(Sizes,),
    controls=view.controls,
)

if __name__ == "__main__":
    page(IN["workbench/doctor"], PART, examples)
