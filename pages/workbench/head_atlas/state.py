"""The state of the page Head atlas: a survey, two statistics and a query, or one head and one of its passages."""

from __future__ import annotations

from tlmviz.analysis.workbench.survey import STATISTICS
from tlmviz.analysis.workbench.survey.finding import COLUMNS
from tlmviz.ui import inputs, link, state
from tlmviz.ui.language import N_

ALL, ONE = "all", "one"
Head = tuple[int, int]  # layer, head
NAMES = {  # of the columns, as menus and axes call them
    "layer": N_("layer"),
    "head": N_("number within the layer"),
    "entropy": N_("entropy (bits)"),
    "peak": N_("largest weight"),
    "sink": N_("weight on the first token"),
    "self": N_("weight on the token itself"),
    "previous": N_("weight on the previous token"),
    "distance": N_("distance (tokens back)"),
    "induction": N_("induction"),
}


def _sorting(text: str) -> str:
    return text and link.choice((*COLUMNS, *(f"-{column}" for column in COLUMNS)))(text)


def another_passage() -> None:
    """Callback of what chooses passages: what was chosen of one list of passages says nothing about another."""
    Atlas.top.set(0)
    Atlas.pin.set(None)


def _alone() -> None:
    """The head that was opened is seen alone."""
    another_passage()
    Atlas.view.set(ONE)


OPENED = inputs.OpenedHead(then=_alone)


class Atlas(state.State):
    """A survey, and what is shown of it: two statistics and a query, or a head and one of its top passages."""

    model: str
    survey: str  # the one that is shown; of a training at a step its name like that of a model then, name@step
    head: Head
    statistic: str  # by which passages are chosen
    view = state.menu(
        N_("View"),
        {ALL: N_("All heads"), ONE: N_("One head")},
        key="atlasview",
        segments=True,
        spelled={ALL: "All heads", ONE: "One head"},
        label_visibility="collapsed",
    )
    wanted = state.menu(
        N_("Survey"), key="atlas", parse=link.up_to(200), label_visibility="collapsed", changed=another_passage
    )
    step = state.menu(  # of a training, while nobody chose one the last
        N_("Step"), key="atlasstep", parse=link.whole(0, 10**9), widget="select_slider", label_visibility="collapsed"
    )
    x = state.menu(N_("Across"), NAMES, key="atlasx", default="previous", label_visibility="collapsed")
    y = state.menu(N_("Up"), NAMES, key="atlasy", default="induction", label_visibility="collapsed")
    query = state.text(
        N_("Find heads"),
        "",
        key="atlasfind",
        more={
            "placeholder": "Find heads: previous-token > 0.3 and layer < 4",
            "live": "300ms",
            "label_visibility": "collapsed",
        },
        ends=("previous-token > 0.3 and layer < 4", "layer = 99", "entropy > 0"),
    )
    by = state.menu(  # while nobody chose one, each head's passages are by the statistic that it stands out by
        N_("Passages by"),
        key="atlasby",
        parse=link.choice(STATISTICS),
        label_visibility="collapsed",
        changed=another_passage,
    )
    sort = state.live("atlassort", "", _sorting, ends=("-peak",))  # a column, "-" before it: largest first
    top = state.live("atlastop", 0, link.whole(0, 9), ends=(9,))  # which of a head's top passages
    pin = state.live(  # the token whose row is shown; None: that in which the statistic is largest
        "atlaspin", None, link.whole(0, 9999), ends=(0, 7, 9999)
    )
