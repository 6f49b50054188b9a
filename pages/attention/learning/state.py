"""The state of the page Learning: a monitored training, the step and the head looked at, and which curves are drawn."""

from __future__ import annotations

from tlmviz.ui import link, state
from tlmviz.ui.language import N_

Head = tuple[int, int]  # layer, head
DEFAULT = "stories-induction"  # the model whose training the page opens on
INDUCTION, PREVIOUS = "induction", "previous"
# Columns of the record -> what menus and sentences call them: weights as "how much of its weight a head puts on ...".
STATISTICS = {
    INDUCTION: N_("What followed last time"),
    PREVIOUS: N_("The token before"),
    "self": N_("The token itself"),
    "sink": N_("The first token"),
    "peak": N_("Its largest weight"),
    "entropy": N_("Entropy (bits)"),
    "distance": N_("Distance (tokens back)"),
    "max_logit": N_("Its largest score"),
    "output_norm": N_("Norm of its output"),
    "update_ratio": N_("Change of its layer in a step"),
}
SHARES = (INDUCTION, PREVIOUS, "self", "sink", "peak")  # of these 1 is all


def _head(text: str) -> Head:
    layer, _, head = text.partition(".")
    return link.whole(0, 9999)(layer), link.whole(0, 9999)(head)


class Learning(state.State):
    """A training by its name, a text, the statistic whose curves are drawn, and the step and the head that are looked
    at."""

    text: str
    run: str  # the one that is shown
    wanted = state.menu(N_("Training"), key="lnrun", parse=link.up_to(200), label_visibility="collapsed")
    statistic = state.menu(
        N_("Curves: how much of its weight a head puts on"),
        STATISTICS,
        key="lnstat",
        default=INDUCTION,
        label_visibility="collapsed",
    )
    # None: the step at which the head that rises the most has done so, and that head.
    step = state.live("lnstep", None, link.whole(0, 10**9), ends=(0, 400, 1350))
    head = state.live("lnhead", None, _head, lambda head: f"{head[0]}.{head[1]}", ends=((0, 0), (1, 3)))
